"""Rows of a CSR matrix one after the other, in memory that has room for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from kernelspec.maps import hashed_columns as appended_rows
from kernelspec.maps import hashed_columns as sparse_table
from kernelspec.maps.hashed_columns import AppendedRows, SparseTable


@given(sizes=st.lists(st.integers(0, 5), max_size=6), length=st.integers(0, 4), seed=st.integers(0, 99))
def test_what_is_appended_is_there_in_order(sizes: list[int], length: int, seed: int) -> None:
    generator, parts = np.random.default_rng(seed), []
    found = AppendedRows(SparseTable.empty(sum(sizes), length, 9, np.dtype(float)))
    for i, size in enumerate(sizes):
        room = found.room(size)
        assert room.data.shape == (size, length)
        room.data[:] = generator.standard_normal((size, length))
        room.indices[:] = np.sort(np.argsort(generator.random((size, 9)), axis=1)[:, :length], axis=1)
        if i % 2 and size and length:
            room.indices[:, 0] = -1
            part = room.finished(size)
        else:
            part = room.finished(0)
        parts.append(part.toarray())
        found.append(part)
    matrix = found.matrix()
    np.testing.assert_array_equal(matrix.toarray(), np.vstack([np.empty((0, 9)), *parts]))
    assert matrix.nnz == len(matrix.data) == len(matrix.indices)
    matrix.check_format(full_check=True)


def test_starts_are_added_in_the_type_of_the_whole() -> None:
    found = AppendedRows(SparseTable(np.zeros((2, 0)), np.zeros((2, 0), dtype=np.int64), 9))
    for before in (2**31 - 2, 2**31 + 5):  # more than the rows' own starts can count
        found._rows, found._entries = 0, before
        rows = csr_array((1, 9))
        assert rows.indptr.dtype == np.int32
        rows.indptr = np.array([0, 3], dtype=np.int32)  # as if there were entries, which would need memory
        found.append(rows)
        assert found._pointers[1] == before + 3


def full(room: SparseTable) -> Any:
    room.data[:], room.indices[:] = 1, np.arange(2)
    return room.finished(0)


def test_full_rows_are_not_copied_and_a_small_matrix_is_not_either() -> None:
    table = SparseTable.empty(100, 2, 4, np.dtype(float))
    found = AppendedRows(table)
    for size in (30, 10):
        found.append(full(found.room(size)))
    assert np.shares_memory(found.room(5).data, table.data[40:45])
    missing = found.room(60)
    missing.data[:], missing.indices[:] = 1, -1
    found.append(missing.finished(120))
    matrix = found.matrix()
    assert (matrix.shape, matrix.nnz) == ((100, 4), 80)
    assert matrix.data.ctypes.data == table.data.ctypes.data
    assert matrix.indices.ctypes.data == table.indices.ctypes.data


@pytest.mark.parametrize(("room", "kind"), [(5, np.int64), (100, np.int32)])
def test_indices_are_as_wide_as_they_must_be(room: int, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sparse_table, appended_rows):
        monkeypatch.setattr(module, "index_dtype", lambda largest: np.dtype(np.int32 if largest <= 9 else np.int64))
    table = SparseTable.empty(5, 2, 4, np.dtype(float))  # for ten entries at most
    assert table.indices.dtype == np.int64
    found = AppendedRows(table)
    for size in (3, 2):
        part = full(found.room(size))
        found.append(part if room == 5 else part[:, :1])
    matrix = found.matrix()
    assert matrix.indices.dtype == matrix.indptr.dtype == kind
    assert matrix.nnz == (10 if room == 5 else 5)
