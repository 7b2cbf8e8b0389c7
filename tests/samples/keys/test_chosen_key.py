"""Keys of chosen columns."""

from __future__ import annotations

import numpy as np

from kernelspec.samples.keys import ChosenKey
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

NUMBERS = np.array([[1.0, 2, 3, 3], [1, 5, 3, 2], [1, 5, 4, 3]])
KEY = ChosenKey(np.array([3, 0, 3, 2]))


def test_equal_categories_have_equal_keys() -> None:
    found = KEY.keys(Rows(NUMBERS), "left")
    assert found.shape == (3, 4)
    for j, column in enumerate(KEY.chosen):
        agree = found[:, None, j] == found[None, :, j]
        assert np.array_equal(agree, NUMBERS[:, None, column] == NUMBERS[None, :, column])
    assert np.array_equal(found, KEY.keys(Rows(NUMBERS), "right"))
    assert np.array_equal(KEY.keys(Rows(NUMBERS[1:2]), "left")[0], found[1])


def test_categories_that_are_no_numbers() -> None:
    codes = {3: np.array([7, 8, 7], dtype=np.uint64)}
    found = KEY.keys(Rows(NUMBERS, codes), "left")
    assert found[:, 0].tolist() == [7, 8, 7]
    assert np.array_equal(found[:, 1], KEY.keys(Rows(NUMBERS), "left")[:, 1])


def test_taken_joined_and_saved() -> None:
    assert KEY.columns == (0, 2, 3)
    assert not KEY.has_sides
    part = KEY.take(np.array([2, 1]))
    assert part.chosen.tolist() == [3, 0]
    joined = part.join([KEY])
    assert joined.chosen.tolist() == [3, 0, 3, 0, 3, 2]
    assert there_and_back(joined).chosen.tolist() == joined.chosen.tolist()
    assert part.structure == KEY.structure
