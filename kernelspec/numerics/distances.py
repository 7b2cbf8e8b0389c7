"""Distances of all rows from all others, at the speed of the machine."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned
from kernelspec.numerics.packed_phasors import filled_up, pack_weights
from kernelspec.numerics.plain import plain

__all__ = ["distances"]


def distances(
    x: NDArray[np.float64], y: NDArray[np.float64], kind: Literal["squared", "absolute"]
) -> NDArray[np.float64]:
    """Σ_k (x_ik − y_jk)², or Σ_k |x_ik − y_jk|, of rows (n, p) and (m, p) → (n, m), in the calling thread.

    Of differences, which are rounded once: expanding the square would cancel. Every sum goes over the columns in their
    order, whatever the other rows are.
    """
    from kernelspec.numerics.distance_kernels import add_differences

    double = np.dtype(np.float64)
    others = pack_weights(y, double)
    sums = aligned((filled_up(len(x)), others[:, 0].size), double)
    sums[...] = 0
    add_differences(plain(x, double), others, kind == "squared", sums)
    return sums[: len(x), : len(y)]
