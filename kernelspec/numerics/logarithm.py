"""Compiled: the natural logarithm, with the same bits on every processor. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelspec.numerics.compiled import compiled

__all__ = ["logarithm"]

_ROOT_OF_HALF = np.uint64(0x3FE6A09E00000000)
_TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E00000000)
_MANTISSA, _52 = np.uint64(0x000FFFFFFFFFFFFF), np.uint64(52)
_LEAST_NORMAL, _LIFT = 2.0**-1022, 2.0**54
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_C1, _C2, _C3, _C4, _C5, _C6, _C7 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


@compiled
def logarithm(x: Any) -> Any:
    """ln x for a positive finite float64, subnormal ones too, to within one unit in the last place.

    x = 2^e (1 + f) with 1 + f between √½ and √2, and a minimax polynomial in s² = (f/(2 + f))². The libraries of
    different machines round differently, and a sample that is hashed must not. [FreeBSD msun, e_log.c]
    """
    lift = 0.0
    if x < _LEAST_NORMAL:
        x, lift = x * _LIFT, -54.0
    word = np.float64(x).view(np.uint64) + _TO_ONE
    exponent = np.float64(np.int64(word >> _52) - 1023) + lift
    f = np.uint64((word & _MANTISSA) + _ROOT_OF_HALF).view(np.float64) - 1.0
    s = np.divide(f, 2.0 + f)
    z = s * s
    w = z * z
    rest = z * (_C1 + w * (_C3 + w * (_C5 + w * _C7))) + w * (_C2 + w * (_C4 + w * _C6))
    half = 0.5 * f * f
    return exponent * _LN2_HIGH - ((half - (s * (half + rest) + exponent * _LN2_LOW)) - f)
