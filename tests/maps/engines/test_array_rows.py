"""Rows of another library: some of their columns, and their directions."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import DataError
from kernelspec.maps.arrays import ArrayRows, ArrayValues
from kernelspec.tables.rows import Rows

xp = pytest.importorskip("array_api_strict")

NUMBERS = np.random.default_rng(0).normal(size=(4, 3)) * [[1], [1e200], [1e-200], [5]]


def rows(numbers: np.ndarray, first: int = 0) -> ArrayRows:
    return ArrayRows(ArrayValues(xp.asarray(numbers), xp, None), first=first)


def test_columns_and_directions() -> None:
    found, exact = rows(NUMBERS).select((2, 0)), Rows(NUMBERS).select((2, 0))
    np.testing.assert_array_equal(np.asarray(found.dense().values), exact.numbers)
    np.testing.assert_allclose(
        np.asarray(found.on_unit_sphere().dense().values), exact.on_unit_sphere().numbers, rtol=1e-15
    )
    assert not found.is_sparse
    assert found.select((0, 1)) is found
    with pytest.raises(TypeError, match="categories"):
        found.codes(0)


def test_a_row_of_zeros_has_no_direction() -> None:
    with pytest.raises(DataError, match="row 12 is all zeros, so it has"):
        rows(np.array([[1.0, 2], [3, 4], [0, 0]]), first=10).on_unit_sphere()
