"""Tests of `tables/categories.py`."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.errors import DataError
from kernelspec.random.streams import hash_text
from kernelspec.tables import categories
from kernelspec.tables.categories import MISSING, KnownCategories, codes_of
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from tests.maps.parts import there_and_back

CELLS = st.one_of(
    st.text(max_size=3),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
)


def column(values) -> np.ndarray:
    """An array of objects."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


@pytest.mark.slow
@settings(derandomize=True)
@given(st.lists(CELLS, min_size=1, max_size=20))
def test_codes_are_equal_exactly_where_the_categories_are(values):
    codes = codes_of(column(values), "column 0")
    assert codes.dtype == np.uint64
    assert [[a == b for b in values] for a in values] == np.equal.outer(codes, codes).tolist()


@pytest.mark.slow
@settings(derandomize=True)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_codes_do_not_depend_on_the_type_of_the_array(values):
    np.testing.assert_array_equal(
        codes_of(np.array(values, dtype=np.int64), "column 0"), codes_of(column(values), "column 0")
    )


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1, 0x88D7C35BBBF3EDED),
        (0.5, 0xF456984DD1D8CE6D),
        (-3, 0x7C93B74568213C50),
        (True, 0x88D7C35BBBF3EDED),
        ("1", 0x7637BA9F0342FCF6),
        ("Norway", 0xAC12429A968F1C75),
        (2**60, 0x50A57DAB78DB3498),
        (2**60 + 1, 0xD8211347F6C150A5),
    ],
)
def test_codes_are_those_of_version_0_1(value, code):
    assert int(codes_of(column([value]), "x")[0]) == code


def test_whole_numbers_beyond_floats_are_exact_whatever_holds_them():
    for number in (2**60 + 1, 2**70 + 1, -(10**30) - 7):
        forms = [number, Decimal(number), Fraction(number)]
        assert len(set(codes_of(column(forms), "x").tolist())) == 1
    one, two = codes_of(column([np.int64(2**60 + 1), np.int64(2**60 + 2)]), "x")
    assert one != two
    with pytest.raises(DataError, match="infinity in row 0"):
        codes_of(column([Decimal("1e1000000")]), "x")
    with pytest.raises(DataError, match="no category in row 0"):
        codes_of(column([Decimal("sNaN")]), "x")


def test_missing_has_a_code_of_its_own():
    cells = column([None, float("nan"), "", "kernelspec: missing", 0])
    codes = codes_of(cells, "x", missing="category")
    assert (codes[:2] == MISSING).all()
    assert MISSING not in codes[2:]
    assert codes_of(np.array([np.nan, 1]), "x", missing="category").tolist() == [
        MISSING,
        codes_of(np.array([1]), "x")[0],
    ]
    with pytest.raises(DataError, match="infinity in row 1"):
        codes_of(np.array([np.nan, np.inf]), "x", missing="category")


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
    whole = KnownCategories.of(ROWS, (1,))
    assert first.with_rows(ROWS.take(slice(2, 6))) == whole == second.with_rows(ROWS.take(slice(0, 4)))


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
        with pytest.raises(ValueError, match="codes must be increasing"):
            spoiled.validate()


def test_names_of_categories_come_in_the_order_of_their_codes_whatever_the_blocks() -> None:
    cells = np.array(["b", "a", None, "c", "a", "1"], dtype=object)
    layout = Layout(1, None, (), (0,)).pinned(missing="category")
    rows = layout.read(cells[:, None])
    whole = KnownCategories.of(rows, (0,))
    assert {own for (own,) in whole.values} == {"a", "b", "c", "1", None}
    for size in (1, 2, 4):
        blocks = [block for _, block in rows.blocks(size)]
        known = KnownCategories.of(blocks[0], (0,))
        for block in blocks[1:]:
            known = known.with_rows(block)
        assert (known, known.values) == (whole, whole.values)
    for value, code in zip(whole.values, whole.codes, strict=True):
        KnownCategories((0,), np.array([code]), (value,)).validate()
    with pytest.raises(ValueError, match="category codes and names disagree"):
        replace(whole, values=whole.values[::-1]).validate()
    with pytest.raises(ValueError, match="names for"):
        replace(whole, values=whole.values[:2]).validate()
    codes_alone = replace(rows, cells={})
    assert KnownCategories.of(codes_alone, (0,)).values == ()
    assert whole.with_rows(codes_alone) is whole


def test_names_of_categories_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Layout(1, None, (), (0,)).read(np.array([["aaa"], ["bb"], ["c"]], dtype=object))
    assert len(KnownCategories.of(rows, (0,)).values) == 3
    monkeypatch.setattr(categories, "_MOST_TEXT", 5)
    assert KnownCategories.of(rows, (0,)).values == ()
    assert len(KnownCategories.of(rows.take(slice(0, 2)), (0,)).values) == 2
    assert KnownCategories.of(rows.take(slice(0, 2)), (0,)).with_rows(rows).values == ()
