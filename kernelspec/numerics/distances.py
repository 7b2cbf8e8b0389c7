"""Distances of all rows from all others, and projections, with bits that depend on the row alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.arrays import aligned, plain

__all__ = ["PANEL", "ROWS", "PackedRows", "Projection", "distances", "filled_up", "pack_weights"]

PANEL = 256
"""Bytes of a panel for one column: as many samples are multiplied at a time as fill them."""

ROWS = 4
"""Rows that are multiplied by a panel at a time: what is loaded of it serves all of them."""


def filled_up(rows: int) -> int:
    """The height of memory for the products of so many rows."""
    return -(-rows // ROWS) * ROWS


def pack_weights(weights: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Weights (N, p) in panels of samples, filled up with zeros: (panels, p or 1, panel)."""
    n, p = weights.shape
    panel = PANEL // dtype.itemsize
    packed = aligned((max(1, -(-n // panel)), max(1, p), panel), dtype)
    packed[...] = 0
    with np.errstate(over="ignore"):
        for b in range(len(packed)):
            own = weights[b * panel : (b + 1) * panel]
            packed[b, :p, : len(own)] = own.T
    return packed


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


_DOUBLE = np.dtype(np.float64)


_AT_ONCE, _AT_A_TIME = 2**24, 2**22
"""Bytes of rows that are packed once, and of those that are packed for every block where there are more."""


@dataclass(frozen=True, eq=False)
class PackedRows:
    """Rows y (m, p) that others are compared with: packed once, if they are no more than 16 MiB."""

    y: NDArray[np.float64]
    panels: NDArray[Any] | None

    @classmethod
    def of(cls, y: NDArray[np.float64]) -> PackedRows:
        """Of rows (m, p)."""
        return cls(y, pack_weights(y, _DOUBLE) if y.nbytes <= _AT_ONCE else None)

    def distances(self, x: NDArray[np.float64], kind: Literal["squared", "absolute"]) -> NDArray[np.float64]:
        """Those of rows x (n, p) from these, (n, m), in the calling thread: the same bits, whenever they are packed."""
        rows = plain(x, _DOUBLE)
        if self.panels is not None:
            return _distances(rows, self.panels, kind)[:, : len(self.y)]
        found = np.empty((len(x), len(self.y)))
        size = max(1, _AT_A_TIME // self.y[0].nbytes)
        for first in range(0, len(self.y), size):
            some = self.y[first : first + size]
            found[:, first : first + size] = _distances(rows, pack_weights(some, _DOUBLE), kind)[:, : len(some)]
        return found


def distances(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: Literal["squared", "absolute"]
) -> NDArray[np.float64]:
    """Σ_k (x_ik − y_jk)², or Σ_k |x_ik − y_jk|, of rows (n, p) and (m, p) → (n, m), in the calling thread.

    Of differences, which are rounded once: expanding the square would cancel. Every sum goes over the columns in their
    order, whatever the other rows are.
    """
    return PackedRows.of(y).distances(x, kind)


def _distances(
    x: NDArray[np.float64], panels: NDArray[Any], kind: Literal["squared", "absolute"]
) -> NDArray[np.float64]:
    """Those from packed rows, `panels` (panels, p or 1, panel), and from the zeros that fill the last panel up."""
    from kernelspec.numerics.projection_kernels import add_differences

    sums = aligned((filled_up(len(x)), panels[:, 0].size), _DOUBLE)
    sums[...] = 0
    add_differences(x, panels, kind == "squared", sums)
    return sums[: len(x)]
