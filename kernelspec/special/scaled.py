"""Numbers m·e^s in two arrays, for values whose factors overflow where they themselves do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernelspec.special.floats import floats

__all__ = ["Scaled"]


_TINY, _SMALLEST = 1e-30, 1e-290


class Scaled(NamedTuple):
    """m·e^s: `mantissa` m and `exponent` s, arrays that fit each other."""

    mantissa: np.ndarray
    exponent: np.ndarray

    def times(self, other: Scaled) -> Scaled:
        """The product: exponents are added before anything is raised to them."""
        return Scaled(floats(self.mantissa * other.mantissa), floats(self.exponent + other.exponent))

    def to_the(self, power: int) -> Scaled:
        """A whole power."""
        return Scaled(floats(self.mantissa**power), floats(self.exponent * power))

    def plus(self, other: Scaled, weight: float) -> Scaled:
        """self + weight·other, with the larger exponent of the two."""
        top = np.maximum(
            np.where(self.mantissa == 0, -np.inf, self.exponent), np.where(other.mantissa == 0, -np.inf, other.exponent)
        )
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(under="ignore", over="ignore"):
            own = _product(self.mantissa, self.exponent - top)
            return Scaled(floats(own + weight * _product(other.mantissa, other.exponent - top)), top)

    @classmethod
    def of(cls, values: np.ndarray) -> Scaled:
        """Floats as they are; the tiny ones in [½, 1) times a power of two, so that products do not underflow."""
        values = np.asarray(values, dtype=float)
        tiny = (np.abs(values) < _TINY) & (values != 0)
        mantissa, binary = np.frexp(values)
        return cls(np.where(tiny, mantissa, values), np.where(tiny, binary * np.log(2), 0.0))

    def value(self) -> np.ndarray:
        """m·e^s as floats: infinite only where that is beyond them, 0 where m is."""
        return _product(self.mantissa, self.exponent)


def far_out(values: np.ndarray, lags: np.ndarray, logarithm: Callable[[np.ndarray], np.ndarray]) -> Scaled:
    """Values that are not negative, with ln f where they are too small for a float to have all its digits."""
    found = Scaled.of(values)
    small = np.asarray(values) < _SMALLEST
    if not small.any():
        return found
    far, places = np.unique(np.broadcast_to(lags, small.shape)[small], return_inverse=True)
    mantissa, exponent = np.array(found.mantissa), np.array(found.exponent)
    mantissa[small], exponent[small] = 1.0, logarithm(far)[places]
    zero = np.isneginf(exponent)
    return Scaled(np.where(zero, 0.0, mantissa), np.where(zero, 0.0, exponent))


def _product(mantissa: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        half = np.exp(np.where(mantissa == 0, 0.0, exponent) / 2)  # e^s alone may overflow where m is small
        return floats(mantissa * half * half)
