"""One column as numbers or as codes."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.columns import codes_of, has_large_integers, missing, not_finite, numbers_of

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


@settings(derandomize=True, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=20))
def test_codes_are_equal_exactly_where_the_categories_are(values):
    codes = codes_of(column(values), "column 0")
    assert codes.dtype == np.uint64
    assert [[a == b for b in values] for a in values] == np.equal.outer(codes, codes).tolist()


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_codes_do_not_depend_on_the_type_of_the_array(values):
    np.testing.assert_array_equal(
        codes_of(np.array(values, dtype=np.int64), "column 0"), codes_of(column(values), "column 0")
    )


def test_numbers_pass_through():
    for kind in (np.float32, np.float64, np.int8, bool):
        cells = np.ones(2, dtype=kind)
        assert numbers_of(cells, "column 0") is cells
    np.testing.assert_array_equal(numbers_of(column([1, True, Decimal("0.5"), np.float32(2)]), "x"), [1, 1, 0.5, 2])


def test_large_integers():
    assert not has_large_integers(np.array([2**53, -(2**53)]))
    assert has_large_integers(np.array([2**53 + 1]))
    assert has_large_integers(np.array([-(2**63)]))
    assert has_large_integers(np.array([2**64 - 1], dtype=np.uint64))
    assert not has_large_integers(np.array([1e300]))
    assert not has_large_integers(np.array([], dtype=int))


@pytest.mark.parametrize("read", [numbers_of, codes_of])
def test_cells_of_the_wrong_type_are_shown_with_their_row(read):
    for wrong in ({"a": 1}, [1], b"bytes", 1j, np.datetime64("2020-01-01")):
        with pytest.raises(CellTypeError, match=r"column 'x' holds .* in row 1"):
            read(column([1, wrong]), "column 'x'")
    with pytest.raises(CellTypeError, match=r"holds \['aaaa.*\.\.\. in row 0"):
        read(column([["a" * 100]]), "column 'x'")
    with pytest.raises(CellTypeError, match="dates or times"):
        read(np.array(["2020-01-01"], dtype="M8[D]"), "column 'x'")


def test_text_is_a_category_and_no_number():
    codes_of(column(["a"]), "column 0")
    with pytest.raises(CellTypeError, match=r"holds 'a' in row 0.*match\(\)"):
        numbers_of(column(["a"]), "column 0")


def test_what_is_missing_or_infinite():
    assert "NaN in row 3, column 0" in str(not_finite(3, "column 0", float("nan")))
    assert "-infinity in row 3" in str(not_finite(3, "column 0", -np.inf))
    assert "no category in row 3" in str(missing(3, "column 0", category=True))
    assert "NaN in row 3" in str(missing(3, "column 0", category=False))
    for value in (None, float("nan"), np.float32("nan"), Decimal("nan")):
        with pytest.raises(DataError, match="no category in row 1"):
            codes_of(column([1, value]), "column 0")
    with pytest.raises(DataError, match="infinity in row 1"):
        codes_of(np.array([1, np.inf]), "column 0")
    with pytest.raises(DataError, match="-infinity in row 1"):
        numbers_of(column([1, -(10**400)]), "column 0")
