"""Sparse Fourier features: a few columns a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled, in_widest_registers
from kernelspec.numerics.packed import AngleSizes, kept_size, largest_size
from kernelspec.numerics.threads import run_compiled
from kernelspec.numerics.transposition import transpose
from kernelspec.numerics.turns import cosine_of_turns, sine_of_turns

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.numerics.phasor import Form

__all__ = ["evaluate_sparse_phasors", "sparse_phases", "write_features"]

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


_BLOCK = 256
"""Rows that one thread takes at a time."""


def evaluate_sparse_phasors(
    n_rows: int,
    read: Callable[[int, int], Any],
    frequencies: csr_array,
    phases: NDArray[np.float64],
    amplitudes: NDArray[Any],
    form: Form,
    out: NDArray[Any],
) -> None:
    """What `evaluate_phasors` writes, for `frequencies` (N, p) that are CSR, and in radians like the phases (N,).

    The angles x·ω_j + phase_j are summed in double precision, also for data and features in single precision; the
    bits of a row depend on it alone. Rows of whose angles rounding leaves nothing are written as NaN.
    """
    from kernelspec.numerics.turns import DOUBLE, SINGLE

    kind = amplitudes.dtype
    n = len(phases)
    scale = amplitudes * np.sqrt(2.0).astype(kind) if form == "phase" else amplitudes
    starts, places = frequencies.indptr.astype(np.int64), frequencies.indices.astype(np.int64)
    turns, offsets = frequencies.data / (2 * np.pi), phases / (2 * np.pi)
    coefficients = SINGLE if kind == np.float32 else DOUBLE
    paired = form != "phase"
    kept = kept_size(largest_size(turns) * np.sqrt(np.diff(starts).max(initial=0)), turns.dtype)
    sizes = AngleSizes(frequencies / (2 * np.pi))

    def work(start: int, stop: int) -> None:
        rows = read(start, stop)
        block = np.array(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=kind, order="C")
        part = out[start:stop]
        values = part if form != "complex" else np.empty((stop - start, 2 * n), dtype=kind)
        write_features(block, starts, places, turns, offsets, scale, coefficients, paired, values)
        if form == "complex":
            part.real, part.imag = values[:, :n], values[:, n:]
        if not largest_size(block) <= kept:
            part[sizes.lost(block, turns.dtype)] = np.nan

    run_compiled(n_rows, _BLOCK, work)


def sparse_phases(data: Any, frequencies: csr_array) -> NDArray[Any]:
    """x·ω_j for rows (n, p), dense or CSR, and CSR frequencies (N, p) → (n, N), of the type of the data.

    Every sum goes over the entries of ω_j in their order, and so has the same bits in any batch.
    """
    table = data if isinstance(data, np.ndarray) else data.toarray()
    return np.ascontiguousarray((frequencies @ table.T.astype(np.float64)).T.astype(data.dtype))
