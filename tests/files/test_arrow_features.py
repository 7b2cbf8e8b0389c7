"""Features as Arrow columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from kernelspec.tables.parquet import feature_columns, feature_fields


def test_fields_and_columns_of_a_block_that_is_used_again() -> None:
    block = np.arange(6.0).reshape(3, 2)
    columns = feature_columns(block, np.dtype(np.float32))
    block[...] = 0
    assert [column.to_pylist() for column in columns] == [[0, 2, 4], [1, 3, 5]]
    assert feature_fields(["a", "b"], np.dtype(np.float32)) == [
        pa.field(name, pa.float32(), nullable=False) for name in ("a", "b")
    ]


def test_sparse_blocks_are_refused() -> None:
    with pytest.raises(ValueError, match="csr_array"):
        feature_columns(csr_array(np.eye(2)), np.dtype(np.float64))
