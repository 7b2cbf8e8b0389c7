"""The categories met in some rows."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.random.streams import hash_text
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

WORDS = hash_text(["a", "b", "a", "c", "b", "a"])
ROWS = Rows(np.array([[1.0, 0], [1, 0], [2, 0], [1, 0], [1, 0], [-0.0, 0]]), {1: WORDS})


def test_every_combination_once_in_an_order_of_its_own() -> None:
    known = KnownCategories.of(ROWS, (0, 1))
    assert len(known) == 5  # (1, b) twice
    shuffled = KnownCategories.of(ROWS.take(np.array([5, 3, 1, 0, 2, 4, 4])), (0, 1))
    assert shuffled == known
    assert hash(shuffled) == hash(known)
    numbers = known.numbers(ROWS)
    assert sorted(set(numbers.tolist())) == [0, 1, 2, 3, 4]
    assert numbers[1] == numbers[4]


def test_rows_in_pieces_make_the_same_categories() -> None:
    first, second = (KnownCategories.of(ROWS.take(part), (1,)) for part in (slice(0, 4), slice(2, 6)))
    assert first.with_others(second) == KnownCategories.of(ROWS, (1,)) == second.with_others(first)


def test_what_is_not_known() -> None:
    known = KnownCategories.of(ROWS.take(slice(0, 2)), (1,))
    assert (known.numbers(ROWS) < 0).tolist() == [False, False, False, True, False, False]
    nothing = KnownCategories((1,), np.empty(0, dtype=np.uint64))
    assert nothing.numbers(ROWS).tolist() == [-1] * 6


def test_the_order_of_columns_matters_and_equal_cells_do_not_cancel() -> None:
    same = Rows(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [2.0, 2.0]]))
    assert len(KnownCategories.of(same, (0, 1))) == 4


def test_saved_and_checked() -> None:
    known = KnownCategories.of(ROWS, (0, 1))
    assert there_and_back(known) == known
    for spoiled in (
        KnownCategories((0,), known.codes[::-1].copy()),
        KnownCategories((0,), np.repeat(known.codes, 2)),
        KnownCategories((), known.codes),
        KnownCategories((-1,), known.codes),
        KnownCategories((0,), known.codes.astype(np.float64)),  # type: ignore[arg-type]
        KnownCategories((0,), known.codes[:, None]),
    ):
        with pytest.raises(ValueError, match="codes of categories"):
            spoiled.validate()
