"""Rows: dense, sparse, with categories; parts of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.errors import DataError
from kernelspec.random.streams import hash_numbers, hash_text
from kernelspec.tables.rows import Rows

NUMBERS = np.array([[1.0, 0.0, 3.0], [4.0, 5.0, 0.0], [1.0, 8.0, 9.0]])
CODES = hash_text(["a", "b", "a"])
BOTH = pytest.mark.parametrize("rows", [Rows(NUMBERS, {1: CODES}), Rows(csr_array(NUMBERS), {1: CODES})])


@BOTH
def test_shape_and_numbers(rows: Rows) -> None:
    assert (len(rows), rows.n_columns) == (3, 3)
    assert rows.is_sparse != isinstance(rows.numbers, np.ndarray)
    np.testing.assert_array_equal(rows.dense(), NUMBERS)


def test_dense_is_double_precision() -> None:
    assert Rows(NUMBERS.astype(np.float32)).dense().dtype == np.float64


@BOTH
def test_codes_of_text_and_of_numbers(rows: Rows) -> None:
    np.testing.assert_array_equal(rows.codes(1), CODES)
    np.testing.assert_array_equal(rows.codes(0), hash_numbers([1, 4, 1]))
    assert rows.codes(0).shape == (3,)


@BOTH
def test_select_keeps_the_order_given(rows: Rows) -> None:
    part = rows.select((2, 1))
    np.testing.assert_array_equal(part.dense(), NUMBERS[:, [2, 1]])
    assert set(part.categories) == {1}
    np.testing.assert_array_equal(part.codes(1), CODES)
    assert rows.select((0,)).categories == {}


@BOTH
def test_take(rows: Rows) -> None:
    part = rows.take(np.array([2, 0]))
    np.testing.assert_array_equal(part.dense(), NUMBERS[[2, 0]])
    np.testing.assert_array_equal(part.codes(1), CODES[[2, 0]])
    np.testing.assert_array_equal(rows.take(slice(1, 3)).dense(), NUMBERS[1:])


@BOTH
def test_blocks_cover_all_rows_once(rows: Rows) -> None:
    blocks = list(rows.blocks(2))
    assert [part for part, _ in blocks] == [slice(0, 2), slice(2, 3)]
    np.testing.assert_array_equal(np.concatenate([block.dense() for _, block in blocks]), NUMBERS)
    np.testing.assert_array_equal(np.concatenate([block.codes(1) for _, block in blocks]), CODES)


@pytest.mark.parametrize("table", [np.asarray, csr_array])
def test_a_row_of_a_block_is_refused_by_its_number_in_the_table(table: Callable[[np.ndarray], Any]) -> None:
    numbers = np.ones((9, 2))
    numbers[7] = 0
    block = Rows(table(numbers)).take(slice(2, None)).take(slice(3, 6))
    assert block.first == 5
    with pytest.raises(DataError, match=r"^row 7 has only zeros"):
        block.select((1,)).on_unit_sphere()
