"""How wide the indices of sparse matrices are."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["index_dtype"]


def index_dtype(largest: int) -> np.dtype[Any]:
    """The dtype of the indices and row pointers of a sparse matrix: 32 bits where they suffice.

    Some solvers accept nothing else. `largest` is the number of columns, or of entries if that is more.
    """
    return np.dtype(np.int32 if largest <= np.iinfo(np.int32).max else np.int64)
