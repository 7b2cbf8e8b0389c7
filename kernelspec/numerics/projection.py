"""Rows times frequencies, with bits that depend on the row alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_phasors import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["Projection", "project"]


@dataclass(frozen=True, eq=False)
class Projection:
    """What multiplies rows of p numbers by n frequencies, packed once."""

    weights: NDArray[Any]
    n: int

    @classmethod
    def of(cls, frequencies: NDArray[Any]) -> Projection:
        """Of frequencies (p, n)."""
        return cls(pack_weights(frequencies.T, frequencies.dtype), frequencies.shape[1])

    def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
        """x·ω_j for rows (m, p) → (m, n), in the calling thread."""
        from kernelspec.numerics.projection_kernels import project_block

        panels, _, panel = self.weights.shape
        kind = self.weights.dtype
        sums = aligned((filled_up(len(rows)), panels * panel), kind)
        project_block(plain(rows, kind), self.weights, np.zeros((panels, panel), dtype=kind), sums)
        return sums[: len(rows), : self.n]


def project(rows: Any, frequencies: NDArray[Any]) -> NDArray[Any]:
    """x·ω_j for rows (n, p), dense or CSR, and frequencies (p, N) → (n, N), in the calling thread.

    Of the type of the frequencies. Every sum goes over the columns in their order, and is rounded once for each.
    """
    if not isinstance(rows, np.ndarray):
        return np.asarray(rows @ frequencies)
    return np.ascontiguousarray(Projection.of(frequencies)(rows))
