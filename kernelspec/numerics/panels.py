"""Compiled: rows and a panel of weights, with all sums in registers. A module of compiled functions.

A panel is what is multiplied at a time: for each column of the data the weights of as many samples as fill 256 bytes.
Every sum is a chain of fused products in the order of the columns, as a plain loop would form it, so its bits depend on
its row and its sample alone. It is written for the registers that the processor has: what a compiler makes of the loop
keeps the sums in memory and takes twice as long. This is the inner kernel of [Goto and van de Geijn 2008].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from kernelspec.numerics.packed_weights import PANEL, ROWS
from kernelspec.numerics.vectors import INTEGER, Vectors, looped, memory

__all__ = [
    "add_absolute_differences",
    "add_squared_differences",
    "multiply_panel",
    "multiply_row",
    "multiply_sparse_panel",
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
