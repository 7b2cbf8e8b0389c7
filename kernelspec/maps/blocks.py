"""Features of one block of rows after another, in memory that is used again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.columns.sparse_table import SparseTable
from kernelspec.maps.evaluation import empty_table
from kernelspec.maps.transformed_rows import transform_rows
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.tables.rows import Rows

__all__ = ["ReusedFeatures", "rows_at_a_time"]

_MOST_ROWS = 16384
_BYTES = 2**25
_BYTES_PER_ENTRY = 16
"""Of a stored entry of sparse features: its value and its column."""

_NUMERICAL_BLOCK = 256


def rows_at_a_time(drawn: DrawnPlan) -> int:
    """How many rows have features of about 32 MiB: at most 16384, a multiple of 256 where possible."""
    if drawn.is_sparse:
        rows = _BYTES // (drawn.plan.n_features * _BYTES_PER_ENTRY)
    else:
        rows = _BYTES // ((16 if drawn.plan.form == "complex" else 8) * drawn.n_columns)
    rows = min(_MOST_ROWS, max(1, rows))
    return rows // _NUMERICAL_BLOCK * _NUMERICAL_BLOCK or rows


class ReusedFeatures:
    """The features of one block after another, in memory that is kept: fresh memory costs more than what is computed.

    Sparse features of both sides have memory of their own.
    """

    def __init__(self, drawn: DrawnPlan, side: Side | Literal["both"] | None = None) -> None:
        self._drawn, self._side = drawn, side
        self._kept: NDArray[Any] | SparseTable | None = None
        self._numbers: np.dtype[Any] | None = None

    def of(self, rows: Rows) -> NDArray[Any] | csr_array:
        """The features of some rows, which last until the next call. Raises what `transform_rows` does."""
        if self._kept is None or self._numbers != rows.numbers.dtype or len(rows) > len(self._kept):
            self._kept, self._numbers = None, rows.numbers.dtype
            if self._drawn.is_sparse and self._drawn.has_keys and self._side != "both":
                self._kept = empty_table(self._drawn, len(rows), rows.numbers.dtype)
        out = None if self._kept is None else self._kept[: len(rows)]
        features = transform_rows(self._drawn, rows, self._side, out)
        if self._kept is None and isinstance(features, np.ndarray):
            self._kept = features
        return features
