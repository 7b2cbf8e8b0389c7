"""Compiled: cosine and sine of sparse combinations of columns. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.transposition import transpose
from kernelspec.numerics.turns import cosine_of_turns, sine_of_turns
from kernelspec.numerics.widest import in_widest_registers

__all__ = ["write_features"]

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
    in_widest_registers()
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
    in_widest_registers()
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
