"""The key of match(): equal exactly where the categories are."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.random.streams import hash_numbers, hash_text, mix
from kernelspec.samples.keys import MatchKey
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

ROWS = Rows(np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)], dtype=float))


@pytest.mark.parametrize("positions", [(0,), (0, 1), (2, 1), (0, 1, 2), (1, 1)])
def test_keys_are_equal_exactly_where_rows_are(positions: tuple[int, ...]) -> None:
    keys = MatchKey(positions).keys(ROWS, "left")
    assert keys.shape == (27, 1)
    rows = ROWS.dense()[:, list(positions)]
    assert np.array_equal(keys == keys.T, (rows[:, None] == rows[None]).all(axis=2))


def test_order_of_the_columns_matters() -> None:
    assert not np.array_equal(MatchKey((0, 1)).keys(ROWS, "left"), MatchKey((1, 0)).keys(ROWS, "left"))


def test_codes_of_numbers_and_of_text_are_mixed_in_order() -> None:
    codes = hash_text(["a", "b", "a"])
    rows = Rows(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 2.0], [-0.0, 0.0, 2.0]]), {1: codes})
    expected = np.zeros(3, dtype=np.uint64)
    for column in (hash_numbers([2.0, 2.0, 2.0]), codes, hash_numbers([1.0, 1.0, 0.0])):
        expected = mix(expected, column)
    assert np.array_equal(MatchKey((2, 1, 0)).keys(rows, "left")[:, 0], expected)


def test_swapped_categories_are_not_equal() -> None:
    keys = MatchKey((0, 1)).keys(Rows(np.array([[1.0, 2.0], [2.0, 1.0]])), "right")
    assert keys[0, 0] != keys[1, 0]


def test_batches_share_one_key() -> None:
    key = MatchKey((0,))
    assert key.take(np.array([0, 1])) is key
    assert key.join([key]) is key
    assert key.structure == MatchKey((0,)).structure
    assert key.structure != MatchKey((1,)).structure


def test_round_trip() -> None:
    key = MatchKey((3, 1))
    assert there_and_back(key) == key
