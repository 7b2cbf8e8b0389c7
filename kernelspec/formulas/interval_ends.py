"""Ends of intervals: the next float outwards, and elementary functions with their limits."""

from __future__ import annotations

import math

__all__ = ["above", "below", "exp_of", "log_of", "power_of", "product_below"]


def below(x: float) -> float:
    """The next float below; 0 and −∞ stay, which are exact or open."""
    return x if x in (0, -math.inf) else math.nextafter(x, -math.inf)


def above(x: float, *, attained: bool = True) -> float:
    """The next float above; ∞ stays, and 0 does unless it is only a bound."""
    if x == 0 and attained:
        return x
    return x if x == math.inf else math.nextafter(x, math.inf)


def product_below(a: float, b: float) -> float:
    """A float at or below a·b, where 0·∞ is 0 because ∞ is not attained."""
    if a == 0 or b == 0:
        return 0.0
    product = a * b
    if product == 0:  # too small for a float
        return 0.0 if (a > 0) == (b > 0) else -math.ulp(0.0)
    return below(product)


def power_of(x: float, p: float) -> float:
    """xᵖ for x ≥ 0, with 0 and ∞ as limits."""
    if p == 0 or x == 1:
        return 1.0
    if x == 0:
        return 0.0 if p > 0 else math.inf
    try:
        return float(x**p)
    except OverflowError:
        return math.inf


def exp_of(x: float) -> float:
    """eˣ, ∞ beyond the largest float."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log_of(x: float) -> float:
    """log x for x ≥ 0, −∞ at 0."""
    return -math.inf if x == 0 else x if x == math.inf else math.log(x)
