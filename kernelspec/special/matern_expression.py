"""The Matérn function in SymPy: elementary where its order is half an odd number."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kernelspec.special.matern_function import half_integer_coefficients

__all__ = ["matern_expression"]


def matern_expression(order: Any, scale: Any, distance: Any) -> Any:
    """M_ν(√(2ν) r/ℓ) with M_ν(x) = 2^{1−ν} x^ν K_ν(x) / Γ(ν): a polynomial times e^{−x} for ν = ½, 3/2, 5/2, …

    Reference: Rasmussen and Williams 2006, section 4.2.
    """
    import sympy

    nu = sympy.S(order)
    if nu.is_number and half_integer_coefficients(float(nu)) is not None:
        nu = sympy.Rational(Fraction(float(nu)))
        coefficients = [sympy.Rational(c) for c in half_integer_coefficients(float(nu)) or ()]
        x = sympy.sqrt(2 * nu) * distance / sympy.S(scale)
        powers = reversed(range(len(coefficients)))
        return sympy.Add(*[c * x**n for c, n in zip(coefficients, powers, strict=True)]) * sympy.exp(-x)
    x = sympy.sqrt(2 * nu) * distance / sympy.S(scale)
    values = 2 ** (1 - nu) * x**nu * sympy.besselk(nu, x) / sympy.gamma(nu)
    return sympy.Piecewise((1, sympy.Eq(distance, 0)), (values, True))
