"""How functions are compiled, vector registers, and the natural logarithm.

Only modules of compiled functions import this one, and those are imported lazily: Numba takes 0.2 s to import.

A plain loop compiles to fast code if it uses every number once. If numbers must stay in registers, or move within them,
the loop is written as LLVM instructions; `benchmarks/results/engine.md` has what each of these saves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import missing_package

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise missing_package(error) or error from None
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.caching import FunctionCache, NullCache
from numba.core.cgutils import get_or_insert_function
from numba.core.runtime import rtsys
from numba.extending import intrinsic

from kernelspec.numerics.arrays import ROWS

__all__ = [
    "INTEGER",
    "Array",
    "Vectors",
    "clamped",
    "compiled",
    "intrinsic",
    "logarithm",
    "looped",
    "memory",
    "multiply_add",
    "types",
]

F = TypeVar("F", bound=Callable[..., object])
Array: TypeAlias = NDArray[Any]


def compiled(function: F) -> F:
    """The function, compiled on its first call for the given types.

    It runs without the GIL. Floating-point operations are done one by one in the order written: nothing is contracted
    or reordered, so the bits are the same on every processor. Machine code is cached beside the source or in the user's
    cache; if neither is writable, every process compiles for itself.
    """
    fast: Any = njit(nogil=True)(function)
    if hasattr(fast, "enable_caching"):  # not with NUMBA_DISABLE_JIT
        fast._cache = _NotKept()
        if _has_place(function):
            with suppress(RuntimeError):  # no writable folder
                fast._cache = _KeptCode(function)  # as cache=True, with a cache that never aborts a computation
    result: F = fast
    return result


class _KeptCode(FunctionCache):  # type: ignore[misc]
    """Numba's cache, except that unreadable entries are compiled again, and unwritable ones are not cached."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """None without an entry, or for a damaged one, which is then forgotten."""
        try:
            # cached code needs memory, not the rules of code generation, which take half of a short run
            rtsys.initialize(target_context)
            found = self._load_overload(sig, target_context)
        except Exception:  # unpickling half a file may raise anything
            found = None
            with suppress(OSError):
                self.flush()
        if found is None:
            _say("compiling for this machine, once: about 5 s")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Do nothing if the disk is full or the quota exceeded."""
        with suppress(OSError):
            super().save_overload(sig, data)


class _NotKept(NullCache):  # type: ignore[misc]
    """No cache: every process compiles."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """None."""
        _say("compiling, about 5 s in every run: no folder for the machine code can be written")


@cache
def _say(message: str) -> None:
    """Print a line to standard error, once per process: otherwise a first run would seem to hang."""
    if sys.stderr is not None:
        print(f"kernelspec: {message}", file=sys.stderr, flush=True)


def _has_place(function: Callable[..., object]) -> bool:
    """Whether there is a folder for the cache: without a home directory, Numba would create one called "~"."""
    beside = os.path.dirname(function.__code__.co_filename)
    return bool(config.CACHE_DIR) or os.path.isabs(os.path.expanduser("~")) or os.access(beside, os.W_OK)


INTEGER = ir.IntType(64)


class Vectors:
    """Vector registers of the CPU, for numbers of one type, in the code of one function.

    There are `registers` of them; a vector has `lanes` numbers, of `size` bytes in total: a register's, unless another
    size is given.
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
        """Load a vector from a place of an array."""
        found = self._builder.load(self._address(array, place))
        found.align = self._bits // 8
        return found

    def store(self, numbers: Any, array: Any, place: Any) -> None:
        """Store a vector to a place of an array."""
        self._builder.store(numbers, self._address(array, place)).align = self._bits // 8

    def all_alike(self, number: Any) -> Any:
        """One number in all lanes."""
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
        """Swap lanes whose numbers differ in this bit only."""
        order = [lane ^ bit for lane in range(self.lanes)]
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), order)
        return self._builder.shuffle_vector(numbers, ir.Constant(self._kind, ir.Undefined), mask)

    def signs(self, bit: int) -> Any:
        """−1 in the lanes that have this bit set, 1 in the others."""
        return ir.Constant(self._kind, [-1.0 if lane & bit else 1.0 for lane in range(self.lanes)])

    def fused(self, a: Any, b: Any, c: Any) -> Any:
        """a·b + c, rounded once."""
        return self._call("fma", a, b, c)

    def floored_product(self, a: Any, b: Any, c: Any) -> Any:
        """⌊a·b + c⌋, with separate roundings of product and sum."""
        return self._call("floor", self._builder.fadd(self._builder.fmul(a, b), c))

    def words(self, numbers: Any) -> Any:
        """The bits of doubles as 64-bit words."""
        return self._builder.bitcast(numbers, ir.VectorType(INTEGER, self.lanes))

    def numbers(self, words: Any) -> Any:
        """64-bit words as doubles."""
        return self._builder.bitcast(words, self._kind)

    def word(self, value: int) -> Any:
        """One 64-bit word in all lanes."""
        return ir.Constant(ir.VectorType(INTEGER, self.lanes), [value] * self.lanes)

    def _call(self, name: str, *numbers: Any) -> Any:
        kind = ir.FunctionType(self._kind, [self._kind] * len(numbers))
        function = f"llvm.{name}.v{self.lanes}f{self._bits}"
        return self._builder.call(get_or_insert_function(self._builder.module, kind, function), numbers)

    def _address(self, array: Any, place: Any) -> Any:
        return self._builder.bitcast(self._builder.gep(array, [place]), self._kind.as_pointer())


def looped(
    builder: Any, first: Any, last: Any, sums: Sequence[Any], step: Callable[[Any, Sequence[Any]], Sequence[Any]]
) -> Sequence[Any]:
    """sums = step(k, sums) for k from `first` to `last` > `first`, with the sums in registers."""
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


def clamped(builder: Any, first: Any, size: Any) -> list[Any]:
    """The numbers of four rows from `first` on; the last of `size` rows stands in for rows beyond it."""
    last = builder.sub(size, INTEGER(1))
    rows = [builder.add(first, INTEGER(r)) for r in range(ROWS)]
    return [builder.select(builder.icmp_signed("<", row, last), row, last) for row in rows]


def memory(context: Any, builder: Any, kinds: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Arrays as the addresses of their data, and integers as they are."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, values, strict=True)
    ]


def _multiply_add(_context: Any, a: Any, _b: Any, _c: Any) -> Any:
    """a·b + c rounded once, for three numbers of one floating type: an instruction, or else a function.

    The bits are the same on every processor, vectorized or not.
    """

    def generate(_context: Any, builder: Any, _signature: Any, numbers: Any) -> Any:
        return builder.fma(*numbers)

    return a(a, a, a), generate


multiply_add: Any = intrinsic(_multiply_add)


_ROOT_OF_HALF = np.uint64(0x3FE6A09E00000000)
_TO_ONE = np.uint64(0x3FF0000000000000 - 0x3FE6A09E00000000)
_MANTISSA, _52 = np.uint64(0x000FFFFFFFFFFFFF), np.uint64(52)
_LEAST_NORMAL, _LIFT = 2.0**-1022, 2.0**54
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_C1, _C2, _C3, _C4, _C5, _C6, _C7 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


@compiled
def logarithm(x: Any) -> Any:
    """ln x for a positive finite float64, including subnormals, to within one unit in the last place.

    x = 2^e (1 + f) with 1 + f between √½ and √2, and a minimax polynomial in s² = (f/(2 + f))². Math libraries round
    differently on different machines, but a hashed sample must not. [FreeBSD msun, e_log.c]
    """
    lift = 0.0
    if x < _LEAST_NORMAL:
        x, lift = x * _LIFT, -54.0
    word = np.float64(x).view(np.uint64) + _TO_ONE
    exponent = np.float64(np.int64(word >> _52) - 1023) + lift
    f = np.uint64((word & _MANTISSA) + _ROOT_OF_HALF).view(np.float64) - 1.0
    s = np.divide(f, 2.0 + f)
    z = s * s
    w = z * z
    rest = z * (_C1 + w * (_C3 + w * (_C5 + w * _C7))) + w * (_C2 + w * (_C4 + w * _C6))
    half = 0.5 * f * f
    return exponent * _LN2_HIGH - ((half - (s * (half + rest) + exponent * _LN2_LOW)) - f)
