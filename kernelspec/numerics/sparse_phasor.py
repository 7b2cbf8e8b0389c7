"""The numerical kernel of sparse Fourier features: a few columns a sample, then cosine and sine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.lost_angles import AngleSizes, kept_size, largest_size
from kernelspec.numerics.threads import run_compiled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.numerics.phasor import Form

__all__ = ["evaluate_sparse_phasors", "sparse_phases"]

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
    from kernelspec.numerics.sparse_phasor_kernels import write_features
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
