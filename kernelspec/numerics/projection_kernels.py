"""Compiled: rows times a panel of weights, distances of rows, and numbers that need a second look.

A panel is what is multiplied at a time: for each column of the data the weights of as many samples as fill 256 bytes.
Every sum is a chain of fused products in the order of the columns, as a plain loop would form it, so its bits depend on
its row and its sample alone. It is written for the registers that the processor has: what a compiler makes of the loop
keeps the sums in memory and takes twice as long. This is the inner kernel of [Goto and van de Geijn 2008].

A library of matrix products forms the sums of one row in another order than those of its neighbour, and rounds them
otherwise. Here each sum is a chain of fused products, from the first column to the last: the bits of a row depend on it
alone, and a zero that is not stored changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.compiled import INTEGER, Vectors, compiled, looped, memory
from kernelspec.numerics.distances import PANEL, ROWS

__all__ = [
    "add_absolute_differences",
    "add_differences",
    "add_squared_differences",
    "count_beyond",
    "multiply_panel",
    "multiply_row",
    "multiply_sparse_panel",
    "project_block",
    "project_sparse_row",
]

Term = Callable[[Vectors, Any, Any, Any], Any]
"""What becomes of a sum c by a number a of a row and those of a panel, b: a function of a, b and c."""


def _over_panel(term: Term, height: int = ROWS) -> Any:
    """The compiled function (rows, i, m, p, first, last, panel, start, own, sums, width) that adds such terms.

    sums_r ← start_r + Σ_k term(x_{i+r, k}, panel_k) for r < `height` and `first` ≤ k < `last`, in the order of k. All
    arrays are C-contiguous: `rows` (m, p), of whom the last stands in for those beyond it, `panel` (p, 256 bytes),
    `start` and `sums` with steps of `own` and `width` numbers from row to row, 0 where all rows start alike.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, i, m, p, first, last, weights, start, own, sums, width = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        lanes, in_panel = vectors.lanes, PANEL // vectors.size
        at_once = (2 if vectors.registers < 32 else min(4, in_panel)) if height > 1 else min(8, in_panel)
        heads = []
        for r in range(height):
            row, end = builder.add(i, INTEGER(r)), builder.sub(m, INTEGER(1))
            row = builder.select(builder.icmp_signed("<", row, end), row, end)
            heads.append(builder.gep(data, [builder.mul(row, p)]))
        for left in range(0, in_panel, at_once):
            places = [INTEGER((left + v) * lanes) for v in range(at_once)]

            def step(k: Any, chains: Sequence[Any], places: Sequence[Any] = places) -> Sequence[Any]:
                top = builder.mul(k, INTEGER(in_panel * lanes))
                loaded = [vectors.load(weights, builder.add(top, place)) for place in places]
                numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
                factors = [(x, w) for x in numbers for w in loaded]
                return [term(vectors, x, w, chain) for (x, w), chain in zip(factors, chains, strict=True)]

            def corners(size: Any, places: Sequence[Any] = places) -> list[Any]:
                return [builder.add(builder.mul(size, INTEGER(r)), place) for r in range(height) for place in places]

            chains = [vectors.load(start, corner) for corner in corners(own)]
            for chain, corner in zip(looped(builder, first, last, chains, step), corners(width), strict=True):
                vectors.store(chain, sums, corner)
        return context.get_dummy_value()

    def typed(
        context: Any, rows: Any, i: Any, m: Any, p: Any, first: Any, last: Any, panel: Any, start: Any, own: Any,
        sums: Any, width: Any,
    ) -> Any:  # fmt: skip
        del context
        return types.void(rows, i, m, p, first, last, panel, start, own, sums, width), generate

    return intrinsic(typed)


def _multiply_sparse_panel(
    context: Any, columns: Any, numbers: Any, first: Any, last: Any, panel: Any, start: Any, sums: Any
) -> Any:
    """sums ← start + Σ_e x_e panel_{column e} for `first` ≤ e < `last`, in the order of e: of one row."""
    del context

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


multiply_panel = _over_panel(Vectors.fused)
multiply_row = _over_panel(Vectors.fused, 1)
add_squared_differences = _over_panel(Vectors.with_square)
add_absolute_differences = _over_panel(Vectors.with_absolute)
multiply_sparse_panel: Any = intrinsic(_multiply_sparse_panel)


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


_DISTANCE_COLUMNS = 64
"""Columns at a time: their part of a panel stays in the processor's nearest cache while all rows are compared."""


@compiled
def add_differences(rows: NDArray[Any], others: NDArray[Any], squared: Any, sums: NDArray[Any]) -> None:
    """Add Σ_k (x_k − y_k)² of rows (m, p) and others in panels (·, p, 256 bytes) to `sums`, or Σ |x_k − y_k|.

    The height of `sums` is a multiple of four, its width that of all panels.
    """
    (m, p), width, size = rows.shape, sums.shape[1], others.shape[2]
    for b in range(others.shape[0]):
        for first in range(0, p, _DISTANCE_COLUMNS):
            last = min(first + _DISTANCE_COLUMNS, p)
            for i in range(0, m, ROWS):
                own = sums[i:, b * size :]
                if squared:
                    add_squared_differences(rows, i, m, p, first, last, others[b], own, width, own, width)
                else:
                    add_absolute_differences(rows, i, m, p, first, last, others[b], own, width, own, width)


@compiled
def count_beyond(numbers: NDArray[Any], most: float) -> int:
    """How many of the numbers (n,) are not at most `most` in size, as NaN is not; `most` is one of their type."""
    count = 0
    for j in range(numbers.shape[0]):
        x = numbers[j]
        count += not abs(x) <= type(x)(most)
    return count
