"""Compiled: numbers written into memory past the processor's cache. A module of compiled functions.

A processor that writes to memory reads what is there into its cache first, unless it is told that nobody will read
these numbers soon. What no cache holds is then written up to twice as fast.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.vectors import Vectors, memory

__all__ = ["write_past_the_cache"]

_LINE = 64


def _write_line(context: Any, numbers: Any, j: Any, out: Any) -> Any:
    """Write the numbers of a line of the cache, from the j-th on, to the j-th place of `out`, where one begins."""
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        source, place, target = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype, _LINE)
        vectors.store_past_the_cache(vectors.load(source, place), target, place)
        return context.get_dummy_value()

    return types.void(numbers, j, out), generate


def _complete(context: Any) -> Any:
    """All that this thread has written is there for others before whatever it writes next."""
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del signature, values
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


_line: Any = intrinsic(_write_line)
_complete_writing: Any = intrinsic(_complete)


@compiled
def write_past_the_cache(rows: NDArray[Any], out: NDArray[Any]) -> None:
    """Write `rows` (m, n) into `out` (m, n), both C-contiguous."""
    numbers, target = rows.reshape(-1), out.reshape(-1)
    n, lanes, before = target.shape[0], _LINE // target.itemsize, -target.ctypes.data % _LINE
    first = n if before % target.itemsize else min(before // target.itemsize, n)
    last = n - (n - first) % lanes
    target[:first] = numbers[:first]
    for j in range(first, last, lanes):
        _line(numbers, j, target)
    target[last:] = numbers[last:]
    _complete_writing()
