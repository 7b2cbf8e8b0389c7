"""CSR matrices in given memory, and where they are cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from kernelspec.tables.rows import consecutive_rows, matrix_of, row_limits


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
