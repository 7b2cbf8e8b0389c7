"""Compiled: rows and a panel of weights, with all sums in registers. A module of compiled functions.

A panel is what is multiplied at a time: for each column of the data the weights of as many samples as fill 256 bytes.
Every sum is a chain of fused products in the order of the columns, as a plain loop would form it, so its bits depend on
its row and its sample alone. It is written for the registers that the processor has: what a compiler makes of the loop
keeps the sums in memory and takes twice as long. This is the inner kernel of [Goto and van de Geijn 2008].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from kernelspec.numerics.packed_phasors import PANEL, ROWS

__all__ = ["add_absolute_differences", "add_squared_differences", "multiply_panel", "multiply_sparse_panel"]

_INTEGER = ir.IntType(64)


class _Vectors:
    """The vectors of the processor's registers, for numbers of one type, in the code of one function."""

    def __init__(self, context: Any, builder: Any, kind: Any) -> None:
        features = context.codegen().magic_tuple()[2].split(",")
        size = 64 if "+avx512f" in features else 32 if "+avx" in features else 16
        self.in_panel = PANEL // size
        self.registers = 16 if "+sse2" in features and size < 64 else 32
        self.lanes = 8 * size // kind.bitwidth
        self._builder, self._align = builder, kind.bitwidth // 8
        self._kind = ir.VectorType(context.get_value_type(kind), self.lanes)
        self._fused, self._absolute = (
            get_or_insert_function(
                builder.module,
                ir.FunctionType(self._kind, [self._kind] * n),
                f"llvm.{name}.v{self.lanes}f{kind.bitwidth}",
            )
            for name, n in (("fma", 3), ("fabs", 1))
        )

    def load(self, array: Any, place: Any) -> Any:
        """The numbers from a place of an array on."""
        found = self._builder.load(self._address(array, place))
        found.align = self._align
        return found

    def store(self, numbers: Any, array: Any, place: Any) -> None:
        """Write numbers into an array, from a place on."""
        self._builder.store(numbers, self._address(array, place)).align = self._align

    def all_alike(self, number: Any) -> Any:
        """One number in all places."""
        undefined, first = ir.Constant(self._kind, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self._builder.shuffle_vector(self._builder.insert_element(undefined, number, first), undefined, mask)

    def fused(self, a: Any, b: Any, c: Any) -> Any:
        """a·b + c, rounded once."""
        return self._builder.call(self._fused, [a, b, c])

    def with_square(self, a: Any, b: Any, c: Any) -> Any:
        """(a − b)² + c, rounded twice."""
        difference = self._builder.fsub(a, b)
        return self.fused(difference, difference, c)

    def with_absolute(self, a: Any, b: Any, c: Any) -> Any:
        """|a − b| + c, rounded twice."""
        return self._builder.fadd(self._builder.call(self._absolute, [self._builder.fsub(a, b)]), c)

    def _address(self, array: Any, place: Any) -> Any:
        return self._builder.bitcast(self._builder.gep(array, [place]), self._kind.as_pointer())


def _chains(
    builder: Any, first: Any, last: Any, sums: Sequence[Any], step: Callable[[Any, Sequence[Any]], Sequence[Any]]
) -> Sequence[Any]:
    """sums = step(k, sums) for k from `first` up to `last`, which is more, with the sums in registers."""
    before = builder.block
    loop, after = builder.append_basic_block("columns"), builder.append_basic_block("summed")
    builder.branch(loop)
    builder.position_at_end(loop)
    k, own = builder.phi(_INTEGER), [builder.phi(start.type) for start in sums]
    found = step(k, own)
    following = builder.add(k, _INTEGER(1))
    for phi, start, end in zip([k, *own], [first, *sums], [following, *found], strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(end, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, last), loop, after)
    builder.position_at_end(after)
    return found


def _memory(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Arrays as the addresses of their numbers, and integers as they are."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, values, strict=True)
    ]


Term = Callable[[_Vectors, Any, Any, Any], Any]
"""What becomes of a sum c by a number a of a row and those of a panel, b: a function of a, b and c."""


def _over_panel(term: Term) -> Any:
    """The compiled function (rows, i, m, p, first, last, panel, start, own, sums, width) that adds such terms.

    sums_r ← start_r + Σ_k term(x_{i+r, k}, panel_k) for r < 4 and `first` ≤ k < `last`, in the order of k. All arrays
    are C-contiguous: `rows` (m, p), of whom the last stands in for those beyond it, `panel` (p, 256 bytes), `start` and
    `sums` with steps of `own` and `width` numbers from row to row, 0 where all rows start alike.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, i, m, p, first, last, weights, start, own, sums, width = _memory(context, builder, signature.args, values)
        vectors = _Vectors(context, builder, signature.args[0].dtype)
        lanes, at_once = vectors.lanes, min(vectors.in_panel, (vectors.registers - 4) // (ROWS + 1))
        at_once = 1 << (at_once.bit_length() - 1)
        heads = []
        for r in range(ROWS):
            row, end = builder.add(i, _INTEGER(r)), builder.sub(m, _INTEGER(1))
            row = builder.select(builder.icmp_signed("<", row, end), row, end)
            heads.append(builder.gep(data, [builder.mul(row, p)]))
        for left in range(0, vectors.in_panel, at_once):
            places = [_INTEGER((left + v) * lanes) for v in range(at_once)]

            def step(k: Any, chains: Sequence[Any], places: Sequence[Any] = places) -> Sequence[Any]:
                top = builder.mul(k, _INTEGER(vectors.in_panel * lanes))
                loaded = [vectors.load(weights, builder.add(top, place)) for place in places]
                numbers = [vectors.all_alike(builder.load(builder.gep(head, [k]))) for head in heads]
                factors = [(x, w) for x in numbers for w in loaded]
                return [term(vectors, x, w, chain) for (x, w), chain in zip(factors, chains, strict=True)]

            def corners(size: Any, places: Sequence[Any] = places) -> list[Any]:
                return [builder.add(builder.mul(size, _INTEGER(r)), place) for r in range(ROWS) for place in places]

            chains = [vectors.load(start, corner) for corner in corners(own)]
            for chain, corner in zip(_chains(builder, first, last, chains, step), corners(width), strict=True):
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
        columns, data, first, last, weights, start, sums = _memory(context, builder, signature.args, values)
        vectors = _Vectors(context, builder, signature.args[1].dtype)
        places = [_INTEGER(v * vectors.lanes) for v in range(vectors.in_panel)]

        def step(e: Any, chains: Sequence[Any]) -> Sequence[Any]:
            column = builder.load(builder.gep(columns, [e]))
            top = builder.mul(column, _INTEGER(vectors.in_panel * vectors.lanes))
            x = vectors.all_alike(builder.load(builder.gep(data, [e])))
            loaded = [vectors.load(weights, builder.add(top, place)) for place in places]
            return [vectors.fused(x, w, chain) for w, chain in zip(loaded, chains, strict=True)]

        chains = [vectors.load(start, place) for place in places]
        for chain, place in zip(_chains(builder, first, last, chains, step), places, strict=True):
            vectors.store(chain, sums, place)
        return context.get_dummy_value()

    return types.void(columns, numbers, first, last, panel, start, sums), generate


multiply_panel = _over_panel(_Vectors.fused)
add_squared_differences = _over_panel(_Vectors.with_square)
add_absolute_differences = _over_panel(_Vectors.with_absolute)
multiply_sparse_panel: Any = intrinsic(_multiply_sparse_panel)
