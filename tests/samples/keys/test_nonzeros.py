"""Signed rows as non-negative weights on twice as many coordinates."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.samples.weighted_keys import nonzeros
from kernelspec.tables.rows import Rows

X = np.array([[0.0, -2.0, 3.0], [0.0, 0.0, -0.0], [1e-310, 0.0, -1e300]])


@pytest.mark.slow
def test_positive_parts_have_even_coordinates():
    found = nonzeros(Rows(X), (0, 1, 2))
    assert found.pointers.tolist() == [0, 2, 2, 4]
    assert found.coordinates.tolist() == [3, 4, 0, 5]
    assert found.weights.tolist() == [2, 3, 1e-310, 1e300]


def test_coordinates_count_the_columns_that_are_asked_for():
    found = nonzeros(Rows(X), (2, 1))
    assert found.coordinates.tolist() == [0, 3, 1]
    assert found.weights.tolist() == [3, 2, 1e300]


@pytest.mark.slow
def test_sparse_rows_with_zeros_duplicates_and_columns_in_any_order():
    data, columns = [3.0, -1.0, 0.0, -1.0, -1e300, 1e-310], [2, 1, 0, 1, 2, 0]
    sparse = csr_array((np.array(data), np.array(columns), np.array([0, 4, 4, 6])), shape=(3, 3))
    for one, other in zip(nonzeros(Rows(sparse), (0, 1, 2)), nonzeros(Rows(X), (0, 1, 2)), strict=True):
        assert one.tolist() == other.tolist()
    assert sparse.nnz == 6  # the caller's rows are as they were
