"""Compiled: the vectors that a processor's registers hold, for functions that are written for them.

What a compiler makes of a loop is fast where every number is used once; where numbers stay in registers, or change
places within them, it has to be said. Used by modules of compiled functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function

__all__ = ["INTEGER", "Vectors", "looped", "memory"]

INTEGER = ir.IntType(64)


class Vectors:
    """The vectors of the processor's registers, for numbers of one type, in the code of one function.

    There are so many `registers`; a vector has so many `lanes`, numbers, of `size` bytes together: a register's, unless
    another size is given.
    """

    def __init__(self, context: Any, builder: Any, kind: Any, size: int = 0) -> None:
        features = context.codegen().magic_tuple()[2].split(",")
        own = 64 if "+avx512f" in features else 32 if "+avx" in features else 16
        self.registers = 16 if "+sse2" in features and own < 64 else 32
        self.size = size or own
        self.lanes = 8 * self.size // kind.bitwidth
        self._builder, self._bits = builder, kind.bitwidth
        self._kind = ir.VectorType(context.get_value_type(kind), self.lanes)

    def load(self, array: Any, place: Any) -> Any:
        """The numbers from a place of an array on."""
        found = self._builder.load(self._address(array, place))
        found.align = self._bits // 8
        return found

    def store(self, numbers: Any, array: Any, place: Any) -> None:
        """Write numbers into an array, from a place on."""
        self._builder.store(numbers, self._address(array, place)).align = self._bits // 8

    def all_alike(self, number: Any) -> Any:
        """One number in all places."""
        undefined, first = ir.Constant(self._kind, ir.Undefined), ir.Constant(ir.IntType(32), 0)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), [0] * self.lanes)
        return self._builder.shuffle_vector(self._builder.insert_element(undefined, number, first), undefined, mask)

    def interleaved(self, a: Any, b: Any) -> tuple[Any, Any]:
        """(a₀, b₀, a₁, b₁, …), in two vectors."""
        whole = [lane + side * self.lanes for lane in range(self.lanes) for side in range(2)]
        masks = (whole[: self.lanes], whole[self.lanes :])
        kind = ir.VectorType(ir.IntType(32), self.lanes)
        low, high = (self._builder.shuffle_vector(a, b, ir.Constant(kind, mask)) for mask in masks)
        return low, high

    def exchanged(self, numbers: Any, bit: int) -> Any:
        """Those exchanged whose places differ in this bit alone."""
        order = [lane ^ bit for lane in range(self.lanes)]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), order)
        return self._builder.shuffle_vector(numbers, ir.Constant(self._kind, ir.Undefined), mask)

    def signs(self, bit: int) -> Any:
        """−1 in the places that have this bit, 1 in the others."""
        return ir.Constant(self._kind, [-1.0 if lane & bit else 1.0 for lane in range(self.lanes)])

    def fused(self, a: Any, b: Any, c: Any) -> Any:
        """a·b + c, rounded once."""
        return self._call("fma", a, b, c)

    def with_square(self, a: Any, b: Any, c: Any) -> Any:
        """(a − b)² + c, rounded twice."""
        difference = self._builder.fsub(a, b)
        return self.fused(difference, difference, c)

    def with_absolute(self, a: Any, b: Any, c: Any) -> Any:
        """|a − b| + c, rounded twice."""
        return self._builder.fadd(self._call("fabs", self._builder.fsub(a, b)), c)

    def floored_product(self, a: Any, b: Any, c: Any) -> Any:
        """⌊a·b + c⌋, product and sum rounded one after the other."""
        return self._call("floor", self._builder.fadd(self._builder.fmul(a, b), c))

    def words(self, numbers: Any) -> Any:
        """The bits of double numbers, as 64-bit words."""
        return self._builder.bitcast(numbers, ir.VectorType(INTEGER, self.lanes))

    def numbers(self, words: Any) -> Any:
        """The same back."""
        return self._builder.bitcast(words, self._kind)

    def word(self, value: int) -> Any:
        """One 64-bit word in all places."""
        return ir.Constant(ir.VectorType(INTEGER, self.lanes), [value] * self.lanes)

    def shortened(self, words: Any) -> Any:
        """The lower bits of 64-bit words, as many as a number here has, as whole numbers."""
        return self._builder.trunc(words, ir.VectorType(ir.IntType(self._bits), self.lanes))

    def negated_by(self, words: Any, numbers: Any) -> Any:
        """Those numbers with the other sign whose 64-bit words are odd."""
        lowest = self.shortened(words)
        places = ir.Constant(lowest.type, [self._bits - 1] * self.lanes)
        changed = self._builder.xor(self._builder.bitcast(numbers, lowest.type), self._builder.shl(lowest, places))
        return self._builder.bitcast(changed, self._kind)

    def _call(self, name: str, *numbers: Any) -> Any:
        kind = ir.FunctionType(self._kind, [self._kind] * len(numbers))
        function = f"llvm.{name}.v{self.lanes}f{self._bits}"
        return self._builder.call(get_or_insert_function(self._builder.module, kind, function), numbers)

    def _address(self, array: Any, place: Any) -> Any:
        return self._builder.bitcast(self._builder.gep(array, [place]), self._kind.as_pointer())


def looped(
    builder: Any, first: Any, last: Any, sums: Sequence[Any], step: Callable[[Any, Sequence[Any]], Sequence[Any]]
) -> Sequence[Any]:
    """sums = step(k, sums) for k from `first` up to `last`, which is more, with the sums in registers."""
    before = builder.block
    loop, after = builder.append_basic_block("columns"), builder.append_basic_block("summed")
    builder.branch(loop)
    builder.position_at_end(loop)
    k, own = builder.phi(INTEGER), [builder.phi(start.type) for start in sums]
    found = step(k, own)
    following = builder.add(k, INTEGER(1))
    for phi, start, end in zip([k, *own], [first, *sums], [following, *found], strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(end, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, last), loop, after)
    builder.position_at_end(after)
    return found


def memory(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Arrays as the addresses of their numbers, and integers as they are."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, values, strict=True)
    ]
