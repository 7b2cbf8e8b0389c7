"""Distances of all rows from all others, at the speed of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_phasors import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["PackedRows", "distances"]

_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class PackedRows:
    """m rows that others are compared with, packed once: `panels` (panels, p or 1, panel)."""

    panels: NDArray[Any]
    n: int

    @classmethod
    def of(cls, y: NDArray[np.float64]) -> PackedRows:
        """Of rows (m, p)."""
        return cls(pack_weights(y, _DOUBLE), len(y))

    def distances(self, x: NDArray[np.float64], kind: Literal["squared", "absolute"]) -> NDArray[np.float64]:
        """Those of rows x (n, p) from these, (n, m), in the calling thread."""
        from kernelspec.numerics.distance_kernels import add_differences

        sums = aligned((filled_up(len(x)), self.panels[:, 0].size), _DOUBLE)
        sums[...] = 0
        add_differences(plain(x, _DOUBLE), self.panels, kind == "squared", sums)
        return sums[: len(x), : self.n]


def distances(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: Literal["squared", "absolute"]
) -> NDArray[np.float64]:
    """Σ_k (x_ik − y_jk)², or Σ_k |x_ik − y_jk|, of rows (n, p) and (m, p) → (n, m), in the calling thread.

    Of differences, which are rounded once: expanding the square would cancel. Every sum goes over the columns in their
    order, whatever the other rows are.
    """
    return PackedRows.of(y).distances(x, kind)
