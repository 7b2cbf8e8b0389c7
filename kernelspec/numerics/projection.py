"""Rows times frequencies, with bits that depend on the row alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_phasors import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["project"]


def project(rows: Any, frequencies: NDArray[Any]) -> NDArray[Any]:
    """x·ω_j for rows (n, p), dense or CSR, and frequencies (p, N) → (n, N), in the calling thread.

    Of the type of the frequencies. Every sum goes over the columns in their order, and is rounded once for each.
    """
    if not isinstance(rows, np.ndarray):
        return np.asarray(rows @ frequencies)
    from kernelspec.numerics.projection_kernels import project_block

    kind, n = frequencies.dtype, frequencies.shape[1]
    weights = pack_weights(frequencies.T, kind)
    panels, _, panel = weights.shape
    sums = aligned((filled_up(len(rows)), panels * panel), kind)
    project_block(plain(rows, kind), weights, np.zeros((panels, panel), dtype=kind), sums)
    return np.ascontiguousarray(sums[: len(rows), :n])
