"""Features as Arrow columns: what Parquet files and streams of record batches hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.feature_writer import dense
from kernelspec.numerics.columns_of_rows import write_columns
from kernelspec.tables.reused_rows import ReusedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

__all__ = ["feature_columns", "feature_fields"]


def feature_fields(names: Sequence[str], dtype: np.dtype[Any]) -> list[pa.Field]:
    """A field for every feature, none of which is ever missing."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(dtype)
    return [pa.field(name, kind, nullable=False) for name in names]


def feature_columns(block: Any, dtype: np.dtype[Any]) -> list[pa.Array]:
    """The columns of a dense block in memory of their own: the caller may use the block again.

    Raises:
        ValueError: the block is sparse.
    """
    import pyarrow as pa

    rows = dense(block, dtype, ReusedRows())
    columns = np.empty(rows.shape[::-1], dtype=dtype)
    write_columns(rows, columns)
    return [pa.array(column) for column in columns]
