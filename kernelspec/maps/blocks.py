"""Features of one block of rows after another, in memory that is used again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.tables.rows import Rows

__all__ = ["ReusedFeatures", "rows_at_a_time"]

_MOST_ROWS = 16384
_DENSE_BYTES, _SPARSE_BYTES = 2**25, 2**26
_BYTES_PER_ENTRY = 64
"""Of a stored entry of sparse features: key, bucket, sign, value and index, while they are made."""

_NUMERICAL_BLOCK = 256


def rows_at_a_time(drawn: DrawnPlan) -> int:
    """How many rows have features of about 32 MiB: at most 16384, a multiple of 256 where possible.

    For sparse features it is 64 MiB, with all that is in memory while they are made.
    """
    if drawn.is_sparse:
        rows = _SPARSE_BYTES // (drawn.plan.n_features * _BYTES_PER_ENTRY)
    else:
        rows = _DENSE_BYTES // ((16 if drawn.plan.form == "complex" else 8) * drawn.n_columns)
    rows = min(_MOST_ROWS, max(1, rows))
    return rows // _NUMERICAL_BLOCK * _NUMERICAL_BLOCK or rows


class ReusedFeatures:
    """`transform(rows, out)` with an `out` that is kept: fresh memory costs more than what is computed in it.

    Sparse features have memory of their own.
    """

    def __init__(self, transform: Callable[[Rows, NDArray[Any] | None], NDArray[Any] | csr_array]) -> None:
        self._transform = transform
        self._buffer: NDArray[Any] | None = None
        self._numbers: np.dtype[Any] | None = None

    def of(self, rows: Rows) -> NDArray[Any] | csr_array:
        """The features of some rows; dense ones last until the next call. Raises what `transform` does."""
        buffer = self._buffer
        if buffer is not None and self._numbers == rows.numbers.dtype and len(rows) <= len(buffer):
            return self._transform(rows, buffer[: len(rows)])
        features = self._transform(rows, None)
        if isinstance(features, np.ndarray):
            self._buffer, self._numbers = features, rows.numbers.dtype
        return features
