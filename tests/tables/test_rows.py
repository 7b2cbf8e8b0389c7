"""Tests of `tables/rows.py`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from kernelspec.errors import DataError, NoRowsError
from kernelspec.tables.rows import ReusedRows, Rows, consecutive_rows, first_fault, matrix_of, numbered, row_limits


def table(seed: int = 0, n: int = 20) -> csr_array:
    generator = np.random.default_rng(seed)
    return csr_array(generator.standard_normal((n, 7)) * (generator.random((n, 7)) < 0.4))


def test_a_matrix_in_the_memory_of_its_arrays() -> None:
    X = table()
    large = np.concatenate([X.data, np.zeros(10 * X.nnz)])
    found = matrix_of(large[: X.nnz], X.indices, X.indptr, 7)
    assert np.array_equal(found.toarray(), X.toarray())
    assert np.shares_memory(found.data, large)
    assert found.has_canonical_format
    found.check_format(full_check=True)


@given(seed=st.integers(0, 99), ends=st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted))
def test_consecutive_rows(seed: int, ends: list[int]) -> None:
    start, stop = ends
    X = table(seed)
    found = consecutive_rows(X, start, stop)
    assert np.array_equal(found.toarray(), X.toarray()[start:stop])
    assert found.nnz == 0 or np.shares_memory(found.data, X.data)
    assert found.indptr.dtype == X.indptr.dtype
    found.check_format(full_check=True)  # copies


def test_rows_that_repeat_columns_still_do() -> None:
    X = csr_array((np.ones(6), np.array([3, 1, 1, 2, 2, 0]), np.array([0, 3, 6])), shape=(2, 4))
    X.has_canonical_format = False
    found = consecutive_rows(X, 1, 2)
    assert not found.has_canonical_format
    found.sum_duplicates()
    assert found.toarray().tolist() == [[1, 0, 2, 0]]
    assert X.nnz == 6


@pytest.mark.parametrize("kind", [">f8", ">f4", "<f8", ">i4"])
def test_other_orders_of_bytes(kind: str) -> None:
    X = table()
    swapped = csr_array((X.data.astype(kind), X.indices, X.indptr), shape=X.shape)
    found = consecutive_rows(swapped, 3, 9)
    assert found.dtype == np.dtype(kind).newbyteorder("=")
    assert np.array_equal(found.toarray(), X[3:9].toarray().astype(found.dtype))


@given(lengths=st.lists(st.integers(0, 9), max_size=30), entries=st.integers(1, 12), rows=st.integers(1, 8))
def test_parts_are_as_large_as_they_may_be(lengths: list[int], entries: int, rows: int) -> None:
    pointers = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    X = csr_array((len(lengths), 9))
    X.indptr = pointers
    limits = list(row_limits(X, entries, rows))
    assert limits[0] == 0
    assert limits[-1] == len(lengths)
    for start, stop in pairwise(limits):
        held = pointers[stop] - pointers[start]
        assert 0 < stop - start <= rows
        assert held <= entries or stop - start == 1
        grows = stop < len(lengths) and stop - start < rows
        assert not grows or pointers[stop + 1] - pointers[start] > entries


def test_as_many_entries_as_places_can_count() -> None:
    X = csr_array((4, 9))
    X.indptr = np.array([0, 2**30, 2**31 - 5, 2**31 - 2, 2**31 - 1], dtype=np.int32)
    assert list(row_limits(X, 2**20, 4)) == [0, 1, 2, 4]


DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def test_new_zeros_for_more_rows_another_width_or_type() -> None:
    for wanted in ((5, 3, DOUBLE), (4, 2, DOUBLE), (4, 3, SINGLE)):
        memory = ReusedRows()
        memory.of(4, 3, DOUBLE)[...] = 7
        found = memory.of(*wanted)
        assert found.shape == wanted[:2]
        assert found.dtype == wanted[2]
        assert not found.any()


@pytest.mark.parametrize("row", [0, 1, 2, 63, 64, 98, 99])
def test_every_place(row: int) -> None:
    bad, read_rows = {row, 99}, 0

    def read(rows: range) -> None:
        nonlocal read_rows
        read_rows += len(rows)
        if bad & set(rows):
            raise NoRowsError(f"row {min(bad & set(rows)) - rows[0]} has only zeros")

    found = first_fault(read, range, 100)
    assert found is not None
    assert found[0] == row
    assert isinstance(found[1], NoRowsError)
    assert numbered(found[1], 1000 + row) == f"row {1000 + row} has only zeros"
    assert read_rows <= 100 * 7, "seven halves"


def test_an_error_of_no_single_row() -> None:
    def read(rows: np.ndarray) -> None:
        if len(rows) > 1:
            raise DataError("too many")

    assert first_fault(read, lambda start, stop: np.zeros(stop - start), 8) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("row 0, column 1 is 0", "row 7, column 1 is 0"),
        ("Input contains NaN in row 0, column 'row 0'", "Input contains NaN in row 7, column 'row 0'"),
        ("column 'in row 0' holds 'x' in row 0: no", "column 'in row 0' holds 'x' in row 7: no"),
        ("row 0 is scaled by e^900", "row 7 is scaled by e^900"),
        ("column 'row 0' is text", "column 'row 0' is text"),
    ],
)
def test_the_number_alone_is_replaced(said: str, expected: str) -> None:
    assert numbered(DataError(said), 7) == expected


@pytest.mark.parametrize("table", [np.asarray, csr_array])
def test_a_row_of_a_block_is_refused_by_its_number_in_the_table(table: Callable[[np.ndarray], Any]) -> None:
    numbers = np.ones((9, 2))
    numbers[7] = 0
    block = Rows(table(numbers)).take(slice(2, None)).take(slice(3, 6))
    assert block.first == 5
    with pytest.raises(DataError, match=r"^row 7 is all zeros, so it has"):
        block.select((1,)).on_unit_sphere()
