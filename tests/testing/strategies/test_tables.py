"""Tables have the shape asked for, and categories that repeat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.testing.strategies import tables
from tests.testing.strategies.examples import drawn
from tests.thoroughness import examples


@pytest.mark.long
@settings(max_examples=examples(200), derandomize=True, database=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 3), st.data())
def test_tables_have_the_shape_asked_for(dim: int, low: int, more: int, data: st.DataObject) -> None:
    table = data.draw(tables(dim, min_rows=low, max_rows=low + more))
    assert table.dtype == np.float64
    assert low <= len(table) <= low + more
    assert table.shape[1:] == (dim,)
    assert (np.abs(table) <= 3).all()


@pytest.mark.long
def test_categories_repeat_in_tables() -> None:
    found = drawn(tables(1, min_rows=4), 200)
    assert any(1 < len(np.unique(table)) < len(table) for table in found)
    assert any((table % 1 != 0).any() for table in found)
