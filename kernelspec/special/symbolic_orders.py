"""Orders in SymPy that it would write as factorials of a billion, sums of a thousand terms, or exact powers of them."""

from __future__ import annotations

from typing import Any

from kernelspec.limits import MAX_SHAPE

__all__ = ["as_exponent", "exponential_integral", "gamma_function", "lower_gamma", "upper_gamma"]

_MOST_TERMS = 20

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
    return not order.is_number or bool(abs(order) <= _MOST_TERMS)
