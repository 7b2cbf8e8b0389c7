"""The variance of one sample's inner product, from its second moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.laws.collisions import Collisions
    from kernelspec.laws.law import Law
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.numerics.phasor import Form

__all__ = ["sample_variance"]


def sample_variance(law: Law, pairs: NumericPairs, form: Form, collisions: Collisions | None = None) -> NDArray[Any]:
    """Variance of one sample's inner product for the pairs given.

    (A + B)/2 − k² with cosine and sine, A + B/2 − k² with a random offset, k the mean of the sample; complex features
    have the paired variance in their real part. With `collisions`, that of keys hashed into columns. Infinite where the
    second moment is.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a series that diverges is infinite
        second = _second_moment(law, pairs, form)
        if collisions is not None and law.has_key:
            second = collisions.second_moment(second, _second_moment(law, pairs.with_keys_agreeing(), form))
        variance = np.broadcast_to(np.asarray(second - np.square(law.mean(pairs)), dtype=float), pairs.shape)
        # rounding may leave −1e-17 where the variance is zero; 0·∞ or ∞ − ∞ is as bad as ∞
        return np.where(np.isnan(variance), np.inf, np.maximum(variance, 0.0))


def _second_moment(law: Law, pairs: NumericPairs, form: Form) -> Any:
    moments = law.moments(pairs)
    return moments.phase() if form == "phase" else moments.paired()
