"""The variance of one sample's inner product, from its second moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.laws.moments import Moments
from kernelspec.notation.arguments import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.collisions import Collisions
    from kernelspec.laws.law import Law
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.numerics.phasor import Form

__all__ = ["SampleMoments", "sample_variance"]

_ROUNDING = 2.0**-49
"""Of the second moment: what sums of a few terms are off by."""


@dataclass(frozen=True)
class SampleMoments:
    """First and second moments of one sample for some pairs of rows, from which its variance in every form follows.

    `free` are the second moments as if all keys agreed, where `collisions` add to the variance of keys.
    """

    mean: Value
    met: Moments
    free: Moments | None
    collisions: Collisions | None
    shape: tuple[int, ...]

    @classmethod
    def of(cls, law: Law, pairs: NumericPairs, collisions: Collisions | None = None) -> SampleMoments:
        """Those of a law, with `collisions` where its keys are hashed into columns."""
        with np.errstate(over="ignore", invalid="ignore"):  # a series that diverges is infinite
            hashed = collisions is not None and law.has_key
            free = law.moments(pairs.with_keys_agreeing()) if hashed else None
            return cls(law.mean(pairs), law.moments(pairs), free, collisions, pairs.shape)

    def variance(self, form: Form) -> NDArray[Any]:
        """(A + B)/2 − k² with cosine and sine, A + B/2 − k² with a random offset, k the mean of the sample.

        Complex features have the paired variance in their real part. Infinite where the second moment is.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            second = _second_moment(self.met, form)
            if self.collisions is not None and self.free is not None:
                second = self.collisions.second_moment(second, _second_moment(self.free, form))
            variance = np.broadcast_to(np.asarray(second - np.square(self.mean), dtype=float), self.shape)
            # rounding may leave ±1e-17 where the variance is zero; 0·∞, ∞ − ∞ or k² beyond floats is as bad as ∞
            variance = np.where(np.isfinite(variance), variance, np.inf)
            return np.where(np.isfinite(variance) & (variance <= _ROUNDING * np.abs(self.met.a)), 0.0, variance)


def sample_variance(law: Law, pairs: NumericPairs, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
    """Variance of one sample's inner product for the pairs given; with `collisions`, of keys hashed into columns."""
    return SampleMoments.of(law, pairs, collisions).variance(form)


def _second_moment(moments: Moments, form: Form) -> Any:
    return moments.phase() if form == "phase" else moments.paired()
