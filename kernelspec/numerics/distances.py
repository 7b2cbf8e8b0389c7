"""Distances of all rows from all others, at the speed of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_weights import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["PackedRows", "distances"]

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
    from kernelspec.numerics.distance_kernels import add_differences

    sums = aligned((filled_up(len(x)), panels[:, 0].size), _DOUBLE)
    sums[...] = 0
    add_differences(x, panels, kind == "squared", sums)
    return sums[: len(x)]
