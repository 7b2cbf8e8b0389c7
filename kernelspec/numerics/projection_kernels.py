"""Compiled: rows times a panel of weights, distances of rows, and a count of numbers that need a second look.

A panel is the unit of multiplication: for each data column, the weights of as many samples as fit into 256 bytes. Every
sum is a chain of fused products from the first column to the last, so its bits depend on its row and sample alone, and
zeros that are not stored change nothing; a BLAS would order the sums of neighboring rows differently. The loop is
written for the CPU's registers, as a compiler would keep the sums in memory and take twice as long. This is
the inner kernel of [Goto and van de Geijn 2008].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.arrays import PANEL, ROWS
from kernelspec.numerics.compiled import INTEGER, Vectors, clamped, compiled, looped, memory, multiply_add

__all__ = ["count_beyond", "project_block", "project_sparse_row", "write_distances"]


def _multiply_panel(
    _context: Any, rows: Any, i: Any, m: Any, p: Any, first: Any, last: Any, panel: Any, start: Any, own: Any,
    sums: Any, width: Any,
) -> Any:  # fmt: skip
    """sums_r ← start_r + Σ_k x_{i+r, k} panel_k for r < 4 and `first` ≤ k < `last`, in the order of k.

    All arrays are C-contiguous: `rows` (m, p), whose last row stands in for rows beyond it, `panel` (p, 256 bytes),
    `start` and `sums` with row strides of `own` and `width` numbers, 0 if all rows share a start.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, i, m, p, first, last, weights, start, own, sums, width = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        lanes, in_panel = vectors.lanes, PANEL // vectors.size
        at_once = 2 if vectors.registers < 32 else min(4, in_panel)
        heads = [builder.gep(data, [builder.mul(row, p)]) for row in clamped(builder, i, m)]
        for left in range(0, in_panel, at_once):
            places = [INTEGER((left + v) * lanes) for v in range(at_once)]

            def step(k: Any, chains: Sequence[Any], places: Sequence[Any] = places) -> Sequence[Any]:
                top = builder.mul(k, INTEGER(in_panel * lanes))
                loaded = [vectors.load(weights, builder.add(top, place)) for place in places]
                numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
                factors = [(x, w) for x in numbers for w in loaded]
                return [vectors.fused(x, w, chain) for (x, w), chain in zip(factors, chains, strict=True)]

            def corners(size: Any, places: Sequence[Any] = places) -> list[Any]:
                return [builder.add(builder.mul(size, INTEGER(r)), place) for r in range(ROWS) for place in places]

            chains = [vectors.load(start, corner) for corner in corners(own)]
            for chain, corner in zip(looped(builder, first, last, chains, step), corners(width), strict=True):
                vectors.store(chain, sums, corner)
        return context.get_dummy_value()

    return types.void(rows, i, m, p, first, last, panel, start, own, sums, width), generate


def _multiply_sparse_panel(
    _context: Any, columns: Any, numbers: Any, first: Any, last: Any, panel: Any, start: Any, sums: Any
) -> Any:
    """sums ← start + Σ_e x_e panel_{column e} for `first` ≤ e < `last`, in the order of e, for one row."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        columns, data, first, last, weights, start, sums = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[1].dtype)
        places = [INTEGER(v * vectors.lanes) for v in range(PANEL // vectors.size)]

        def step(e: Any, chains: Sequence[Any]) -> Sequence[Any]:
            column = builder.load(builder.gep(columns, [e]))
            top = builder.mul(column, INTEGER(len(places) * vectors.lanes))
            x = vectors.all_alike(builder.load(builder.gep(data, [e])))
            loaded = [vectors.load(weights, builder.add(top, place)) for place in places]
            return [vectors.fused(x, w, chain) for w, chain in zip(loaded, chains, strict=True)]

        chains = [vectors.load(start, place) for place in places]
        for chain, place in zip(looped(builder, first, last, chains, step), places, strict=True):
            vectors.store(chain, sums, place)
        return context.get_dummy_value()

    return types.void(columns, numbers, first, last, panel, start, sums), generate


multiply_panel: Any = intrinsic(_multiply_panel)
multiply_sparse_panel: Any = intrinsic(_multiply_sparse_panel)


_COLUMNS = 384
"""Columns at a time, so that their part of a panel stays in cache while all rows are multiplied.

With fewer, reading all sums again costs more than the cache saves.
"""


@compiled
def project_block(rows: NDArray[Any], weights: NDArray[Any], start: NDArray[Any], sums: NDArray[Any]) -> None:
    """start + Σ_k x_k weights_k for rows (m, p) into the first m rows of `sums`, whose height is a multiple of four.

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
    """start + Σ_e x_e weights_{column e} for one row with sorted columns, into `sums` (n,)."""
    size = weights.shape[2]
    for b in range(weights.shape[0]):
        own = sums[b * size : (b + 1) * size]
        if numbers.shape[0]:
            multiply_sparse_panel(columns, numbers, 0, numbers.shape[0], weights[b], start[b], own)
        else:
            own[:] = start[b]


_OTHERS = 64  # rows of `others` at a time: they and the sums stay in cache


@compiled
def write_distances(rows: NDArray[Any], others: NDArray[Any], squared: Any, out: NDArray[Any]) -> None:
    """Write Σ_k (x_k − y_k)² of rows x (n, p) and others y (m, p) into `out` (n, m), or Σ_k |x_k − y_k|."""
    (n, p), m = rows.shape, others.shape[0]
    columns = np.empty((p, _OTHERS), dtype=others.dtype)
    for first in range(0, m, _OTHERS):
        last = min(first + _OTHERS, m)
        for j in range(first, last):
            for k in range(p):
                columns[k, j - first] = others[j, k]
        for i in range(n):
            total = out[i, first:last]
            total[:] = 0
            for k in range(p):
                x, column = rows[i, k], columns[k]
                if squared:
                    for j in range(total.shape[0]):
                        difference = x - column[j]
                        total[j] = multiply_add(difference, difference, total[j])
                else:
                    for j in range(total.shape[0]):
                        total[j] += abs(x - column[j])


@compiled
def count_beyond(numbers: NDArray[Any], most: float) -> int:
    """How many of the numbers (n,) exceed `most` in absolute value or are NaN; `most` has the same dtype."""
    count = 0
    for j in range(numbers.shape[0]):
        x = numbers[j]
        count += not abs(x) <= type(x)(most)
    return count
