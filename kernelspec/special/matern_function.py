"""The Matérn function x^ν K_ν(x), in numbers and in SymPy, and orders that SymPy would expand without end."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial, gamma, lgamma
from typing import Any

import numpy as np

from kernelspec.limits import MAX_SHAPE
from kernelspec.special.elementary import floats, log_gamma_ratio, stirling_remainder

__all__ = [
    "as_exponent",
    "exponential_integral",
    "gamma_function",
    "half_integer_coefficients",
    "log_bessel_density",
    "lower_gamma",
    "matern_expression",
    "matern_factors",
    "matern_function",
    "upper_gamma",
]

_MOST_FACTORS = 20

_LARGEST_EXACT = 10**5
"""An exponent: 2**10**5 has thirty thousand digits."""


def as_exponent(order: Any) -> Any:
    """The number as an exponent: a decimal where it is so large that the exact power of a rational may never end."""
    import sympy

    return sympy.Float(order, 17) if order.is_Rational and abs(order) > _LARGEST_EXACT else order


def gamma_function(order: Any) -> Any:
    """Γ(a), left as it is for a beyond the largest shape of a law, whose factorial may never end."""
    import sympy

    return sympy.gamma(order, evaluate=not order.is_number or bool(abs(order) <= MAX_SHAPE + 1))


def lower_gamma(order: Any, x: Any) -> Any:
    """γ(a, x), which SymPy writes as a sum of a terms for whole and half orders: left as it is for a beyond 20."""
    import sympy

    return sympy.lowergamma(order, x, evaluate=_is_short(order))


def upper_gamma(order: Any, x: Any) -> Any:
    """Γ(a, x), left as it is for orders beyond 20."""
    import sympy

    return sympy.uppergamma(order, x, evaluate=_is_short(order))


def exponential_integral(order: Any, x: Any) -> Any:
    """E_a(x) = x^{a−1} Γ(1 − a, x), left as it is for orders beyond 20."""
    import sympy

    return sympy.expint(order, x, evaluate=_is_short(order))


def _is_short(order: Any) -> bool:
    return not order.is_number or bool(abs(order) <= _MOST_FACTORS)


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


_LARGE_ORDER = 30.0
_TERMS = 12
_MOST_TERMS = 12


def matern_function(order: float, x: np.ndarray) -> np.ndarray:
    """M_ν(x), ν > 0, x ≥ 0, with M_ν(0) = 1: relative error a few 1e-14, 1e-13 at the smallest values for ν > 30.

    Half-integer orders are an exponential times a polynomial with positive coefficients; orders above 30
    use Debye's uniform expansion [DLMF 10.41.4] with Stirling's formula cancelled by hand.
    """
    x = floats(x)
    coefficients = half_integer_coefficients(order)
    if coefficients is not None:
        bounded = np.minimum(x, 1e6)
        values = floats(np.polyval([float(c) for c in coefficients], bounded) * np.exp(-bounded))
    elif order > _LARGE_ORDER:
        factor, exponent = _debye(order, x)
        values = factor * np.exp(exponent)
    else:
        values = _bessel(order, x)
    return np.where(x == 0, 1.0, np.minimum(values, 1.0))


def matern_factors(order: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a and s with M_ν(x) = a eˢ, ν > 0, x ≥ 0, to a relative 1e-13 up to x = 1e6; neither over- nor underflows.

    s is −x, but for large orders, of which M_ν(x) eˣ is no float: there the exponent of Debye's expansion.
    """
    x = np.asarray(x, dtype=float)
    coefficients = half_integer_coefficients(order)
    if coefficients is None and order > _LARGE_ORDER:
        series, exponent = _debye(order, x)
        return np.where(x == 0, 1.0, series), np.where(x == 0, 0.0, exponent)
    bounded = np.minimum(x, 1e6)
    if coefficients is not None:
        return np.asarray(np.polyval([float(c) for c in coefficients], bounded)), -x
    return np.where(bounded == 0, 1.0, _bessel(order, bounded, scaled=True)), -x


def log_bessel_density(shape: float, x: np.ndarray, dim: int) -> np.ndarray:
    """ln of (2/Γ(α)) (x/2)^λ K_λ(x) with λ = α − dim/2; infinite at x = 0 for λ ≤ 0.

    With τ ~ Gamma(α, 1) it is E[τ^{−dim/2} exp(−x²/4τ)], the shape of every gamma mixture of Gaussians.
    """
    x = np.asarray(x, dtype=float)
    order = shape - dim / 2
    with np.errstate(divide="ignore"):
        if order == 0:
            from scipy.special import k0e

            return np.asarray(np.log(2 * k0e(x)) - x - lgamma(shape))
        values = log_gamma_ratio(shape, abs(order) - shape) + np.log(matern_function(abs(order), x))
        return np.asarray(values if order > 0 else values + 2 * order * np.log(x / 2))


def half_integer_coefficients(order: float) -> tuple[Fraction, ...] | None:
    """Coefficients, highest power first, of e^x M_ν(x) for ν = n + ½ up to 12½; None for other orders."""
    twice = 2 * Fraction(order) if np.isfinite(order) else Fraction(0)
    if twice.denominator != 1 or twice % 2 != 1 or twice > 2 * _MOST_TERMS + 1:
        return None
    n = (int(twice) - 1) // 2
    return tuple(
        Fraction(factorial(n) * factorial(n + i) * 2 ** (n - i), factorial(2 * n) * factorial(i) * factorial(n - i))
        for i in range(n + 1)
    )


def _bessel(order: float, x: np.ndarray, *, scaled: bool = False) -> np.ndarray:
    from scipy.special import kve

    bounded = np.clip(x, 1e-300, 1e6)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # factor by factor: the sum of their logarithms would lose digits where they are large and cancel
        mantissa = 2 / gamma(order) * (np.power(bounded / 2, order) * kve(order, bounded))
        # the Bessel function overflows only where M differs from 1 by less than a rounding
        if scaled:
            return np.asarray(np.where(np.isfinite(mantissa), mantissa, np.exp(np.minimum(bounded, 1.0))))
        values = mantissa * np.exp(-bounded)
    return np.where(np.isfinite(values), values, 1.0)


def _debye(order: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a and s with M_ν(x) = a eˢ."""
    z = np.minimum(x / order, 1e150)
    root = np.sqrt(1 + z * z)
    excess = z * (z / (1 + root))  # root − 1
    series = np.zeros_like(x)
    for k, coefficients in reversed(list(enumerate(_debye_polynomials()))):
        series += (-1 / order) ** k * np.polyval(coefficients, 1 / root)
    exponent = order * (np.log1p(excess / 2) - excess) - 0.5 * np.log1p(excess) - stirling_remainder(order)
    return series, exponent


@cache
def _debye_polynomials() -> tuple[tuple[float, ...], ...]:
    """u_0, u_1, …, highest power first, from their recurrence [DLMF 10.41.9]."""
    polynomials = [[Fraction(1)]]
    for _ in range(_TERMS):
        u = polynomials[-1]
        new = [Fraction(0)] * (len(u) + 3)
        for power, c in enumerate(u):
            new[power + 1] += c * (Fraction(power, 2) + Fraction(1, 8 * (power + 1)))
            new[power + 3] -= c * (Fraction(power, 2) + Fraction(5, 8 * (power + 3)))
        polynomials.append(new)
    return tuple(tuple(float(c) for c in reversed(u)) for u in polynomials)
