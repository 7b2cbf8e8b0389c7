"""The estimate of a batch of samples for pairs of rows, without columns: what a law does is measured by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.factor import factor_values
from kernelspec.samples.frequencies import numbers_on
from kernelspec.samples.growth import cosines, phasors
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples
    from kernelspec.tables.rows import Rows

__all__ = ["mean_products", "means_of_runs"]

_AT_ONCE = 1 << 17
"""Products of pairs and samples in one go: what is computed of them in ten steps stays in the processor's cache."""


def mean_products(batches: Iterable[Samples], x: Rows, y: Rows, n: int) -> NDArray[np.float64]:
    """(1/n) Σ_j Re p_j(x_i, y_i) over all samples of the batches, for pairs of rows (x_i, y_i): (pairs,)."""
    total = np.zeros(len(x))
    for batch in batches:
        if len(batch):
            total += (batch.weight * batch.sign) @ _real_products(batch, x, y)
    return total / n


def means_of_runs(batches: Iterable[Samples], x: Rows, y: Rows, n: int, runs: int) -> NDArray[np.float64]:
    """The same of each of so many draws, the samples r n, …, r n + n − 1 being those of draw r: (runs, pairs)."""
    total = np.zeros((runs, len(x)))
    for batch in batches:
        if not len(batch):
            continue
        run, weights = batch.index // n, batch.weight * batch.sign
        order = None if (run[1:] >= run[:-1]).all() else np.argsort(run, kind="stable")
        found, first = np.unique(run if order is None else run[order], return_index=True)
        products = _real_products(batch, x, y)
        if order is None and len(found) == runs and (np.diff(first, append=len(batch)) == n).all():  # n of each draw
            total += (weights.reshape(runs, 1, n) @ products.reshape(runs, n, len(x)))[:, 0]
            continue
        products *= weights[:, None]
        total[found] += np.add.reduceat(products if order is None else products[order], first, axis=0)
    return total / n


def _real_products(batch: Samples, x: Rows, y: Rows) -> NDArray[np.float64]:
    """Re 1[keys agree] z_L(x) conj z_R(y) of every pair and sample, (samples, pairs)."""
    found: NDArray[Any] | None = None
    if batch.amplitudes or batch.growth is not None:
        found = (factor_values(batch, x, "left") * np.conj(factor_values(batch, y, "right"))).T
    for key in batch.keys:
        agree = np.broadcast_to((key.keys(x, "left") == key.keys(y, "right")).T, (len(batch), len(x)))
        found = agree if found is None else found * agree
    if batch.phasors is None:
        return np.ones((len(batch), len(x))) if found is None else np.array(np.real(found), dtype=float, order="C")
    drawn = batch.phasors
    lag = np.asarray(_dense(numbers_on(x, drawn.columns)) - _dense(numbers_on(y, drawn.columns)), dtype=float)
    offsets = (drawn.left - drawn.right)[:, None]
    products = np.empty((len(batch), len(x)))
    frequencies = drawn.frequencies
    turned = frequencies.products(lag).T if isinstance(frequencies, HadamardFrequencies) else None
    step = max(1, _AT_ONCE // max(1, len(x)))
    for start in range(0, len(batch), step):
        part = slice(start, start + step)
        phase = (frequencies[part] @ lag.T if turned is None else turned[part]) + offsets[part]
        own = None if found is None else found[part]
        if own is not None and np.iscomplexobj(own):
            wave = phasors(phase)
            products[part] = np.real(own) * wave.real - np.imag(own) * wave.imag
        else:
            products[part] = cosines(phase) if own is None else own * cosines(phase)
    return products


def _dense(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers if isinstance(numbers, np.ndarray) else numbers.toarray()
