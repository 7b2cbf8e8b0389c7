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

_ROWS = 64
"""Rows at a time: a column of them is a few registers, and all columns stay in the processor's second cache."""

_SAMPLES = 256
"""Samples at a time: their values for these rows stay in the second cache until they are written, row by row."""


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
    n = phases.shape[0]
    columns = np.zeros((data.shape[1], _ROWS), data.dtype)
    turned = np.empty(_ROWS, np.float64)
    cosines, sines = np.empty((_SAMPLES, _ROWS), data.dtype), np.empty((_SAMPLES, _ROWS), data.dtype)
    for top in range(0, data.shape[0], _ROWS):
        end = min(top + _ROWS, data.shape[0])
        transpose(data[top:end], end - top, data.shape[1], columns, 0)
        for first in range(0, n, _SAMPLES):
            many = min(_SAMPLES, n - first)
            for f in range(many):
                phase, amplitude = phases[first + f], amplitudes[first + f]
                begin, stop = starts[first + f], starts[first + f + 1]
                if begin == stop:
                    turned[:] = phase
                else:
                    column, rate = columns[places[begin]], turns[begin]
                    for i in range(_ROWS):
                        turned[i] = phase + column[i] * rate
                for e in range(begin + 1, stop):
                    column, rate = columns[places[e]], turns[e]
                    for i in range(_ROWS):
                        turned[i] += column[i] * rate
                cosine, sine = cosines[f], sines[f]
                if paired:
                    for i in range(_ROWS):
                        rest = data.dtype.type(turned[i] - np.rint(turned[i]))
                        cosine[i] = amplitude * cosine_of_turns(rest, coefficients)
                        sine[i] = amplitude * sine_of_turns(rest, coefficients)
                else:
                    for i in range(_ROWS):
                        rest = data.dtype.type(turned[i] - np.rint(turned[i]))
                        cosine[i] = amplitude * cosine_of_turns(rest, coefficients)
            transpose(cosines, many, end - top, out[top:end], first)
            transpose(sines, many if paired else 0, end - top, out[top:end], n + first)
