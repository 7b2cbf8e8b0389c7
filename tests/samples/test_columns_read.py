"""Columns that frequencies act on."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from kernelspec.errors import DataError
from kernelspec.samples.frequencies import ColumnRead, UnitColumn, in_order, numbers_on, positions_read
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
