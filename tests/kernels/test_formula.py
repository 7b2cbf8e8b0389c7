"""Tests of `kernels/formula.py`."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.coordinatewise import Laplace, Triangle
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.expressions.written import POLYA, written
from tests.laboratory import assert_characteristic_function, assert_variance
from tests.thoroughness import sweep

SEED = 20_251_124
BUDGET = 1e-8
DRAWS = 20_000
SAMPLES = 4_000


NAMED: dict[str, Callable[[int], Kernel]] = {
    "t -> exp(-t)": lambda dim: Laplace(scale=1.0, dim=dim),
    "t -> exp(-t/3)": lambda dim: Laplace(scale=3.0, dim=dim),
    "t -> max(0, 1 - t)": lambda dim: Triangle(width=1.0, dim=dim),
    "t -> max(0, 1 - abs(t))": lambda dim: Triangle(width=1.0, dim=dim),
}
"""Formulas of kernels of the catalogue, which become these kernels."""


def kernel(text: str, dim: int) -> FormulaProduct:
    return FormulaProduct(shape=written(text), dim=dim)


def exact(text: str, lags: np.ndarray) -> np.ndarray:
    with mp.workdps(30):
        return np.array([float(mp.fprod(POLYA[text](abs(mp.mpf(float(x)))) for x in lag)) for lag in lags])


@pytest.mark.slow
@pytest.mark.parametrize("text", POLYA)
@pytest.mark.parametrize("dim", [1, 3])
def test_values_verdict_and_printing(text: str, dim: int) -> None:
    one = kernel(text, dim)
    lags = np.random.default_rng(SEED).normal(size=(5, dim))
    np.testing.assert_allclose(one.numbers(NumericPairs.of_vectors(lags)), exact(text, lags), rtol=1e-12, atol=1e-300)
    assert ks.parse(str(one)).kernel(Columns(dim)) == NAMED.get(text, lambda dim: one)(dim)
    found = one.verdict()
    assert (found.positive_definite, found.symmetric, found.stationary) == ("proved", True, True)
    assert found.reasons[0].startswith(f"product({text}): a Polya kernel")
    assert law_of(one).fourier_kernel() == one
    assert set(schemes_of(one)) == {"binning"}


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(POLYA, every=3))
@pytest.mark.parametrize("dim", [pytest.param(1, marks=pytest.mark.long), 2])
def test_frequencies_have_the_kernel_as_characteristic_function(text: str, dim: int) -> None:
    draws = kernel(text, dim).draw(Stream(SEED, (dim,)), DRAWS)
    lags = np.array([[0.1] * dim, [0.9] + [0.2] * (dim - 1), [-2.3] + [0.0] * (dim - 1)])
    assert_characteristic_function(draws, lags, exact(text, lags), budget=BUDGET, what=f"{text}, d = {dim}")


@pytest.mark.parametrize("method", ["paired", "phase", "binning"])
def test_features_are_unbiased_with_the_variance_predicted(method: str) -> None:
    text = "t -> max(0, 1 - t)/2 + exp(-t)/2"
    rows = np.random.default_rng(SEED).uniform(-1, 1, (4, 2))
    first, second = np.triu_indices(len(rows), 1)
    lags = rows[first] - rows[second]
    k, doubled = exact(text, lags), exact(text, 2 * lags)
    variance = {"paired": (1 + doubled) / 2 - k**2, "phase": 1 + doubled / 2 - k**2, "binning": k - k**2}[method]
    columns = 2 if method == "paired" else 1
    feature_map = ks.compile(f"product({text})", 2, columns * SAMPLES, seed=SEED, method=method)
    if method == "binning":
        keys = feature_map.keys(rows)
        samples = (keys[first] == keys[second]).T.astype(float)
    else:
        drawn = feature_map.transform(rows).reshape(len(rows), columns, SAMPLES) * np.sqrt(SAMPLES)
        samples = (drawn[first] * drawn[second]).sum(axis=1).T
    assert_mean(samples, k, budget=BUDGET, what=f"{method} features")
    assert_variance(samples, variance, budget=BUDGET, what=f"variance of {method} features")


@pytest.mark.slow
def test_density_is_that_of_the_frequencies() -> None:
    frequencies = np.array([[0.1, 2.0], [-1.0, 0.7]])
    cauchy = 3 / (np.pi * (1 + 9 * frequencies**2))
    found = kernel("t -> exp(-t/3)", 2).density(NumericPairs.of_vectors(frequencies))
    np.testing.assert_allclose(found, cauchy.prod(axis=1), rtol=1e-11)
    w = sympy.Symbol("w", positive=True)
    expression = kernel("t -> exp(-t/3)", 1).factor_density_expression(w)
    assert float(expression.subs(w, sympy.Rational(1, 2)).evalf(15)) == pytest.approx(3 / (np.pi * 3.25), rel=1e-9)


def test_second_moments() -> None:
    assert kernel("t -> exp(-t)", 2).second_moment() == np.inf
    assert kernel("t -> exp(-sqrt(t))", 2).second_moment() == np.inf
    assert kernel("t -> exp(-t)*(1 + 2*t)", 2).second_moment() == -np.inf  # k = 1 + |t| + …, as −1/πω² far out
    assert ks.analyze("radial(t -> exp(-t)*(1 + 2*t))", dim=3).second_moment == -sympy.oo
    assert ks.analyze("param s > 0\nproduct(t -> exp(-t/s)*(1 + 3*t/s))", dim=1).second_moment == -sympy.oo
    assert kernel("t -> exp(-t**2/2)", 3).second_moment() == pytest.approx(3)
    spec = ks.parse("param s > 0\nproduct(t -> exp(-t**2/s))")
    assert str(spec.symbolic_kernel(Columns(1)).second_moment()) == "2/s"


@pytest.mark.slow
def test_other_formulas_are_decided_on_one_column_and_drawn_by_inversion() -> None:
    one = kernel("t -> exp(-t**2)", 2)
    assert one.verdict().positive_definite == "proved"
    assert one.pitch_law() is None
    assert schemes_of(one) == ()
    assert kernel("t -> exp(-t**3)", 2).verdict().positive_definite == "disproved"
    frequencies = np.array([[0.5, -1.5], [2.0, 0.0]])
    expected = np.exp(-np.square(frequencies).sum(axis=1) / 4) / (4 * np.pi)
    density, errors = measure_of(one).density_and_error(frequencies)
    assert (np.abs(density - expected) <= errors + 1e-15).all()
    assert (errors < 1e-12).all()
    lags = np.array([[0.3, 0.2], [1.0, -0.5]])
    draws = law_of(one).draw(Stream(SEED), DRAWS, (0, 1))[0].phasors.frequencies
    expected = np.exp(-np.square(lags).sum(axis=1))
    assert_characteristic_function(draws, lags, expected, budget=BUDGET, what="e^{−t²} by inversion")


def test_what_has_parameters_without_values_is_refused() -> None:
    one = ks.parse("param s > 0\nproduct(t -> exp(-t**3*s))").symbolic_kernel(Columns(2))
    with pytest.raises(NotAvailableYet, match="until these have values"):
        measure_of(one).sample(Stream(0), 3)
    with pytest.raises(NoDensityError, match="depends on s"):
        measure_of(one).density(np.ones((1, 2)))


@pytest.mark.slow
def test_a_limit_at_zero() -> None:
    """log(1 + t)/t = ∫₀¹ du/(1 + ut), completely monotone and 1 at 0."""
    facts = ks.analyze("product(t -> log(1 + t)/t)", dim=1)
    assert facts.verdict.positive_definite == "proved"
    lags = [0.0, 1e-300, 1e-17, 1e-6, 0.3, 50.0]
    with mp.workdps(350):
        expected = [float(mp.log(1 + mp.mpf(t)) / mp.mpf(t)) if t else 1.0 for t in lags]
    np.testing.assert_allclose(facts.characteristic_function([[t] for t in lags]), expected, rtol=1e-14)
    density = mp.quadosc(lambda t: mp.cos(t) * mp.log(1 + t) / t, [0, mp.inf], omega=1) / mp.pi
    assert facts.spectral_density_at([[1.0]])[0] == pytest.approx(float(density), rel=1e-9)
    assert ks.compile("product(t -> log(1 + t)/t)", dim=2, n_features=8, seed=0).transform(np.zeros((3, 2))).shape == (
        3,
        8,
    )


def kernel_of_formula_radial(text: str, dim: int) -> FormulaRadial:
    return FormulaRadial(shape=written(f"r -> {text}"), dim=dim)


def test_scaled_values_far_out() -> None:
    found = kernel_of_formula_radial("1/(1 + r)*exp(-r)", 1).scaled_value(
        NumericPairs.of_vectors(np.array([[0.0], [2000.0]]))
    )
    np.testing.assert_allclose(np.log(found.mantissa) + found.exponent, [0, -2000 - np.log(2001)], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "dim", "answer"),
    [
        ("max(0, 1 - r)**2", 3, "proved"),
        ("max(0, 1 - r)**2", 4, "disproved"),
        ("1/(1 + r)", 9, "proved"),
        ("exp(-r**3)", 1, "disproved"),
        ("exp(-r)*(1 + sin(r)/9)", 2, "unknown"),
    ],
)
def test_verdicts(text: str, dim: int, answer: str) -> None:
    found = kernel_of_formula_radial(text, dim).verdict()
    assert (found.positive_definite, found.symmetric, found.stationary) == (answer, True, True)


DRAWN = [
    ("1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3", (1, 2, 3)),
    ("2/pi*(acos(min(r, 1)) - min(r, 1)*sqrt(1 - min(r, 1)**2))", (2,)),
    ("1 - 15/8*min(r, 1) + 5/4*min(r, 1)**3 - 3/8*min(r, 1)**5", (3,)),
    ("max(0, 1 - r/2)**2", (3,)),
    ("max(0, 1 - r)**4*(4*r + 1)", (1, 3)),
    ("sin(2*r)/(2*r)", (2, 3)),
    ("besselj(0, 3*r)", (1, 2)),
    ("exp(-r)*cos(r)", (2,)),
    ("1/(1 + log(1 + r))", (1, 2)),
    ("tanh(r)/r", (2, 4)),
    ("r/sinh(r)", (3,)),
    ("1/cosh(r)", (5,)),
    ("1/(1 + sqrt(r))", (2,)),
    ("exp(1 - sqrt(1 + r**2))", (2,)),
    ("log(1 + r)/r", (1, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim"), sweep([(text, dim) for text, dims in DRAWN for dim in dims], every=3))
def test_frequencies_have_the_kernel_as_characteristic_function_formula_radial(text: str, dim: int) -> None:
    one = kernel_of_formula_radial(text, dim)
    draws = one.draw(Stream(20_251_122, (dim,)), 20_000)
    lags = np.array([[0.1] * dim, [0.4] + [0.2] * (dim - 1), [-1.6] + [0.0] * (dim - 1)])
    exact = one.numbers(NumericPairs.of_vectors(lags))
    assert_characteristic_function(draws, lags, exact, budget=1e-8, what=f"{text}, d = {dim}")


def test_densities() -> None:
    one = kernel_of_formula_radial("sin(r)/r", 3)
    with pytest.raises(NoDensityError, match="uniform on a sphere"):
        one.density(NumericPairs.of_vectors(np.ones((1, 3))))
    found = kernel_of_formula_radial("1/cosh(pi*r/2)", 1).density(
        NumericPairs.of_vectors(np.array([[0.0], [1.0], [3.0]]))
    )
    np.testing.assert_allclose(found, 1 / (np.pi * np.cosh([0.0, 1.0, 3.0])), rtol=1e-9)  # Feller 1971, section XV.2


@pytest.mark.parametrize("text", ["(1 + cos(r)*exp(-r))/2", "(2 + exp(-r**2))/3"])
def test_what_does_not_vanish_has_an_atom(text: str) -> None:
    with pytest.raises(NoDensityError, match="an atom at ω = 0, of the mass 0"):
        kernel_of_formula_radial(text, 1).radial_density(np.ones(1))


@pytest.mark.slow
def test_signed_measures_are_sampled_part_by_part() -> None:
    with pytest.raises(NotAvailableYet, match=r"both signs on 2 columns.*sampled part by part"):
        kernel_of_formula_radial("(1 - r**2)*exp(-r**2/2)", 2).draw(Stream(0), 3)
    with pytest.raises(NotAvailableYet, match="falls so slowly"):
        kernel_of_formula_radial("max(0, 1 - r)", 3).draw(Stream(0), 3)
