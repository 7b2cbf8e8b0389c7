"""Compiled: Fourier features of a block of rows, of dense and of sparse frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.compiled import INTEGER, Vectors, compiled, memory
from kernelspec.numerics.projection_kernels import count_beyond, project_block, project_sparse_row
from kernelspec.numerics.turns import cosine_of_turns, sine_of_turns, write_turns

__all__ = ["transpose", "write_features", "write_rows", "write_sparse_rows"]


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


_COLUMN = 512
"""Bytes of a column of the rows at a time: a few registers, and all columns stay in the processor's second cache."""

_STEP = 16
"""The most numbers of a register: few rows are filled up to whole ones."""

_BYTES = 2**17
"""Cosines, or sines, of these rows at a time: both stay in the second cache until they are written, row by row."""


@compiled
def write_features(
    data: NDArray[Any],
    starts: NDArray[np.int64],
    places: NDArray[np.int64],
    turns: NDArray[np.float64],
    phases: NDArray[np.float64],
    amplitudes: NDArray[Any],
    coefficients: Any,
    paired: Any,
    out: NDArray[Any],
) -> None:
    """Write a cos 2πt of rows (n, p) and N samples into `out` (n, N), and a sin 2πt beside it (n, 2N) if `paired`.

    t = phase_j + Σ_e turns_e x[places_e] over e from starts_j up to starts_{j+1}, summed in double precision in this
    order. Rows go through the same operations wherever they stand. All arrays but `out` are C-contiguous.
    """
    n, filled_up = phases.shape[0], max(1, -(-data.shape[0] // _STEP)) * _STEP
    height = min(_COLUMN // data.itemsize, filled_up)
    size = max(1, min(n, _BYTES // (height * data.itemsize)))
    columns, turned = np.zeros((data.shape[1], height), data.dtype), np.empty(height, np.float64)
    cosines, sines = np.empty((size, height), data.dtype), np.empty((size, height), data.dtype)
    for top in range(0, data.shape[0], height):
        end = min(top + height, data.shape[0])
        transpose(data[top:end], end - top, data.shape[1], columns, 0)
        for first in range(0, n, size):
            many = min(size, n - first)
            for f in range(many):
                phase, rests = phases[first + f], cosines[f]
                begin, stop = starts[first + f], starts[first + f + 1]
                if begin == stop:
                    turned[:] = phase
                else:
                    column, rate = columns[places[begin]], turns[begin]
                    for i in range(height):
                        turned[i] = phase + column[i] * rate
                for e in range(begin + 1, stop):
                    column, rate = columns[places[e]], turns[e]
                    for i in range(height):
                        turned[i] += column[i] * rate
                for i in range(height):
                    rests[i] = turned[i] - np.rint(turned[i])
            _write_from_turns(cosines, amplitudes[first : first + many], coefficients, paired, sines)
            transpose(cosines, many, end - top, out[top:end], first)
            transpose(sines, many if paired else 0, end - top, out[top:end], n + first)


@compiled
def _write_from_turns(
    cosines: NDArray[Any], sizes: NDArray[Any], coefficients: Any, paired: Any, sines: NDArray[Any]
) -> None:
    """Turns, which stand in `cosines`, a row of them for every size, become cosines of this size, and sines beside it.

    Apart from the sums in double precision: a loop over numbers of one precision fills the registers with them.
    """
    for f in range(sizes.shape[0]):
        size, cosine, sine = sizes[f], cosines[f], sines[f]
        if paired:
            for i in range(cosine.shape[0]):
                turn = cosine[i]
                cosine[i] = size * cosine_of_turns(turn, coefficients)
                sine[i] = size * sine_of_turns(turn, coefficients)
        else:
            for i in range(cosine.shape[0]):
                cosine[i] = size * cosine_of_turns(cosine[i], coefficients)
