"""The non-negative parts of a cosine or a sine: what a Gaussian density is multiplied with in complex measures."""

from __future__ import annotations

from enum import Enum

import numpy as np

__all__ = ["WavePart"]


class WavePart(Enum):
    """A function of an angle: max(±w, 0) or |w|, w the cosine or the sine.

    `odd` says that w is the sine; `sign` is +1 or −1 for max(±w, 0) and 0 for |w|.
    """

    POSITIVE_COSINE = (False, 1)
    NEGATIVE_COSINE = (False, -1)
    ABSOLUTE_COSINE = (False, 0)
    POSITIVE_SINE = (True, 1)
    NEGATIVE_SINE = (True, -1)
    ABSOLUTE_SINE = (True, 0)

    def __init__(self, odd: bool, sign: int) -> None:
        self.odd = odd
        self.sign = sign

    @property
    def symmetric(self) -> bool:
        """Whether the part of an angle is that of its negative: all but max(±sin, 0)."""
        return not self.odd or self.sign == 0

    @property
    def vanishes(self) -> bool:
        """Whether the part is zero at the angle zero."""
        return self.odd or self.sign < 0

    def values(self, angle: np.ndarray) -> np.ndarray:
        """The part at angles of any shape."""
        wave = np.sin(angle) if self.odd else np.cos(angle)
        return np.asarray(np.abs(wave) if self.sign == 0 else np.maximum(self.sign * wave, 0.0))
