"""Weights in panels of samples, as the compiled loops multiply them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.aligned import aligned

__all__ = ["PANEL", "ROWS", "filled_up", "pack_weights"]

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
