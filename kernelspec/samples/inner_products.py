"""The estimate of a batch of samples for pairs of rows, without columns: what a law does is measured by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.amplitude_values import factor_values
from kernelspec.samples.columns_read import numbers_on
from kernelspec.samples.half_angles import cosines

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["mean_products", "means_of_runs"]

_AT_ONCE = 1 << 17
"""Samples times pairs."""


def mean_products(batches: Iterable[Samples], x: Rows, y: Rows, n: int) -> NDArray[np.float64]:
    """(1/n) Σ_j Re p_j(x_i, y_i) over all samples of the batches, for pairs of rows (x_i, y_i): (pairs,)."""
    total = np.zeros(len(x))
    for batch in batches:
        if len(batch):
            total += _real_products(batch, x, y) @ (batch.weight * batch.sign)
    return total / n


def means_of_runs(batches: Iterable[Samples], x: Rows, y: Rows, n: int, runs: int) -> NDArray[np.float64]:
    """The same of each of so many draws, the samples r n, …, r n + n − 1 being those of draw r: (runs, pairs)."""
    total = np.zeros((runs, len(x)))
    for batch in batches:
        if not len(batch):
            continue
        run = batch.index // n
        order = np.argsort(run, kind="stable")
        found, first = np.unique(run[order], return_index=True)
        some = max(1, _AT_ONCE // len(batch))
        for start in range(0, len(x), some):  # what fits into the caches
            part = slice(start, start + some)
            products = _real_products(batch, x.take(part), y.take(part)) * (batch.weight * batch.sign)
            total[found, part] += np.add.reduceat(products[:, order], first, axis=1).T
    return total / n


def _real_products(batch: Samples, x: Rows, y: Rows) -> NDArray[np.float64]:
    """Re 1[keys agree] z_L(x) conj z_R(y) of every pair and sample, (pairs, samples)."""
    found = factor_values(batch, x, "left") * np.conj(factor_values(batch, y, "right"))
    for key in batch.keys:
        found = found * (key.keys(x, "left") == key.keys(y, "right"))
    if batch.phasors is None:
        return np.asarray(np.real(found))
    phasors = batch.phasors
    lag = np.asarray(_dense(numbers_on(x, phasors.columns)) - _dense(numbers_on(y, phasors.columns)), dtype=float)
    phase = lag @ phasors.frequencies.T + (phasors.left - phasors.right)
    if np.iscomplexobj(found):
        return np.asarray(np.real(found) * np.cos(phase) - np.imag(found) * np.sin(phase))
    return np.asarray(found * cosines(phase))


def _dense(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
