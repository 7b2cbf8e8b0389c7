"""Tests of `kernels/kernel.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.kernels.leaves.radial import Matern, PoweredExponential
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.kernels.asymmetric import rows


def test_only_positive_stationary_kernels_are_drawn_as_frequencies_of_one_measure():
    g, h = Gaussian(scale=2.0, dim=1), Gaussian(scale=1.0, dim=1)
    assert law_of(g).fourier_kernel() == g
    assert law_of(Sum(terms=(g, h), weights=(1.0, 2.0), dim=1)).fourier_kernel() is not None
    assert law_of(Sum(terms=(g, h), weights=(1.0, -2.0), dim=1)).fourier_kernel() is None
    assert law_of(Product(factors=(g, Match(dim=1)), dim=1)).fourier_kernel() is None


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
