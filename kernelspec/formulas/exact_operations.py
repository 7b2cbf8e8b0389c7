"""Operations on exact numbers that have an exact result, not too long to be written down."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, prod

__all__ = ["exact_power", "exact_root", "fold"]

_LARGEST_EXPONENT = 64
_MOST_BITS = 256
"""Of numerator and denominator: 77 digits, which a spec may write."""


def fold(name: str, values: Sequence[Fraction]) -> Fraction | None:
    """The exact result of an operation; None where it is not rational, does not exist or is too long."""
    result = _result(name, values)
    if result is None or max(abs(result.numerator).bit_length(), result.denominator.bit_length()) > _MOST_BITS:
        return None
    return result


def _result(name: str, values: Sequence[Fraction]) -> Fraction | None:
    match name:
        case "sum":
            return sum(values, Fraction(0))
        case "negation":
            return -values[0]
        case "product":
            return prod(values, start=Fraction(1))
        case "quotient":
            return values[0] / values[1] if values[1] else None
        case "power":
            return exact_power(values[0], values[1])
        case "abs":
            return abs(values[0])
        case "max":
            return max(values)
        case "min":
            return min(values)
    return None


def exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base ** exponent for whole exponents of moderate size."""
    if exponent.denominator != 1 or abs(exponent) > _LARGEST_EXPONENT or (base == 0 and exponent < 0):
        return None
    if max(abs(base.numerator).bit_length(), base.denominator.bit_length()) > _MOST_BITS:
        return None
    return base ** int(exponent)


def exact_root(value: Fraction) -> Fraction | None:
    """√value where it is rational."""
    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None
