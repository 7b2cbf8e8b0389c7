"""Convolutions in SymPy: what is evaluated, and what is left as it is."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import iv, voigt_profile
from scipy.stats import norm

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.kernels.leaves.powered_exponential import PoweredExponential
from kernelspec.measures.block_density import block_expression
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.spectral import Spectral

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
