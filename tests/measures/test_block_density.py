"""Tests of `measures/block_density.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import iv, voigt_profile
from scipy.stats import norm

from kernelspec.errors import NoDensityError
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.discrete import Cosine, Periodic
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern, PoweredExponential
from kernelspec.measures.block_density import block_density, block_expression, closure
from kernelspec.measures.measure import Spectral
from kernelspec.measures.mixture import Mixture
from tests.measures.algebra.referees import measure_of_text

OMEGA = np.array([[0.0, 0.0], [0.4, -1.2], [3.0, 0.1]])


def test_independent_coordinates_are_voigt_profiles() -> None:
    parts = (Spectral(Gaussian(scale=2.0, dim=2)), Spectral(Laplace(scale=3.0, dim=2)))
    expected = voigt_profile(OMEGA, 1 / 2, 1 / 3).prod(axis=1)
    np.testing.assert_allclose(block_density(parts, OMEGA)[0], expected, rtol=1e-8)


def test_atoms_shift_the_other_density() -> None:
    parts = (Spectral(Cosine(by=(2.0, 0.0), dim=2)), Spectral(Gaussian(scale=1.0, dim=2)))
    shifted = [norm.pdf(OMEGA[:, 0], loc=sign * 2) * norm.pdf(OMEGA[:, 1]) for sign in (1, -1)]
    np.testing.assert_allclose(block_density(parts, OMEGA)[0], sum(shifted) / 2, rtol=1e-12)


@pytest.mark.slow
def test_radial_measures_are_inverted_along_one_axis() -> None:
    parts = (Spectral(Matern(nu=1.5, scale=1.0, dim=2)), Spectral(Gaussian(scale=2.0, dim=2)))
    draws = np.random.default_rng(0)
    student = draws.standard_normal((400_000, 2)) / np.sqrt(draws.chisquare(3, (400_000, 1)) / 3)
    seen = np.stack([norm.pdf(point - student, scale=0.5).prod(axis=1) for point in OMEGA], axis=1)
    z = (seen.mean(axis=0) - block_density(parts, OMEGA)[0]) / (seen.std(axis=0) / np.sqrt(len(seen)))
    assert np.abs(z).max() < norm.isf(1e-6 / 6)


def test_a_radial_and_a_coordinatewise_law_have_no_numbers_in_space() -> None:
    parts = (Spectral(Matern(nu=1.5, scale=1.0, dim=3)), Spectral(Laplace(scale=1.0, dim=3)))
    with pytest.raises(NoDensityError, match="without closed form"):
        block_density(parts, np.pad(OMEGA, ((0, 0), (0, 1))))


ONE, TWO = sympy.Integer(1), sympy.Integer(2)


def test_what_does_not_close_on_the_line_is_an_integral() -> None:
    stable = Spectral(PoweredExponential(alpha=sympy.Rational(3, 2), scale=ONE, dim=1))
    parts = (Spectral(Gaussian(scale=ONE, dim=1)), stable)
    assert isinstance(block_expression(parts, SymbolicPairs.frequency(1)), sympy.Integral)


def test_on_the_line_it_is_closed_with_the_right_value() -> None:
    parts = (Spectral(Gaussian(scale=ONE, dim=1)), Spectral(Laplace(scale=TWO, dim=1)))
    found = block_expression(parts, SymbolicPairs.frequency(1))
    assert not found.has(sympy.Integral)
    (omega,) = found.free_symbols
    value = found.subs(omega, sympy.Rational(3, 4)).evalf(12)
    assert float(value) == pytest.approx(voigt_profile(0.75, 1.0, 0.5), rel=1e-10)


def test_atoms_are_shifts_without_an_integral() -> None:
    parts = (Spectral(Cosine(by=(TWO,), dim=1)), Spectral(Gaussian(scale=ONE, dim=1)))
    found = block_expression(parts, SymbolicPairs.frequency(1))
    (omega,) = found.free_symbols
    normal = sympy.exp(-(omega**2) / 2) / sympy.sqrt(2 * sympy.pi)
    expected = (normal.subs(omega, omega - 2) + normal.subs(omega, omega + 2)) / 2
    assert all(abs(float((found - expected).subs(omega, at).evalf())) < 1e-14 for at in (0, 0.3, 2.1))


def test_products_of_atoms_are_atoms() -> None:
    parts = (Spectral(Cosine(by=(TWO,), dim=1)), Spectral(Cosine(by=(ONE,), dim=1)))
    found = block_expression(parts, SymbolicPairs.frequency(1))
    (omega,) = found.free_symbols
    assert found == sum(sympy.DiracDelta(omega - at) for at in (-3, -1, 1, 3)) / 4


def test_independent_coordinates_in_any_dimension() -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    parts = (Spectral(Gaussian(scale=ONE, dim=d)), Spectral(Laplace(scale=TWO, dim=d)))
    found = block_expression(parts, SymbolicPairs.frequency(d))
    assert isinstance(found, sympy.Product)
    assert not found.has(sympy.Integral)


@pytest.mark.long
def test_infinitely_many_atoms_are_a_sum() -> None:
    """gaussian · periodic: normal densities at the harmonics, weights from the Jacobi–Anger expansion."""
    parts = (Spectral(Periodic(period=TWO, scale=ONE, dim=1)), Spectral(Gaussian(scale=ONE, dim=1)))
    found = block_expression(parts, SymbolicPairs.frequency(1))
    assert isinstance(found, sympy.Sum)
    (omega,) = found.free_symbols
    (order, _, _) = found.limits[0]
    terms = [found.function.subs({order: n, omega: 1}).evalf() for n in range(-15, 16)]
    expected = [iv(n, 1.0) * np.exp(-1) * norm.pdf(1 - np.pi * n) for n in range(-15, 16)]
    assert float(sum(terms)) == pytest.approx(sum(expected), rel=1e-12)


def test_a_sum_with_one_open_term_shows_the_others_closed() -> None:
    stable = Spectral(PoweredExponential(alpha=sympy.Rational(3, 2), scale=ONE, dim=1))
    mixture = Mixture((Spectral(Gaussian(scale=ONE, dim=1)), stable), (ONE, TWO), 1)
    found = block_expression((mixture, Spectral(Laplace(scale=TWO, dim=1))), SymbolicPairs.frequency(1))
    assert isinstance(found, sympy.Add)
    closed = [term for term in found.args if not term.has(sympy.Integral)]
    value = closed[0].subs(next(iter(found.free_symbols)), sympy.Rational(3, 4)).evalf(12)
    assert float(value) == pytest.approx(voigt_profile(0.75, 1.0, 0.5), rel=1e-10)


def test_the_rest_is_named_and_left_alone() -> None:
    parts = (Spectral(Matern(nu=sympy.Rational(3, 2), scale=ONE, dim=2)), Spectral(Laplace(scale=ONE, dim=2)))
    assert block_expression(parts, SymbolicPairs.frequency(2)).func.__name__ == "Convolution"


@pytest.mark.slow
def test_powers_of_sums_are_multiplied_out_as_powers() -> None:
    """(cos δ + e^{−δ²/2})¹²: thirteen kinds of terms, not 4,096; what is no wave has the density of its values."""
    part = Mixture((Spectral(Cosine(dim=1, by=(ONE,))), Spectral(Gaussian(scale=ONE, dim=1))), (ONE, ONE), 1)
    found = block_expression((part,) * 12, SymbolicPairs.frequency(1))
    smooth = sympy.Add(*[term for term in sympy.Add.make_args(found) if not term.has(sympy.DiracDelta)])
    (omega,) = smooth.free_symbols
    lags = np.linspace(-12, 12, 4001)
    values = (np.cos(lags) + np.exp(-(lags**2) / 2)) ** 12 - np.cos(lags) ** 12
    for at in (0.0, 1.7, 9.2):
        expected = np.sum(values * np.cos(at * lags)) * (lags[1] - lags[0]) / (2 * np.pi)
        assert float(smooth.subs(omega, at)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("text", "dim", "expected"),
    [
        ("gaussian()*laplace()", 1, "closed"),
        ("gaussian()*laplace()*cauchy()", 1, "open"),
        ("exponential()*gaussian()", 2, "open"),
        ("exponential()*gaussian()", 3, "closed"),
        ("periodic(2)*gaussian()", 2, "series"),
        ("cosine(2)", 1, "atoms"),
        ("powered_exponential(alpha=4/5)", 1, "open"),
        ("powered_exponential(alpha=3/2)", 1, "closed"),
        ("powered_exponential(alpha=4/3)", 2, "closed"),
        ("gaussian()*laplace() + cauchy()", 1, "closed"),
    ],
)
def test_closure(text: str, dim: int, expected: str) -> None:
    assert closure(measure_of_text(text, dim)) == expected
