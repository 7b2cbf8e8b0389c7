"""Compiled: Fourier features of a block of rows. All arrays are C-contiguous. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.projection_kernels import project_block, project_sparse_row
from kernelspec.numerics.turns import write_cosines, write_pairs

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
    turns: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write a cos 2πt of rows (m, p) and n samples into `out` (m, n), and a sin 2πt beside it (m, 2n) if `paired`.

    t = offset + x·weights. The samples stand in tiles: `weights` (tiles, p filled up to a multiple of four, tile),
    `offsets` and the amplitudes `sizes` (tiles, tile). `turns` (rows at a time, tile) is memory to work in.
    """
    height, tile = turns.shape
    for top in range(0, rows.shape[0], height):
        some = rows[top : min(top + height, rows.shape[0])]
        for b in range(weights.shape[0]):
            project_block(some, weights[b], offsets[b], turns)
            first = b * tile
            last = min(first + tile, n)
            for i in range(some.shape[0]):
                line = out[top + i]
                if paired:
                    write_pairs(turns[i], sizes[b], coefficients, line[first:last], line[n + first : n + last])
                else:
                    write_cosines(turns[i], sizes[b], coefficients, line[first:last])


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
    turns: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """The same bits for rows in CSR format whose columns are in order, from `pointers` (m + 1,) on."""
    tile = turns.shape[1]
    for i in range(out.shape[0]):
        own, line = slice(pointers[i], pointers[i + 1]), out[i]
        for b in range(weights.shape[0]):
            project_sparse_row(columns[own], numbers[own], weights[b], offsets[b], turns[0])
            first = b * tile
            last = min(first + tile, n)
            if paired:
                write_pairs(turns[0], sizes[b], coefficients, line[first:last], line[n + first : n + last])
            else:
                write_cosines(turns[0], sizes[b], coefficients, line[first:last])
