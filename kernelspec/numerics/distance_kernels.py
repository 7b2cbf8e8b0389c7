"""Compiled: sums of differences of rows, each in the order of the columns. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.packed_weights import ROWS
from kernelspec.numerics.panels import add_absolute_differences, add_squared_differences

__all__ = ["add_differences"]

_COLUMNS = 64
"""Columns at a time: their part of a panel stays in the processor's nearest cache while all rows are compared."""


@compiled
def add_differences(rows: NDArray[Any], others: NDArray[Any], squared: Any, sums: NDArray[Any]) -> None:
    """Add Σ_k (x_k − y_k)² of rows (m, p) and others in panels (·, p, 256 bytes) to `sums`, or Σ |x_k − y_k|.

    The height of `sums` is a multiple of four, its width that of all panels.
    """
    (m, p), width, size = rows.shape, sums.shape[1], others.shape[2]
    for b in range(others.shape[0]):
        for first in range(0, p, _COLUMNS):
            last = min(first + _COLUMNS, p)
            for i in range(0, m, ROWS):
                own = sums[i:, b * size :]
                if squared:
                    add_squared_differences(rows, i, m, p, first, last, others[b], own, width, own, width)
                else:
                    add_absolute_differences(rows, i, m, p, first, last, others[b], own, width, own, width)
