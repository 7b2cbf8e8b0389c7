"""One column as numbers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from kernelspec.errors import CellTypeError
from kernelspec.tables.categories import codes_of
from kernelspec.tables.cells import numbers_of


def column(values) -> np.ndarray:
    """An array of objects."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def test_numbers_pass_through():
    for kind in (np.float32, np.float64, np.int8, bool):
        cells = np.ones(2, dtype=kind)
        assert numbers_of(cells, "column 0") is cells
    np.testing.assert_array_equal(numbers_of(column([1, True, Decimal("0.5"), np.float32(2)]), "x"), [1, 1, 0.5, 2])


def test_text_is_a_category_and_no_number():
    codes_of(column(["a"]), "column 0")
    with pytest.raises(CellTypeError, match=r"holds 'a' in row 0.*match\(\)"):
        numbers_of(column(["a"]), "column 0")
