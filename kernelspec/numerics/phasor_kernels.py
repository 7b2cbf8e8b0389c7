"""Compiled: Fourier features of a block of rows."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.projection_kernels import count_beyond, project_block, project_sparse_row
from kernelspec.numerics.turns import write_turns

__all__ = ["write_rows", "write_sparse_rows"]


@compiled
def write_rows(
    rows: NDArray[Any],
    weights: NDArray[Any],
    offsets: NDArray[Any],
    sizes: NDArray[Any],
    n: int,
    paired: Any,
    coefficients: Any,
    most: float,
    turns: NDArray[Any],
    out: NDArray[Any],
) -> int:
    """Write a cos 2πt of rows (m, p) and n samples into `out` (m, n), and a sin 2πt beside it (m, 2n) if `paired`.

    t = offset + x·weights. The samples stand in panels: `weights` (panels, p or 1, panel), `offsets` and the amplitudes
    `sizes` (panels, panel). `turns` (rows at a time, a multiple of four; samples at a time, a number of panels) is
    memory to work in. Returns how many numbers of the rows are not at most `most` in size.
    """
    (height, size), panel, beyond = turns.shape, weights.shape[2], 0
    for top in range(0, rows.shape[0], height):
        some = rows[top : min(top + height, rows.shape[0])]
        beyond += count_beyond(some.reshape(-1), most)
        for first in range(0, n, size):
            own = slice(first // panel, min((first + size) // panel, weights.shape[0]))
            project_block(some, weights[own], offsets[own], turns)
            write_turns(turns, sizes[own].reshape(-1), coefficients, paired, first, out[top : top + some.shape[0]])
    return beyond


@compiled
def write_sparse_rows(
    pointers: NDArray[Any],
    columns: NDArray[Any],
    numbers: NDArray[Any],
    weights: NDArray[Any],
    offsets: NDArray[Any],
    sizes: NDArray[Any],
    n: int,
    paired: Any,
    coefficients: Any,
    most: float,
    turns: NDArray[Any],
    out: NDArray[Any],
) -> int:
    """The same bits for rows in CSR format whose columns are in order, from `pointers` (m + 1,) on."""
    size, panel = turns.shape[1], weights.shape[2]
    for i in range(out.shape[0]):
        entries = slice(pointers[i], pointers[i + 1])
        for first in range(0, n, size):
            own = slice(first // panel, min((first + size) // panel, weights.shape[0]))
            project_sparse_row(columns[entries], numbers[entries], weights[own], offsets[own], turns[0])
            amplitudes = sizes[own].reshape(-1)
            write_turns(turns, amplitudes, coefficients, paired, first, out[i : i + 1])
    return count_beyond(numbers[pointers[0] : pointers[-1]], most)
