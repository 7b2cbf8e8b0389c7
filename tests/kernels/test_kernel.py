"""Tests of `kernels/kernel.py`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.kernels.leaves.radial import Matern, PoweredExponential
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.kernels.asymmetric import rows
from tests.kernels.cases import CATALOGUE_CASES


def test_children_are_the_kernels_directly_below():
    g, m = Gaussian(scale=2.0, dim=1), Match(dim=1)
    product = Product(factors=(g, m), dim=1)
    assert list(product.children()) == [g, m]
    assert list(Sum(terms=(product,), weights=(2.0,), dim=1).children()) == [product]
    assert list(g.children()) == []


def test_parts_are_all_nodes_from_left_to_right():
    g, h, m = Gaussian(scale=2.0, dim=1), Gaussian(scale=1.0, dim=1), Match(dim=1)
    product = Product(factors=(g, m), dim=1)
    whole = Sum(terms=(product, h), weights=(2.0, 1.0), dim=1)
    assert list(whole.parts()) == [whole, product, g, m, h]


def test_only_positive_stationary_kernels_are_drawn_as_frequencies_of_one_measure():
    g, h = Gaussian(scale=2.0, dim=1), Gaussian(scale=1.0, dim=1)
    assert law_of(g).fourier_kernel() == g
    assert law_of(Sum(terms=(g, h), weights=(1.0, 2.0), dim=1)).fourier_kernel() is not None
    assert law_of(Sum(terms=(g, h), weights=(1.0, -2.0), dim=1)).fourier_kernel() is None
    assert law_of(Product(factors=(g, Match(dim=1)), dim=1)).fourier_kernel() is None


def test_nodes_are_compared_by_value_not_by_place():
    assert Gaussian(scale=2.0, dim=3) == Gaussian(scale=2.0, dim=3)
    assert Gaussian(scale=2.0, dim=3) != Gaussian(scale=2.0, dim=2)


def test_the_contract_cannot_be_instantiated():
    with pytest.raises(TypeError, match="abstract"):
        Kernel(dim=1)


def test_defaults_and_immutability():
    verdict = Verdict("proved", ("because",))
    assert (verdict.symmetric, verdict.stationary) == (True, True)
    with pytest.raises(FrozenInstanceError):
        verdict.symmetric = False


KERNELS = [
    "gaussian(scale=2)", "laplace(scale=2)", "exponential(scale=2)", "periodic(period=2, scale=0.7)",
    "powered_exponential(alpha=1.5, scale=2)", "rational_quadratic(alpha=2, scale=3)", "rbf_cosine(gamma=2)",
    "matern(nu=1/2, scale=2)", "laplace()*gaussian()[0]", "stretch(laplace(), [1, 3])",
]  # fmt: skip
X = np.random.default_rng(0).standard_normal((6, 2))


@pytest.mark.parametrize("exponent", ["0.5", "1/3", "2.5", "1e-3"])
@pytest.mark.parametrize("text", KERNELS)
def test_values_are_powers(text: str, exponent: str) -> None:
    power = float(eval_fraction(exponent))
    expected = ks.parse(text).gram(X) ** power
    np.testing.assert_allclose(ks.parse(f"({text})**({exponent})").gram(X), expected, rtol=1e-12)
    verdict = ks.analyze(f"({text})**({exponent})", dim=2).verdict
    assert verdict.positive_definite == "proved"


def eval_fraction(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    return float(numerator) / float(denominator or 1)


@pytest.mark.slow
@pytest.mark.parametrize("text", KERNELS)
def test_samples_of_powers(text: str) -> None:
    assert_samples(f"({text})**0.5", X, methods=["auto"], n=4000)


def test_powers_of_sums_and_of_what_has_no_closed_form_are_refused() -> None:
    for text in (
        "(gaussian() + laplace())**0.5",
        "cauchy()**0.5",
        "matern(nu=3/2)**0.5",
        "triangle()**0.5",
        "periodic(1, 1e-3)**1000.5",
    ):
        with pytest.raises(ks.KernelspecError, match="the power of this kernel must be"):
            ks.parse(text)


def test_a_symbol_may_be_the_power() -> None:
    facts = ks.analyze("param s > 0\nlaplace()**s", dim=1)
    assert facts.verdict.positive_definite == "proved"
    assert str(facts.second_moment) == "oo"


PRODUCTS = [(name, factory) for name, factory in CATALOGUE_CASES if isinstance(factory(1), Coordinatewise)]


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_value_is_the_product_of_factors(name, factory):
    lags = np.random.default_rng(6).standard_normal((10, 4))
    kernel = factory(4)
    np.testing.assert_allclose(
        kernel.numbers(NumericPairs.of_vectors(lags)), kernel.factor(lags).prod(axis=1), rtol=1e-12, atol=1e-16
    )


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_coordinates_are_drawn_independently(name, factory):
    """Signs of two columns agree half the time: five standard errors, seed 24."""
    drawn = factory(2).draw(Stream(24), 40_000)
    moved = drawn[(drawn != 0).all(axis=1)]
    agree = np.mean(np.sign(moved[:, 0]) == np.sign(moved[:, 1]))
    assert abs(agree - 0.5) < 5 * 0.5 / np.sqrt(len(moved))


RADIAL = [(name, factory) for name, factory in CATALOGUE_CASES if isinstance(factory(1), Radial)]


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_profile_is_the_mean_of_gaussians(name, factory):
    """f(r) = E exp(−τr²/2): the same τ in every dimension. Seed 21, budget 1e-8."""
    kernel = factory(1)
    distances = np.array([0.0, 0.03, 0.4, 1.0, 2.5])
    variances = np.broadcast_to(kernel.draw_variance(Stream(21), 50_000), (50_000,))
    assert_mean(np.exp(-0.5 * np.outer(variances, distances**2)), kernel.profile(distances), budget=1e-8, what=name)


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_is_invariant_under_rotations(name, factory):
    kernel = factory(3)
    rotation, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))
    lags = np.random.default_rng(6).standard_normal((10, 3))
    turned, straight = NumericPairs.of_vectors(lags @ rotation), NumericPairs.of_vectors(lags)
    np.testing.assert_allclose(kernel.numbers(turned), kernel.numbers(straight), rtol=1e-12)
    np.testing.assert_allclose(kernel.density(turned), kernel.density(straight), rtol=1e-11)


@pytest.mark.parametrize(("name", "factory"), RADIAL)
def test_draws_are_finite_whatever_the_tail(name, factory):
    assert np.isfinite(factory(2).draw(Stream(22), 20_000)).all()


def test_very_heavy_tails_stay_finite():
    for kernel in (Matern(nu=0.001, scale=1.0, dim=2), PoweredExponential(alpha=0.01, scale=1.0, dim=2)):
        drawn = kernel.draw(Stream(23), 20_000)
        assert np.isfinite(drawn).all()
        lags = np.array([[1e-9, 0], [0.1, 0.1], [3, -2]])
        exact = kernel.numbers(NumericPairs.of_vectors(lags))
        assert_mean(np.cos(drawn @ lags.T), exact, budget=1e-8)


TEXTS = [
    "gaussian() * laplace()[1]",
    "2 * shift_gaussian(by=[1, 0.5]) - 0.5 * laplace()",
    "stretch(sinh_gaussian(by=0.3), [1, 2]) * cosh_gaussian(by=0.2)[0]",
    "(shift(laplace(), 0.5) + gaussian()) ** 2",
    "tilt(cauchy(), by=[0.2, -0.1])[1, 0]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_values_and_moments_with_x_and_y_exchanged(text: str) -> None:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(2))
    turned = kernel.transposed()
    x, y = rows(2), rows(2, seed=7)
    there, back = NumericPairs(x, y), NumericPairs(y, x)
    np.testing.assert_allclose(np.asarray(turned.value(back)).T, kernel.value(there), rtol=1e-11)
    shape = np.ones((5, 5))
    for name in ("a", "b"):
        one, other = (
            np.asarray(getattr(law_of(k).moments(p), name)) * shape for k, p in ((kernel, there), (turned, back))
        )
        np.testing.assert_allclose(other.T, one, rtol=1e-9, atol=1e-12)
    assert turned.transposed() == kernel


@pytest.mark.parametrize(
    ("text", "symmetric"),
    [
        ("shift_gaussian(by=1) + shift_gaussian(by=-1)", True),
        ("shift_gaussian(by=1) + 2 * shift_gaussian(by=-1)", False),
        ("shift_gaussian(by=1) * shift_gaussian(by=-1)", True),
        ("shift_gaussian(by=1) * shift_gaussian(by=1)", False),
        ("cosh_gaussian(by=1) + cosh_gaussian(by=-1) + laplace()", True),
        ("stretch(shift(laplace(), 1), 2) * stretch(shift(laplace(), -1), 2)", True),
    ],
)
def test_what_is_its_own_transpose_is_symmetric(text: str, symmetric: bool) -> None:
    verdict = ks.analyze(text, dim=2).verdict
    assert verdict.symmetric == symmetric
    if not symmetric:
        assert verdict.positive_definite == "disproved"
    matrix = ks.parse(text).gram(rows(2).dense())
    assert np.allclose(matrix, matrix.T) == symmetric
