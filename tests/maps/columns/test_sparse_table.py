"""The matrix as it is written."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.maps.columns import hashed as sparse_table
from kernelspec.maps.columns.hashed import SparseTable


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex128])
def test_a_full_table(kind: type) -> None:
    table = SparseTable.empty(3, 2, 10, np.dtype(kind))
    table.data[:] = [[1, 2], [3, 4], [5, 6]]
    table.indices[:] = [[0, 9], [1, 2], [3, 8]]
    matrix = table.finished(0)
    expected = np.zeros((3, 10))
    expected[[0, 0, 1, 1, 2, 2], [0, 9, 1, 2, 3, 8]] = [1, 2, 3, 4, 5, 6]
    assert matrix.dtype == kind
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert np.array_equal(matrix.toarray(), expected)
    assert np.shares_memory(matrix.data, table.data)
    assert np.shares_memory(matrix.indices, table.indices)


def test_missing_columns_leave_no_entry() -> None:
    table = SparseTable.empty(3, 2, 10, np.dtype(float))
    table.data[:] = [[1, 2], [3, 4], [5, 6]]
    table.indices[:] = [[-1, 9], [-1, -1], [3, 8]]
    matrix = table.finished(3)
    assert matrix.nnz == len(matrix.data) == 3
    expected = np.zeros((3, 10))
    expected[[0, 2, 2], [9, 3, 8]] = [2, 5, 6]
    assert np.array_equal(matrix.toarray(), expected)


def test_wide_indices_only_where_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SparseTable.empty(1, 1, 2**31 - 1, np.dtype(float)).indices.dtype == np.int32
    table = SparseTable.empty(1, 1, 2**31, np.dtype(float))
    table.data[:], table.indices[:] = 1, 2**31 - 1
    assert table.indices.dtype == np.int64
    assert table.finished(0).indices.tolist() == [2**31 - 1]
    monkeypatch.setattr(sparse_table, "index_dtype", lambda largest: np.dtype(np.int32 if largest <= 5 else np.int64))
    assert SparseTable.empty(2, 3, 4, np.dtype(float)).indices.dtype == np.int64
    assert SparseTable.empty(1, 3, 4, np.dtype(float)).indices.dtype == np.int32
