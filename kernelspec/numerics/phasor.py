"""Fourier features: a matrix product, dense or sparse, then cosine and sine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import Projection, aligned, filled_up, plain
from kernelspec.numerics.packed import AngleSizes, PackedHadamard, PackedPhasors, kept_size, largest_size
from kernelspec.numerics.threads import processors, run_compiled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Form",
    "Packed",
    "PlacedPhasors",
    "evaluate_phasors",
    "evaluate_sparse_phasors",
    "evaluate_stacked",
    "losses_of_stacked",
    "rows_of_a_block",
    "sparse_phases",
    "width",
    "write_phasors",
]

Form = Literal["paired", "phase", "complex"]

Packed: TypeAlias = PackedPhasors | PackedHadamard
"""Frequencies that are stored, or structured ones that are applied by additions."""

_ROWS = 64
"""Rows that are multiplied by some of the frequencies before cosine and sine are taken."""

_SAMPLES = 2048
"""Frequencies that they are multiplied by at a time: products stay in the cache, lines are written far in a row."""

_WORK = 2**25
"""Products of a block of rows: about half a millisecond, so that what happens between two blocks is little."""

_MOST_ROWS = 4096
_BUFFER = 2**18
"""Bytes of features that are copied at a time where they cannot be written in place."""


def width(form: Form, n_samples: int) -> int:
    """Columns taken by n samples: cosine and sine, or one."""
    return 2 * n_samples if form == "paired" else n_samples


def evaluate_phasors(n_rows: int, read: Callable[[int, int], Any], phasors: Packed, out: NDArray[Any]) -> bool:
    """Write the features of rows into `out` (n_rows, width), on all processors; whether all are known to be finite and
    accurate.

    With t = x·ω_j + phase_j and a_j the amplitude: paired [a cos t | a sin t], phase a √2 cos t, complex a exp(i t).
    `read(start, stop)` gives rows (·, p), dense or CSR, of any type and memory order. Absolute errors of cosine and
    sine at t are below 2e-7 in single precision and 3e-16 in double, for t of any size; t itself is rounded once for
    every column. Rows whose angles are lost in rounding become NaN. The bits of a row depend on it alone, and are those
    of the same numbers stored sparsely.
    """
    block = rows_of_a_block(phasors.work, n_rows)
    if 0 < n_rows <= block:
        return write_phasors(read(0, n_rows), phasors, out)
    safe: list[bool] = []

    def work(start: int, stop: int) -> None:
        safe.append(write_phasors(read(start, stop), phasors, out[start:stop]))

    run_compiled(n_rows, block, work)
    return all(safe)


def rows_of_a_block(work: int, n_rows: int) -> int:
    """How many of the rows, of so many products each, a thread takes at a time: equal parts for all threads."""
    most = min(_MOST_ROWS, max(_ROWS, _WORK // work))
    if n_rows <= most:
        return most
    blocks, threads = -(-n_rows // most), processors()
    if blocks > threads:
        blocks = -(-blocks // threads) * threads
    return filled_up(-(-n_rows // blocks))


def write_phasors(data: Any, phasors: Packed, out: NDArray[Any]) -> bool:
    """The same of a block of rows, in the calling thread."""
    rows = data if not isinstance(data, np.ndarray) else plain(data, phasors.dtype)
    if phasors.form != "complex" and out.flags.carray:
        beyond = _write(rows, phasors, out)
    else:
        columns, beyond = width("paired" if phasors.form == "complex" else phasors.form, phasors.n), 0
        height = max(1, _BUFFER // (columns * phasors.dtype.itemsize))
        buffer = np.empty((min(height, len(out)), columns), dtype=phasors.dtype)
        for start in range(0, len(out), height):
            part = out[start : start + height]
            values = buffer[: len(part)]
            beyond += _write(rows[start : start + height], phasors, values)
            if phasors.form == "complex":
                part.real, part.imag = values[:, : phasors.n], values[:, phasors.n :]
            else:
                part[...] = values
    if not beyond:
        return True
    if not largest_size(rows) <= phasors.largest_meaningful:
        out[phasors.lost(rows)] = np.nan  # cosines of whole turns would all be one, and unequal rows alike
    return False


def _write(rows: Any, phasors: Packed, out: NDArray[Any]) -> int:
    """Write features; how many of the numbers may be lost in rounding, or make features overflow."""
    if isinstance(phasors, PackedHadamard):
        return _write_structured(rows, phasors, out)
    return _write_stored(rows, phasors, out)


def _write_structured(rows: Any, phasors: PackedHadamard, out: NDArray[Any]) -> int:
    from kernelspec.numerics.hadamard_kernels import write_hadamard_rows

    table = rows if isinstance(rows, np.ndarray) else plain(rows.toarray(), phasors.dtype)
    own = phasors.factors, phasors.lengths, phasors.offsets, phasors.sizes
    form = phasors.form != "phase", _coefficients(phasors.dtype), phasors.ordinary
    return write_hadamard_rows(table, *own, *form, aligned((phasors.size,), phasors.dtype), out)


def _write_stored(rows: Any, phasors: PackedPhasors, out: NDArray[Any]) -> int:
    write_rows, write_sparse_rows = _loops()
    own = phasors.weights, phasors.offsets, phasors.sizes, phasors.n, phasors.form != "phase"
    coefficients, size = _coefficients(phasors.dtype), min(_SAMPLES, phasors.offsets.size)
    if isinstance(rows, np.ndarray):
        shape = min(_ROWS, filled_up(len(rows))), size
        turns = aligned(shape, phasors.dtype) if len(rows) > 4 else np.empty(shape, dtype=phasors.dtype)
        return write_rows(rows, *own, coefficients, phasors.ordinary, turns, out)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    turns = aligned((1, size), phasors.dtype)
    numbers = plain(rows.data, phasors.dtype)
    columns, pointers = (plain(part, np.dtype(np.int64)) for part in (rows.indices, rows.indptr))
    return write_sparse_rows(pointers, columns, numbers, *own, coefficients, phasors.ordinary, turns, out)


@cache
def _loops() -> tuple[Callable[..., int], Callable[..., int]]:
    """The compiled loops over dense and over sparse rows: of one row, importing them takes a while, every time."""
    from kernelspec.numerics.phasor_kernels import write_rows, write_sparse_rows

    return write_rows, write_sparse_rows


@cache
def _coefficients(dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """Of the polynomial in turns."""
    from kernelspec.numerics.turns import DOUBLE, SINGLE

    return SINGLE if dtype == np.float32 else DOUBLE


PlacedPhasors: TypeAlias = tuple[NDArray[np.intp] | Projection | None, Packed]
"""Some of the samples, with the columns of a row x that they act on, or a matrix A of whose Ax; None for all of x."""


def evaluate_stacked(
    n_rows: int, read: Callable[[int, int], Any], parts: Sequence[PlacedPhasors], out: NDArray[Any]
) -> bool:
    """What `evaluate_phasors` writes, for parts of one form: cosines of all of them, then sines."""
    if len(parts) == 1:
        ((places, phasors),) = parts
        return evaluate_phasors(n_rows, lambda start, stop: _on(read(start, stop), places), phasors, out)
    form, n = parts[0][1].form, sum(phasors.n for _, phasors in parts)
    safe: list[bool] = []

    def work(start: int, stop: int) -> None:
        rows, first = read(start, stop), 0
        for places, phasors in parts:
            own, last = phasors.n, first + phasors.n
            values = np.empty((stop - start, width(form, own)), dtype=out.dtype)
            safe.append(write_phasors(_on(rows, places), phasors, values))
            out[start:stop, first:last] = values[:, :own]
            if form == "paired":
                out[start:stop, n + first : n + last] = values[:, own:]
            first = last

    run_compiled(n_rows, rows_of_a_block(sum(phasors.work for _, phasors in parts), n_rows), work)
    return all(safe)


def losses_of_stacked(rows: Any, parts: Sequence[PlacedPhasors]) -> NDArray[np.float64]:
    """The largest share of the products of one part that each of the rows (m, p) loses in rounding: (m,)."""
    return np.asarray(np.max([phasors.losses(_on(rows, places)) for places, phasors in parts], axis=0))


def _on(rows: Any, read: NDArray[np.intp] | Projection | None) -> Any:
    if read is None:
        return rows
    if isinstance(read, Projection):
        return read(rows if isinstance(rows, np.ndarray) else rows.toarray())
    return rows[:, read]


_SPARSE_ROWS = 256
"""Rows that one thread takes at a time, of sparse frequencies."""


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
    from kernelspec.numerics.phasor_kernels import write_features

    kind = amplitudes.dtype
    n = len(phases)
    scale = amplitudes * np.sqrt(2.0).astype(kind) if form == "phase" else amplitudes
    starts, places = frequencies.indptr.astype(np.int64), frequencies.indices.astype(np.int64)
    turns, offsets = frequencies.data / (2 * np.pi), phases / (2 * np.pi)
    paired = form != "phase"
    kept = kept_size(largest_size(turns) * np.sqrt(np.diff(starts).max(initial=0)), turns.dtype)
    sizes = AngleSizes(frequencies / (2 * np.pi))

    def work(start: int, stop: int) -> None:
        rows = read(start, stop)
        block = np.array(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=kind, order="C")
        part = out[start:stop]
        values = part if form != "complex" else np.empty((stop - start, 2 * n), dtype=kind)
        write_features(block, starts, places, turns, offsets, scale, _coefficients(kind), paired, values)
        if form == "complex":
            part.real, part.imag = values[:, :n], values[:, n:]
        if not largest_size(block) <= kept:
            part[sizes.lost(block, turns.dtype)] = np.nan

    run_compiled(n_rows, _SPARSE_ROWS, work)


def sparse_phases(data: Any, frequencies: csr_array) -> NDArray[Any]:
    """x·ω_j for rows (n, p), dense or CSR, and CSR frequencies (N, p) → (n, N), of the type of the data.

    Every sum goes over the entries of ω_j in their order, and so has the same bits in any batch.
    """
    table = data if isinstance(data, np.ndarray) else data.toarray()
    return np.ascontiguousarray((frequencies @ table.T.astype(np.float64)).T.astype(data.dtype))
