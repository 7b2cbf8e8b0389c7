"""Whole numbers: which of them floats hold, and which floats are surely one and not another that was rounded."""

from __future__ import annotations

from decimal import Decimal
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EXACT", "exact_whole", "has_large_integers", "is_surely_whole", "surely_whole"]

EXACT = 2**53
"""Floats hold every whole number up to here, and not every one beyond."""

_LONGEST = 10_000
"""Digits of the longest Decimal that is looked at exactly."""


def surely_whole(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Which floats of an array are whole numbers, and no others that were rounded when they became floats.

    Those whose size is below 2⁵³ in float64, 2²⁴ in float32 and 2¹¹ in float16: 2⁵³ + 1 is rounded to 2⁵³, so that
    whoever meets this one cannot tell which of the two it was.
    """
    below = min(EXACT, 2 ** (int(np.finfo(numbers.dtype).nmant) + 1))  # longer floats are read as float64
    with np.errstate(invalid="ignore"):
        return np.asarray((numbers == np.floor(numbers)) & (np.abs(numbers) < below))


def is_surely_whole(value: Any) -> bool:
    """Whether a number is a whole one, and no other that was rounded: only floats may be."""
    if isinstance(value, float | np.floating):
        return bool(surely_whole(np.asarray(value)))
    return exact_whole(value) is not None


def exact_whole(value: Any) -> int | None:
    """The whole number that an integer, Decimal or fraction is; None for one that is none, or beyond 10^10000."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if abs(value.adjusted()) <= _LONGEST and value == value.to_integral_value() else None
    return int(value.numerator) if isinstance(value, Rational) and value.denominator == 1 else None


def has_large_integers(values: NDArray[Any]) -> bool:
    """Whether there are integers that floats may not tell apart."""
    return values.dtype.kind in "iu" and values.size > 0 and (values.max() > EXACT or values.min() < -EXACT)
