"""The first of many rows that is refused, found by halves."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import DataError, NoRowsError
from kernelspec.tables.rows import first_fault, numbered


@pytest.mark.parametrize("row", [0, 1, 2, 63, 64, 98, 99])
def test_every_place(row: int) -> None:
    bad, read_rows = {row, 99}, 0

    def read(rows: range) -> None:
        nonlocal read_rows
        read_rows += len(rows)
        if bad & set(rows):
            raise NoRowsError(f"row {min(bad & set(rows)) - rows[0]} has only zeros")

    found = first_fault(read, range, 100)
    assert found is not None
    assert found[0] == row
    assert isinstance(found[1], NoRowsError)
    assert numbered(found[1], 1000 + row) == f"row {1000 + row} has only zeros"
    assert read_rows <= 100 * 7, "seven halves"


def test_an_error_of_no_single_row() -> None:
    def read(rows: np.ndarray) -> None:
        if len(rows) > 1:
            raise DataError("too many")

    assert first_fault(read, lambda start, stop: np.zeros(stop - start), 8) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("row 0, column 1 is 0", "row 7, column 1 is 0"),
        ("Input contains NaN in row 0, column 'row 0'", "Input contains NaN in row 7, column 'row 0'"),
        ("column 'in row 0' holds 'x' in row 0: no", "column 'in row 0' holds 'x' in row 7: no"),
        ("row 0 is scaled by e^900", "row 7 is scaled by e^900"),
        ("column 'row 0' is text", "column 'row 0' is text"),
    ],
)
def test_the_number_alone_is_replaced(said: str, expected: str) -> None:
    assert numbered(DataError(said), 7) == expected
