"""Tests of `samples/frequencies.py`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csr_array

from kernelspec.errors import DataError
from kernelspec.samples.frequencies import (
    ColumnRead,
    Frequencies,
    UnitColumn,
    in_order,
    mapped,
    numbers_on,
    positions_read,
    run_sums,
    spread,
    stacked,
    summed,
)
from kernelspec.tables.rows import Rows

X = np.array([[3.0, 4.0, 1.0], [0.0, -2.0, 5.0]])
MIXED: tuple[ColumnRead, ...] = (1, UnitColumn(0, (0, 1)), UnitColumn(1, (0, 1)), UnitColumn(2, (1, 2)))
EXPECTED = np.array([[4, 0.6, 0.8, 1 / np.sqrt(17)], [-2, 0, -1, 5 / np.sqrt(29)]])


def test_order() -> None:
    assert in_order([MIXED[3], MIXED[1], 1, MIXED[2], 1, 0]) == (0, *MIXED)
    assert positions_read(MIXED) == (0, 1, 2)
    assert positions_read((2, 0)) == (0, 2)


def test_numbers() -> None:
    np.testing.assert_allclose(numbers_on(Rows(X), MIXED), EXPECTED, rtol=1e-15)
    np.testing.assert_allclose(numbers_on(Rows(sp.csr_array(X)), MIXED).toarray(), EXPECTED, rtol=1e-15)
    assert numbers_on(Rows(X), (0, 1, 2)) is X
    assert np.array_equal(numbers_on(Rows(X), (2, 0)), X[:, [2, 0]])
    assert numbers_on(Rows(X.astype(np.float32)), MIXED).dtype == np.float32


def test_a_row_without_direction() -> None:
    with pytest.raises(DataError, match="row 1 has only zeros"):
        numbers_on(Rows(X * [[1], [0]]), MIXED)


def test_unit_columns_that_are_none_are_refused() -> None:
    UnitColumn(2, (0, 2)).validate()
    for position, among in ((1, (0, 2)), (0, (0, 0)), (0, ())):
        with pytest.raises(ValueError, match="is not one of the columns"):
            UnitColumn(position, among).validate()


def test_columns_of_one_norm_are_not_compared_with_each_other() -> None:
    """Of d columns that share what their norm is taken over, comparing it would take d² steps."""

    class Shared(tuple[int, ...]):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        __hash__ = tuple.__hash__

    among = Shared(range(9))
    columns = tuple(UnitColumn(i, among) for i in range(9))
    assert in_order(columns[::-1]) == columns
    assert positions_read(columns) == tuple(range(9))
    assert UnitColumn(0, (0, 1)) == UnitColumn(0, (0, 1)) != UnitColumn(0, (0, 2))
    assert UnitColumn(0, (0, 1)) != 0


GENERATOR = np.random.default_rng(4)


def matrix(n: int, p: int) -> np.ndarray:
    return GENERATOR.normal(size=(n, p)) * (GENERATOR.random((n, p)) < 0.4)


def dense(frequencies: Frequencies) -> np.ndarray:
    if isinstance(frequencies, np.ndarray):
        return frequencies
    assert isinstance(frequencies, csr_array)
    assert frequencies.has_canonical_format
    assert (frequencies.data != 0).all()
    return frequencies.toarray()


A, B = matrix(5, 3), matrix(5, 3)


def test_spread_adds_what_stands_on_one_column() -> None:
    onto = (0, 4, 7, 9)
    expected = np.zeros((5, 4))
    expected[:, 2] = A[:, 0] + A[:, 2]
    expected[:, 0] = A[:, 1]
    assert np.array_equal(dense(spread(A, (7, 0, 7), onto)), expected)
    assert np.array_equal(dense(spread(csr_array(A), (7, 0, 7), onto)), expected)


@pytest.mark.parametrize("sparse", [(0,), (1,), (0, 1)])
def test_sums(sparse: tuple[int, ...]) -> None:
    first, second = (csr_array(part) if i in sparse else part for i, part in enumerate((A, B)))
    assert np.array_equal(dense(summed(first, second)), A + B)
    assert not isinstance(summed(first, second), np.ndarray)
    assert isinstance(summed(A, B), np.ndarray)


def test_frequencies_that_cancel_are_no_entries() -> None:
    assert summed(csr_array(A), csr_array(-A)).nnz == 0  # type: ignore[union-attr]


@pytest.mark.parametrize("sparse", [(0,), (1,), (0, 1)])
def test_stacks(sparse: tuple[int, ...]) -> None:
    first, second = (csr_array(part) if i in sparse else part for i, part in enumerate((A, B[:, :2])))
    expected = np.zeros((10, 4))
    expected[:5, [3, 0, 1]], expected[5:, [1, 2]] = A, B[:, :2]
    found = stacked([(first, (3, 0, 1)), (second, (1, 2))], (0, 1, 2, 3))
    assert np.array_equal(dense(found), expected)
    assert not isinstance(found, np.ndarray)
    assert isinstance(stacked([(A, (0, 1, 2)), (A, (0, 1, 2))], (0, 1, 2)), np.ndarray)


def test_no_columns_beside_sparse_ones() -> None:
    found = stacked([(csr_array(A), (0, 1, 2)), (np.zeros((4, 0)), ())], (0, 1, 2))
    assert np.array_equal(dense(found), np.vstack([A, np.zeros((4, 3))]))


@pytest.mark.parametrize(
    "a", [np.array(2.5), np.array([2.0, 0.0, -1.0]), GENERATOR.normal(size=(3, 2))], ids=["0", "1", "2"]
)
def test_linear_maps(a: np.ndarray) -> None:
    expected = A @ a if a.ndim == 2 else A * a
    np.testing.assert_allclose(dense(mapped(A, a)), expected, rtol=1e-14)
    np.testing.assert_allclose(dense(mapped(csr_array(A), a)), expected, rtol=1e-14, atol=1e-15)


def test_run_sums() -> None:
    first = np.array([0, 2, 3])
    expected = np.stack([A[0] + A[1], A[2], A[3] + A[4]])
    np.testing.assert_allclose(dense(run_sums(A, first)), expected, rtol=1e-14)
    np.testing.assert_allclose(dense(run_sums(csr_array(A), first)), expected, rtol=1e-14)
    assert run_sums(np.zeros((5, 0)), first).shape == (3, 0)
