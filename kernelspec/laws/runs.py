"""Products within one batch: consecutive samples multiplied, so many for each sample of the product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.frequencies import run_sums
from kernelspec.samples.growth import Growth
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.keys.run_key import RunKey
from kernelspec.samples.samples import KeyFactor, Phasors, Samples, multiply

__all__ = ["multiply_runs", "ones"]


def ones(index: NDArray[np.intp]) -> Samples:
    """Samples that are 1 for all rows."""
    return Samples(index, np.ones(len(index)), np.ones(len(index)))


def multiply_runs(batches: Sequence[Samples], owner: NDArray[np.intp], n: int) -> list[Samples]:
    """∏ p_t over all t with owner_t = j, for j = 0, …, n − 1: samples 0, …, n − 1 of the product.

    The batches partition the indices t; `owner` (T,) does not decrease. A j that owns nothing is 1.
    """
    found = [ones(np.arange(n))]
    for batch in batches:
        product = _within(batch.take(np.argsort(batch.index, kind="stable")), owner)
        is_left = np.ones(n, dtype=bool)
        is_left[product.index] = False
        found = multiply(found, [product, ones(np.flatnonzero(is_left))])
    return found


def _within(batch: Samples, owner: NDArray[np.intp]) -> Samples:
    own = owner[batch.index]
    first = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]]))
    starts = np.append(first, len(own))
    return Samples(
        own[first],
        np.multiply.reduceat(batch.weight, first),
        np.multiply.reduceat(batch.sign, first),
        phasors=None if batch.phasors is None else _fused(batch.phasors, first),
        keys=tuple(_mixed(key, starts) for key in batch.keys),
        growth=None if batch.growth is None else Growth(batch.growth.columns, _added(batch.growth.rates, first)),
        amplitudes=tuple(factor.runs(starts) for factor in batch.amplitudes),
    )


def _fused(phasors: Phasors, first: NDArray[np.intp]) -> Phasors:
    return Phasors(
        phasors.columns,
        run_sums(phasors.frequencies, first),
        np.add.reduceat(phasors.left, first),
        np.add.reduceat(phasors.right, first),
    )


def _added(vectors: NDArray[np.float64], first: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(np.add.reduceat(vectors, first, axis=0))


def _mixed(key: KeyFactor, starts: NDArray[np.intp]) -> KeyFactor:
    # the categories are the same key for every draw: once is enough
    return key.take(starts[:-1]) if isinstance(key, MatchKey) else RunKey(key, starts)
