"""Memory for the rows of one block after another: getting new memory costs more than filling it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ReusedRows"]


class ReusedRows:
    """One array that is given out again and again, so its rows last until the next call.

    In the workers of Dask, which set MALLOC_TRIM_THRESHOLD_, the C library gives every large array back to the system.
    """

    def __init__(self) -> None:
        self._kept = np.empty((0, 0))

    def of(self, n_rows: int, width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """`n_rows` rows of `width` numbers, C-contiguous: zeros at first, later what was written there last.

        New memory is taken for more rows than ever, for another width and for another type.
        """
        kept = self._kept
        if n_rows > len(kept) or kept.shape[1] != width or kept.dtype != dtype:
            kept = self._kept = np.zeros((n_rows, width), dtype=dtype)
        return kept[:n_rows]
