"""The row of the file that is at fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from kernelspec.cli.data import row_fault
from kernelspec.errors import DataError
from kernelspec.tables.layout import Layout

PATH = Path("t.csv")


def fault(layout: Layout, block: Any, n_before: int = 0) -> str:
    with pytest.raises(DataError) as refused:
        layout.read(block)
    found = row_fault(layout.read, block, n_before, PATH, refused.value)
    assert isinstance(found, DataError)
    return str(found)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("row", [0, 1, 2, 63, 64, 98, 99])
def test_every_place_in_a_block(row: int, kind: Any) -> None:
    table = np.ones((100, 2))
    table[row, 1] = np.nan
    said = fault(Layout(2, None, (0, 1), ()), kind(table), n_before=1000)
    assert said == f"t.csv: Input contains NaN in row {1001 + row}, column 1: features need finite numbers"


def test_the_first_of_several() -> None:
    table = np.ones((50, 2))
    table[[7, 30], 1], table[20, 0] = np.inf, np.nan
    # the columns are looked at one after the other: as it is, the error would be that of row 20
    assert "contains infinity in row 8, column 1" in fault(Layout(2, None, (0, 1), ()), table)


@pytest.mark.parametrize("name", ["row 0", "in row 0", "row 03"])
def test_columns_may_have_strange_names(name: str) -> None:
    layout = Layout(1, (name,), (0,), ())
    numbers = pa.table({name: [1.0, 2.0, float("inf"), 4.0]})
    assert fault(layout, numbers).startswith(f"t.csv: Input contains infinity in row 3, column '{name}': ")


def test_text_among_numbers_and_missing_categories() -> None:
    text = pa.table({"row 0": ["1", "row 0", "x"]})
    said = fault(Layout(1, ("row 0",), (0,), ()), text, n_before=5)
    assert said.startswith("t.csv: column 'row 0' holds '1' in row 6: ")
    gaps = pa.table({"row 0": ["a", "b", None]})
    said = fault(Layout(1, ("row 0",), (), (0,)), gaps, n_before=5)
    assert said.startswith("t.csv: Input contains NaN: column 'row 0' has no category in row 8 (NaN or empty)")


@pytest.mark.parametrize("n", [1, 2, 9])
def test_what_is_no_single_rows_fault_stays(n: int) -> None:
    said = fault(Layout(3, None, (0, 1, 2), ()), np.ones((n, 2)), n_before=40)
    assert said == "t.csv: X has 2 features, but the spec is compiled for 3 columns"


def test_an_error_that_no_row_repeats_stays() -> None:
    found = row_fault(Layout(1, None, (0,), ()).read, np.ones((8, 1)), 0, PATH, DataError("of the block as a whole"))
    assert str(found) == "t.csv: of the block as a whole"
