"""Convolutions in SymPy: what is evaluated, and what is left as it is."""

from __future__ import annotations

import pytest
import sympy
from scipy.special import voigt_profile

from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.measures.block_expression import block_expression
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.symbolic_pairs import SymbolicPairs

ONE, TWO = sympy.Integer(1), sympy.Integer(2)


def test_on_the_line_it_is_an_integral_with_the_right_value() -> None:
    parts = (Spectral(Gaussian(scale=ONE, dim=1)), Spectral(Laplace(scale=TWO, dim=1)))
    found = block_expression(parts, SymbolicPairs.frequency(1))
    assert isinstance(found, sympy.Integral)
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
    assert found.has(sympy.Integral)


def test_the_rest_is_named_and_left_alone() -> None:
    parts = (Spectral(Matern(nu=sympy.Rational(3, 2), scale=ONE, dim=2)), Spectral(Laplace(scale=ONE, dim=2)))
    assert block_expression(parts, SymbolicPairs.frequency(2)).func.__name__ == "Convolution"
