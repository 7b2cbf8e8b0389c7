"""Fourier features: a matrix product, dense or sparse, followed by cosine and sine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.loading import has_package
from kernelspec.numerics.arrays import Projection, aligned, exact_product, filled_up, plain
from kernelspec.numerics.packed import (
    AngleSizes,
    PackedHadamard,
    PackedPhasors,
    kept_size,
    largest_size,
    least_lost_turns,
    lengths_of,
)
from kernelspec.numerics.threads import processors, run_compiled
from kernelspec.random.streams import Hashes, mix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Form",
    "PlacedPhasors",
    "evaluate_phasors",
    "evaluate_sparse_phasors",
    "evaluate_stacked",
    "fractions_of_turns",
    "losses_of_stacked",
    "sparse_phases",
    "width",
]

Form = Literal["paired", "phase", "complex"]

Packed: TypeAlias = PackedPhasors | PackedHadamard
"""Stored frequencies, or structured ones applied by additions."""

_ROWS = 64  # rows multiplied by a block of frequencies before cosine and sine are taken
_SAMPLES = 2048  # frequencies multiplied at a time: products stay in the cache, and lines are written in long runs
_WORK = 2**25  # products per block of rows: about half a millisecond, to make the overhead between blocks negligible
_NUMBERS = 2**20  # products computed together for angles that rounding loses
_MOST_ROWS = 4096
_BUFFER = 2**18  # bytes of features copied at a time if they cannot be written in place


def width(form: Form, n_samples: int) -> int:
    """Columns for n samples: two each for cosine and sine, else one."""
    return 2 * n_samples if form == "paired" else n_samples


def evaluate_phasors(n_rows: int, read: Callable[[int, int], Any], phasors: Packed, out: NDArray[Any]) -> bool:
    """Write the features of rows to `out` (n_rows, width), on all processors; whether all are known to be finite and
    accurate.

    With t = x·ω_j + phase_j and a_j the amplitude: paired [a cos t | a sin t], phase a √2 cos t, complex a exp(i t).
    `read(start, stop)` gives rows (·, p), dense or CSR, of any dtype and memory order. Absolute errors of cosine and
    sine at t are below 2e-7 in single precision and 3e-16 in double, for t of any size; t itself is rounded once per
    column. Angles of which that leaves nothing are exact, or independent for unequal rows; rows that lose half of their
    angles become NaN. The bits of a row depend on it alone, and are the same for dense and sparse storage.
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
    """How many rows, with `work` products each, a thread processes at a time: equal parts for all threads."""
    most = min(_MOST_ROWS, max(_ROWS, _WORK // work))
    if n_rows <= most:
        return most
    blocks, threads = -(-n_rows // most), processors()
    if blocks > threads:
        blocks = -(-blocks // threads) * threads
    return filled_up(-(-n_rows // blocks))


def write_phasors(data: Any, phasors: Packed, out: NDArray[Any]) -> bool:
    """`evaluate_phasors` for one block of rows, in the calling thread."""
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
        out[phasors.lost(rows)] = np.nan  # whole turns would give cosines of one, and make unequal rows equal
    return False


def _write(rows: Any, phasors: Packed, out: NDArray[Any]) -> int:
    """Write features; returns how many numbers may be lost to rounding or make features overflow."""
    if isinstance(phasors, PackedHadamard):
        return _write_structured(rows, phasors, out)
    beyond = _write_stored(rows, phasors, out)
    if beyond:
        _write_lost_angles(rows, phasors, out)
    return beyond


def _write_lost_angles(rows: Any, phasors: PackedPhasors, out: NDArray[Any]) -> None:
    """Replace the features whose angles rounding leaves nothing of by those of `fractions_of_turns`."""
    n, p, least = phasors.n, rows.shape[1], least_lost_turns(phasors.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        fast = np.flatnonzero(phasors.turns * lengths_of(rows).max(initial=0.0) >= least / 2)
    if not len(fast):
        return
    panel = phasors.weights.shape[2]
    weights = phasors.weights[fast // panel, :p, fast % panel].astype(np.float64)
    offsets = phasors.offsets.reshape(-1)[fast].astype(np.float64)
    amplitudes = phasors.sizes.reshape(-1)[fast]
    samples = mix(fast, offsets.view(np.uint64))  # in single precision, the fastest are all of one frequency
    height = max(1, _NUMBERS // max(1, weights.size))
    for start in range(0, rows.shape[0], height):
        part = rows[start : start + height]
        numbers = (part if isinstance(part, np.ndarray) else part.toarray()).astype(np.float64)
        turns = np.zeros((len(numbers), len(fast)))
        with np.errstate(over="ignore", invalid="ignore"):
            for x, w in zip(np.abs(numbers).T, np.abs(weights).T, strict=True):  # BLAS has other bits for other blocks
                turns += x[:, None] * w
        row, own = np.nonzero(turns >= least)
        fractions = fractions_of_turns(numbers[row], weights[own], samples[own], phasors.dtype)
        angles, columns = 2 * np.pi * (fractions + offsets[own]), fast[own]
        out[start + row, columns] = amplitudes[own] * np.cos(angles)
        if phasors.form != "phase":
            out[start + row, n + columns] = amplitudes[own] * np.sin(angles)


def fractions_of_turns(
    rows: NDArray[np.float64], turns: NDArray[np.float64], samples: Hashes, dtype: np.dtype[Any]
) -> NDArray[np.float64]:
    """Σ_c x_c w_c modulo one, for pairs of a row x and a frequency w in turns, (K, p) each: (K,).

    Products are exact. Those of numbers of b bits are whole turns beyond 2²ᵇ; those beyond 2²ᵇ⁻¹⁶ are hashed with their
    frequency and its `samples` (K,): equal numbers have the same angle, others independent ones, as frequencies without
    bound would give them.
    """
    most = 4.0 ** (np.finfo(dtype).nmant - 8)
    products, errors = exact_product(rows, turns)
    with np.errstate(invalid="ignore"):
        found = (products - np.rint(products)) + (errors - np.rint(errors))
    words = mix(np.ascontiguousarray(rows + 0.0).view(np.uint64), np.ascontiguousarray(turns).view(np.uint64))
    words = mix(words, samples[:, None])
    hashed = np.where(np.isfinite(rows), (words >> np.uint64(11)).astype(np.float64) * 2.0**-53, np.nan)
    return np.asarray(np.where(np.abs(products) < most, found, hashed).sum(axis=1))


def _write_structured(rows: Any, phasors: PackedHadamard, out: NDArray[Any]) -> int:
    from kernelspec.numerics.hadamard_kernels import write_hadamard_rows

    table = rows if isinstance(rows, np.ndarray) else plain(rows.toarray(), phasors.dtype)
    own = phasors.factors, phasors.lengths, phasors.offsets, phasors.sizes
    form = phasors.form != "phase", _coefficients(phasors.dtype), phasors.ordinary
    return write_hadamard_rows(table, *own, *form, aligned((phasors.size,), phasors.dtype), out)


def _write_stored(rows: Any, phasors: PackedPhasors, out: NDArray[Any]) -> int:
    if not has_package("numba"):
        return _write_by_numpy(rows, phasors, out)
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


def _write_by_numpy(rows: Any, phasors: PackedPhasors, out: NDArray[Any]) -> int:
    """The same features to within rounding, without Numba, which `pip install --no-deps` omits."""
    n, columns = phasors.n, rows.shape[1]
    weights = np.moveaxis(phasors.weights, 1, 0).reshape(phasors.weights.shape[1], -1)[:columns, :n]
    turns = rows @ weights + phasors.offsets.reshape(-1)[:n]
    angles, sizes = 2 * np.pi * (turns - np.round(turns)), phasors.sizes.reshape(-1)[:n]
    np.multiply(np.cos(angles), sizes, out=out[:, :n])
    if phasors.form != "phase":
        np.multiply(np.sin(angles), sizes, out=out[:, n:])
    numbers = rows if isinstance(rows, np.ndarray) else rows.data
    return int(np.count_nonzero(~(np.abs(numbers) <= phasors.ordinary)))


@cache
def _loops() -> tuple[Callable[..., int], Callable[..., int]]:
    """The compiled loops over dense and over sparse rows, cached: for a single row, the import would dominate."""
    from kernelspec.numerics.phasor_kernels import write_rows, write_sparse_rows

    return write_rows, write_sparse_rows


@cache
def _coefficients(dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """Polynomial coefficients for angles in turns."""
    from kernelspec.numerics.phasor_kernels import DOUBLE, SINGLE

    return SINGLE if dtype == np.float32 else DOUBLE


PlacedPhasors: TypeAlias = tuple[NDArray[np.intp] | Projection | None, Packed]
"""A subset of the samples, with the columns of a row x that they use or a matrix A applied to x; None for all of x."""


def evaluate_stacked(
    n_rows: int, read: Callable[[int, int], Any], parts: Sequence[PlacedPhasors], out: NDArray[Any]
) -> bool:
    """`evaluate_phasors` for several parts of one form: all cosines first, then all sines."""
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
    """The largest relative loss in rounding over the parts, for each of the rows (m, p): (m,)."""
    return np.asarray(np.max([phasors.losses(_on(rows, places)) for places, phasors in parts], axis=0))


def _on(rows: Any, read: NDArray[np.intp] | Projection | None) -> Any:
    if read is None:
        return rows
    if isinstance(read, Projection):
        return read(rows if isinstance(rows, np.ndarray) else rows.toarray())
    return rows[:, read]


_SPARSE_ROWS = 256  # rows per thread at a time, for sparse frequencies


def evaluate_sparse_phasors(
    n_rows: int,
    read: Callable[[int, int], Any],
    frequencies: csr_array,
    phases: NDArray[np.float64],
    amplitudes: NDArray[Any],
    form: Form,
    out: NDArray[Any],
) -> None:
    """`evaluate_phasors` for CSR `frequencies` (N, p), in radians like the phases (N,).

    The angles x·ω_j + phase_j are summed in double precision, even for data and features in single precision; the bits
    of a row depend on it alone. Rows whose angles are lost to rounding become NaN.
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
    """x·ω_j for rows (n, p), dense or CSR, and CSR frequencies (N, p) → (n, N), in the dtype of the data.

    Sums run over the entries of ω_j in order, so the bits are the same in any batch.
    """
    table = data if isinstance(data, np.ndarray) else data.toarray()
    return np.ascontiguousarray((frequencies @ table.T.astype(np.float64)).T.astype(data.dtype))
