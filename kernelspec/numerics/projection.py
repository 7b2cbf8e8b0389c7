"""Rows times frequencies, with bits that depend on the row alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_weights import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["Projection"]


@dataclass(frozen=True, eq=False)
class Projection:
    """What multiplies rows of p numbers by `frequencies` (p, n), which are packed once, for the first dense rows."""

    frequencies: NDArray[Any]

    @property
    def n(self) -> int:
        """The number of frequencies."""
        return int(self.frequencies.shape[1])

    @cached_property
    def packed(self) -> NDArray[Any]:
        """The frequencies in panels, as `pack_weights` lays them out."""
        return pack_weights(self.frequencies.T, self.frequencies.dtype)

    def __call__(self, rows: Any) -> NDArray[Any]:
        """x·ω_j for rows (m, p), dense or CSR → (m, n), of the type of the frequencies, in the calling thread.

        Every sum goes over the columns in their order, and is rounded once for each.
        """
        if not isinstance(rows, np.ndarray):
            return np.asarray(rows @ self.frequencies)
        from kernelspec.numerics.projection_kernels import project_block

        panels, _, panel = self.packed.shape
        kind = self.packed.dtype
        sums = aligned((filled_up(len(rows)), panels * panel), kind)
        project_block(plain(rows, kind), self.packed, np.zeros((panels, panel), dtype=kind), sums)
        return sums[: len(rows), : self.n]
