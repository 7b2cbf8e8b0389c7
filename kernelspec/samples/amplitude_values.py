"""The amplitudes of a batch of samples for some rows, one side at a time, without columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.columns_read import numbers_on
from kernelspec.samples.frequencies import products
from kernelspec.samples.half_angles import phasors

if TYPE_CHECKING:
    from kernelspec.samples.samples import Samples, Side
    from kernelspec.tables.rows import Rows

__all__ = ["amplitude_values", "factor_values", "has_sides"]


def factor_values(batch: Samples, rows: Rows, side: Side) -> NDArray[Any]:
    """The product of the real exponentials and further factors of z_L or z_R, phasors left out: (rows, samples)."""
    found: NDArray[Any] = np.ones((len(rows), len(batch)))
    for factor in batch.amplitudes:
        found = found * factor.values(rows, side)
    if batch.growth is not None:
        factors, which = batch.growth.factors(rows, side, np.dtype(np.float64))
        found = found * factors[:, which]
    return found


def amplitude_values(batch: Samples, rows: Rows, side: Side) -> NDArray[Any]:
    """√weight times z_L or z_R of every row and sample, (rows, samples): complex where the samples are.

    A sample is p(x, y) = sign · left(x) · conj right(y). Raises ValueError for samples with keys, which are no products
    of a function of x and one of y.
    """
    if batch.keys:
        raise ValueError("samples with keys are no products of amplitudes")
    sizes = np.sqrt(batch.weight)
    if batch.phasors is None:
        return factor_values(batch, rows, side) * sizes
    numbers = numbers_on(rows, batch.phasors.columns)
    offsets = batch.phasors.left if side == "left" else batch.phasors.right
    turned = phasors(np.asarray(products(numbers, batch.phasors.frequencies) + offsets, dtype=float))
    is_plain = not batch.amplitudes and batch.growth is None
    turned *= sizes if is_plain else factor_values(batch, rows, side) * sizes
    return turned


def has_sides(batch: Samples) -> bool:
    """Whether some sample says another thing of a row as x than as y in k(x, y)."""
    turned = batch.phasors is not None and bool((batch.phasors.left != batch.phasors.right).any())
    grown = batch.growth is not None and bool((batch.growth.rates != 0).any())
    return turned or grown or any(key.has_sides for key in batch.keys) or any(own.has_sides for own in batch.amplitudes)
