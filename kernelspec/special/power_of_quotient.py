"""(x/s)^k without the rounding of x/s, which a high power would multiply."""

from __future__ import annotations

import numpy as np

__all__ = ["power_of_quotient"]

_SPLITTER = 2.0**27 + 1


def power_of_quotient(x: np.ndarray, scale: float, power: float) -> np.ndarray:
    """(x/s)^k for x ≥ 0, s = `scale` > 0, k = `power` > 0, to a few roundings whatever k.

    The remainder of the division is exact in two floats [Dekker 1971], and corrects the power to first order. Where
    x is next to the ends of the range of floats there is no correction.
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        quotient = x / scale
        result = quotient**power
        if scale == 1 or power == 1:
            return np.asarray(result)
        product = quotient * scale
        high, scale_high = _leading_half(quotient), _leading_half(np.float64(scale))
        low, scale_low = quotient - high, scale - scale_high
        error = ((high * scale_high - product) + high * scale_low + low * scale_high) + low * scale_low
        remainder = ((x - product) - error) / x
    usable = (x > 1e-250) & (x < 1e250) & (product > 1e-250) & (quotient > 1e-250) & (quotient < 1e250)
    return np.asarray(np.where(usable, result * (1 + power * np.where(usable, remainder, 0.0)), result))


def _leading_half(x: np.ndarray | np.float64) -> np.ndarray | np.float64:
    """The leading 26 bits."""
    shifted = _SPLITTER * x
    return shifted - (shifted - x)
