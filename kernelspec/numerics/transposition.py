"""Compiled: rows of arrays become columns, small squares at a time in registers. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.compiled import INTEGER, Vectors, compiled, memory

__all__ = ["transpose"]


def _lanes(context: Any, array: Any) -> Any:
    """How many numbers of the array's type a register holds."""
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        del values
        return INTEGER(Vectors(context, builder, signature.args[0].dtype).lanes)

    return types.int64(array), generate


def _transpose_square(context: Any, source: Any, place: Any, step: Any, target: Any, corner: Any, width: Any) -> Any:
    """Rows of a square from `place` on, with steps of `step` numbers, become columns from `corner` on: rows of `width`.

    Rotating the bits of all places by one, row and column together, as interleaving the vectors of one half with those
    of the other does, exchanges row and column when it is done as often as there are bits in either.
    """
    del context

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        source, place, step, target, corner, width = memory(context, builder, signature.args, values)
        vectors = Vectors(context, builder, signature.args[0].dtype)
        half = vectors.lanes // 2

        def on(start: Any, by: Any, times: int) -> Any:
            return builder.add(start, builder.mul(by, INTEGER(times)))

        rows = [vectors.load(source, on(place, step, k)) for k in range(vectors.lanes)]
        for _ in range(half.bit_length()):
            pairs = [vectors.interleaved(rows[k], rows[half + k]) for k in range(half)]
            rows = [own for pair in pairs for own in pair]
        for k, row in enumerate(rows):
            vectors.store(row, target, on(corner, width, k))
        return context.get_dummy_value()

    return types.void(source, place, step, target, corner, width), generate


_lanes_of: Any = intrinsic(_lanes)
_square: Any = intrinsic(_transpose_square)


@compiled
def transpose(source: NDArray[Any], m: int, n: int, target: NDArray[Any], first: int) -> None:
    """Write the first m rows and n columns of `source` into `target`: n rows of it, m columns from `first` on.

    `source` is C-contiguous.
    """
    lanes, size = _lanes_of(source), target.itemsize
    in_order = target.strides[1] == size and target.strides[0] % size == 0
    whole, height, width = m - m % lanes, n - n % lanes if in_order else 0, target.strides[0] // size
    for i in range(0, height, lanes):
        for j in range(0, whole, lanes):
            _square(source[j:, i:], 0, source.shape[1], target[i:, first + j :], 0, width)
        for j in range(whole, m):
            for k in range(i, i + lanes):
                target[k, first + j] = source[j, k]
    for i in range(height, n):
        for j in range(m):
            target[i, first + j] = source[j, i]
