"""One column as codes of categories."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.categories import MISSING, accepts, codes_of

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


def test_types_that_may_stand_for_others():
    assert accepts("number", "whole number")
    assert not accepts("whole number", "number")
    assert not accepts("text", "number")
    assert accepts("unknown", "boolean")
    with pytest.raises(CellTypeError, match="'X' in row 1: the map was made for whole numbers"):
        codes_of(column([1, "X"]), "x", "whole number")
    codes_of(np.array([1.0, 2.0**53 - 1]), "x", "whole number")
    with pytest.raises(CellTypeError, match="in row 0: the map was made for whole numbers"):
        codes_of(np.array([2.0**53]), "x", "whole number")
