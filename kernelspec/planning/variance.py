"""Predicted variance of a feature map's inner products, by the (A, B) recursion over the kernel tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.phasor import Form
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.planning.collisions import Collisions
from kernelspec.planning.strata import Stratum

__all__ = ["estimate_variance", "sample_variance"]


def sample_variance(
    stratum: Stratum, pairs: NumericPairs, form: Form, collisions: Collisions | None = None
) -> NDArray[Any]:
    """Variance of one sample's inner product for the pairs given.

    (A + B)/2 − k² with cosine and sine, A + B/2 − k² with a random offset; complex features have the
    paired variance in their real part. With `collisions`, that of keys hashed into columns.
    """
    second = _second_moment(stratum, pairs, form)
    if collisions is not None and stratum.sampler().has_key:
        second = collisions.second_moment(second, _second_moment(stratum, pairs.with_keys_agreeing(), form))
    variance = second - np.square(stratum.value(pairs))
    # rounding may leave −1e-17 where the variance is zero
    return np.asarray(np.maximum(np.broadcast_to(np.asarray(variance, dtype=float), pairs.shape), 0.0))


def estimate_variance(
    parts: Sequence[tuple[Stratum, int]], pairs: NumericPairs, form: Form, collisions: Collisions | None = None
) -> NDArray[Any]:
    """Variance of the whole estimate: Σ w² Var / n over strata with n samples each."""
    total = np.zeros(pairs.shape)
    for stratum, n in parts:
        total += stratum.weight**2 / n * sample_variance(stratum, pairs, form, collisions)
    return total


def _second_moment(stratum: Stratum, pairs: NumericPairs, form: Form) -> Any:
    moments = stratum.moments(pairs)
    return moments.phase() if form == "phase" else moments.paired()
