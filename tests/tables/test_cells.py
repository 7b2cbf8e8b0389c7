"""What is said of cells that cannot be used."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.categories import codes_of
from kernelspec.tables.cells import (
    is_missing,
    missing,
    no_category,
    not_finite,
    numbers_of,
    other_type,
    refuse_times,
    strange,
    text_for_number,
)


def column(values) -> np.ndarray:
    """An array of objects."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


@pytest.mark.parametrize("read", [numbers_of, codes_of])
def test_cells_of_the_wrong_type_are_shown_with_their_row(read):
    for wrong in ({"a": 1}, [1], b"bytes", 1j, np.datetime64("2020-01-01")):
        with pytest.raises(CellTypeError, match=r"column 'x' holds .* in row 1"):
            read(column([1, wrong]), "column 'x'")
    with pytest.raises(CellTypeError, match=r"holds \['aaaa.*\.\.\. in row 0"):
        read(column([["a" * 100]]), "column 'x'")
    with pytest.raises(CellTypeError, match="dates or times"):
        read(np.array(["2020-01-01"], dtype="M8[D]"), "column 'x'")


def test_what_is_empty():
    empty = [None, float("nan"), np.float32("nan"), Decimal("nan"), Decimal("sNaN"), pd.NA, pd.NaT]
    assert all(map(is_missing, empty))
    assert not any(map(is_missing, [0, "", "nan", np.inf, False]))


def test_every_message_has_its_place():
    with pytest.raises(CellTypeError, match="dates or times"):
        refuse_times(np.array(["2020"], dtype="M8[D]"), "column 0")
    refuse_times(np.array([1]), "column 0")
    for error in (
        no_category(3, "column 'x'", float("nan")),
        not_finite(3, "column 'x'", np.inf),
        other_type("column 'x'", 1, 3, "text"),
        strange(3, "column 'x'", b"a"),
        text_for_number(3, "column 'x'", "a"),
    ):
        assert "column 'x'" in str(error)
        assert "in row 3" in str(error)


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
