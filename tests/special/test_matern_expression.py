"""The Matérn function in SymPy against mpmath."""

from __future__ import annotations

import mpmath
import pytest
import sympy

from kernelspec.special.matern_function import matern_expression


@pytest.mark.parametrize("order", [0.5, 1.5, 2.5, 0.3, 2.0])
@pytest.mark.parametrize("distance", [0.1, 1.0, 7.5])
def test_against_bessel_functions(order: float, distance: float) -> None:
    x = mpmath.sqrt(2 * mpmath.mpf(order)) * distance / 2
    expected = mpmath.mpf(2) ** (1 - order) * x**order * mpmath.besselk(order, x) / mpmath.gamma(order)
    found = sympy.N(matern_expression(order, 2, sympy.Float(distance, 30)), 25)
    assert abs(found - expected) < 1e-14 * expected


def test_half_odd_orders_are_elementary_and_others_one_at_zero() -> None:
    r = sympy.Symbol("r", positive=True)
    assert matern_expression(sympy.Rational(1, 2), 1, r) == sympy.exp(-r)
    assert matern_expression(sympy.Rational(1, 3), 1, 0) == 1
