"""Compiled: rows times frequencies, every sum in the order of the columns. A module of compiled functions.

A library of matrix products forms the sums of one row in another order than those of its neighbour, and rounds them
otherwise. Here each sum is a chain of fused products, from the first column to the last: the bits of a row depend on it
alone, and a zero that is not stored changes none of them.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.packed_weights import ROWS
from kernelspec.numerics.panels import multiply_panel, multiply_row, multiply_sparse_panel

__all__ = ["project_block", "project_sparse_row"]

_COLUMNS = 384
"""Columns at a time: their part of a panel stays in a near cache while all rows are multiplied.

With fewer, what it saves is less than what it takes to read all sums again, which of many samples lie farther away.
"""


@compiled
def project_block(rows: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]) -> None:
    """start + Σ_k x_k weights_k for rows (m, p) into the first m of `sums`, whose height is a multiple of four.

    `weights` (panels, at least p, 256 bytes) has as many samples as `start` (panels, ·); `sums` may be wider.
    """
    (m, p), width, size = rows.shape, sums.shape[1], weights.shape[2]
    for b in range(weights.shape[0]):
        panel, begin = weights[b], start[b]
        if p == 0:
            for i in range(m):
                sums[i, b * size : (b + 1) * size] = begin
        for first in range(0, p, _COLUMNS):
            last = min(first + _COLUMNS, p)
            if m == 1:  # three more of it would take as long
                own = sums[:, b * size :]
                if first == 0:
                    multiply_row(rows, 0, m, p, first, last, panel, begin, 0, own, width)
                else:
                    multiply_row(rows, 0, m, p, first, last, panel, own, width, own, width)
                continue
            for i in range(0, m, ROWS):
                own = sums[i:, b * size :]
                if first == 0:
                    multiply_panel(rows, i, m, p, first, last, panel, begin, 0, own, width)
                else:
                    multiply_panel(rows, i, m, p, first, last, panel, own, width, own, width)


@compiled
def project_sparse_row(
    columns: NDArray[Any], numbers: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]
) -> None:
    """start + Σ_e x_e weights_{column e} for one row with its columns in order, into `sums` (n,)."""
    size = weights.shape[2]
    for b in range(weights.shape[0]):
        own = sums[b * size : (b + 1) * size]
        if numbers.shape[0]:
            multiply_sparse_panel(columns, numbers, 0, numbers.shape[0], weights[b], start[b], own)
        else:
            own[:] = start[b]
