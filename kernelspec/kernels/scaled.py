"""Numbers m·e^s in two arrays, for values whose factors overflow where they themselves do not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Scaled"]


class Scaled(NamedTuple):
    """m·e^s: `mantissa` m and `exponent` s, arrays that fit each other."""

    mantissa: np.ndarray
    exponent: np.ndarray

    def times(self, other: Scaled) -> Scaled:
        """The product: exponents are added before anything is raised to them."""
        return Scaled(np.asarray(self.mantissa * other.mantissa), np.asarray(self.exponent + other.exponent))

    def to_the(self, power: int) -> Scaled:
        """A whole power."""
        return Scaled(np.asarray(self.mantissa**power), np.asarray(self.exponent * power))

    def plus(self, other: Scaled, weight: float) -> Scaled:
        """self + weight·other, with the larger exponent of the two."""
        top = np.maximum(
            np.where(self.mantissa == 0, -np.inf, self.exponent), np.where(other.mantissa == 0, -np.inf, other.exponent)
        )
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(under="ignore", over="ignore"):
            own = _product(self.mantissa, self.exponent - top)
            return Scaled(np.asarray(own + weight * _product(other.mantissa, other.exponent - top)), top)

    def value(self) -> np.ndarray:
        """m·e^s as floats: infinite only where that is beyond them, 0 where m is."""
        return _product(self.mantissa, self.exponent)


def _product(mantissa: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        half = np.exp(np.where(mantissa == 0, 0.0, exponent) / 2)  # e^s alone may overflow where m is small
        return np.asarray(mantissa * half * half)
