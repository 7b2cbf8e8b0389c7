"""Compiled: cosine and sine of angles in turns, and Fourier features of a block of rows.

Whole turns are subtracted exactly: with r = t − ⌊t⌉ and S(v) = sin 2πv on |v| ≤ ¼, cos 2πt = S(¼ − |r|) and sin 2πt =
S(max(−½ − r, min(½ − r, r))). From 2²³ turns on in single precision, 2⁵² in double, every number is an integer, with
cosine 1. S is the odd polynomial of least relative error: 3e-19 in double precision, 5e-9 in single [Remez 1934].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from kernelspec.numerics.compiled import INTEGER, Vectors, compiled, memory, multiply_add
from kernelspec.numerics.projection_kernels import count_beyond, project_block, project_sparse_row

__all__ = [
    "DOUBLE",
    "SINGLE",
    "transpose",
    "write_circle",
    "write_features",
    "write_rows",
    "write_sparse_rows",
    "write_turns",
]

DOUBLE = (
    6.283185307179586,
    -41.341702240399755,
    81.60524927607341,
    -76.70585975279849,
    42.058693923785015,
    -15.09464162050552,
    3.819927050429838,
    -0.7177235798689506,
    0.10085633003758276,
)
"""Coefficients of v, v³, … in S."""

SINGLE = tuple(
    np.float32(c)
    for c in (6.2831852737922365, -41.341677478736045, 81.60223126192192, -76.57499255112155, 39.71092039153653)
)
"""Coefficients of S in single precision."""


@compiled
def _sine_of_quarter(v: Any, coefficients: Any) -> Any:
    """sin 2πv for |v| ≤ ¼."""
    square = v * v
    value = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = multiply_add(value, square, coefficients[k])
    return v * value


@compiled
def cosine_of_turns(t: Any, coefficients: Any) -> Any:
    """cos 2πt."""
    return _sine_of_quarter(type(t)(0.25) - abs(t - np.rint(t)), coefficients)


@compiled
def sine_of_turns(t: Any, coefficients: Any) -> Any:
    """sin 2πt."""
    rest, half = t - np.rint(t), type(t)(0.5)
    v = half - rest
    v = v if v < rest else rest
    w = -half - rest
    return _sine_of_quarter(w if w > v else v, coefficients)


@compiled
def write_turns(
    turns: NDArray[Any], sizes: NDArray[Any], coefficients: Any, paired: Any, first: int, lines: NDArray[Any]
) -> None:
    """Write size_j cos 2πt_ij to `lines` (m, ·) from `first` on; size_j sin 2πt_ij half a line further if `paired`.

    `turns` has at least m rows; each contributes as many numbers as there are sizes, or as fit into the line. The loop
    over rows is here rather than in the caller, since passing one row costs as much as a hundred cosines.
    """
    n = lines.shape[1] // 2 if paired else lines.shape[1]
    many = max(0, min(sizes.shape[0], n - first))
    for i in range(lines.shape[0]):
        own, cosines = turns[i], lines[i, first : first + many]
        for j in range(many):
            cosines[j] = sizes[j] * cosine_of_turns(own[j], coefficients)
        if paired:
            sines = lines[i, n + first : n + first + many]
            for j in range(many):
                sines[j] = sizes[j] * sine_of_turns(own[j], coefficients)


@compiled
def write_circle(angles: NDArray[Any], coefficients: Any, out: NDArray[Any]) -> None:
    """Write interleaved cos θ and sin θ of angles (n,) to `out` (2 n,)."""
    for i in range(angles.shape[0]):
        turn = angles[i] * 0.15915494309189535
        out[2 * i] = cosine_of_turns(turn, coefficients)
        out[2 * i + 1] = sine_of_turns(turn, coefficients)


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
    """Write a cos 2πt of rows (m, p) and n samples to `out` (m, n), and a sin 2πt beside it (m, 2n) if `paired`.

    t = offset + x·weights. Samples come in panels: `weights` (panels, p or 1, panel), `offsets` and the amplitudes
    `sizes` (panels, panel). `turns` (rows at a time, a multiple of four; samples at a time, a number of panels) is
    scratch memory. Returns how many input numbers exceed `most` in absolute value or are NaN.
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
    """`write_rows` for rows in CSR format with sorted columns, from `pointers` (m + 1,) on, with the same bits."""
    size, panel = turns.shape[1], weights.shape[2]
    for i in range(out.shape[0]):
        entries = slice(pointers[i], pointers[i + 1])
        for first in range(0, n, size):
            own = slice(first // panel, min((first + size) // panel, weights.shape[0]))
            project_sparse_row(columns[entries], numbers[entries], weights[own], offsets[own], turns[0])
            amplitudes = sizes[own].reshape(-1)
            write_turns(turns, amplitudes, coefficients, paired, first, out[i : i + 1])
    return count_beyond(numbers[pointers[0] : pointers[-1]], most)


def _lanes(_context: Any, array: Any) -> Any:
    """Numbers of the array's type per register."""

    def generate(context: Any, builder: Any, signature: Any, _values: Any) -> Any:
        return INTEGER(Vectors(context, builder, signature.args[0].dtype).lanes)

    return types.int64(array), generate


def _transpose_square(_context: Any, source: Any, place: Any, step: Any, target: Any, corner: Any, width: Any) -> Any:
    """Transpose a square: rows from `place` on, `step` apart, become columns from `corner` on, in rows of `width`.

    Interleaving the vectors of one half with those of the other rotates the bits of all places by one, row and column
    together; repeated once per bit, this exchanges rows and columns.
    """

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
    """Write the first m rows and n columns of `source` to `target`: n of its rows, m columns from `first` on.

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


_COLUMN = 512  # bytes of a column of the rows at a time: a few registers, with all columns in the L2 cache
_STEP = 16  # the most numbers per register; few rows are padded to whole registers
_BYTES = 2**17  # cosines or sines of these rows at a time: both stay in the L2 cache until they are written row by row


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
    """Write a cos 2πt of rows (n, p) and N samples to `out` (n, N), and a sin 2πt beside it (n, 2N) if `paired`.

    t = phase_j + Σ_e turns_e x[places_e] over e from starts_j to starts_{j+1}, summed in double precision in this
    order. Rows go through the same operations regardless of position. All arrays but `out` are C-contiguous.
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
    """Replace the turns in `cosines`, one row per size, by cosines of this amplitude, and write the sines beside them.

    Separate from the sums in double precision: loops over numbers of one precision fill the registers.
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
