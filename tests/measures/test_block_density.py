"""Tests of `measures/block_density.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import iv, voigt_profile
from scipy.stats import norm

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.discrete import Cosine, Periodic
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern, PoweredExponential
from kernelspec.measures.block_density import block_expression, closure
from kernelspec.measures.measure import Spectral
from kernelspec.measures.mixture import Mixture
from tests.measures.algebra.referees import measure_of_text

ONE, TWO = sympy.Integer(1), sympy.Integer(2)


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
        ("gaussian()*laplace()", 1, "closed"), ("gaussian()*laplace()*cauchy()", 1, "open"),
        ("exponential()*gaussian()", 2, "open"), ("exponential()*gaussian()", 3, "closed"),
        ("periodic(2)*gaussian()", 2, "series"), ("cosine(2)", 1, "atoms"),
        ("powered_exponential(alpha=4/5)", 1, "open"), ("powered_exponential(alpha=3/2)", 1, "closed"),
        ("powered_exponential(alpha=4/3)", 2, "closed"), ("gaussian()*laplace() + cauchy()", 1, "closed"),
    ],
)  # fmt: skip
def test_closure(text: str, dim: int, expected: str) -> None:
    assert closure(measure_of_text(text, dim)) == expected
