"""The slow pass that finds the culprit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from kernelspec.errors import DataError, FileError
from kernelspec.tables.csv import find_fault
from kernelspec.tables.text_streams import CsvFile

TYPES = {"a": pa.float64(), "b": pa.string()}


def fault(folder: Path, text: str) -> Exception | None:
    (folder / "a.csv").write_text(text)
    return find_fault(CsvFile(folder / "a.csv", ",", False), TYPES, ("a", "b"), 512)


@pytest.mark.parametrize("position", [0, 1, 99, 100, 777, 999])
def test_position_is_exact(tmp_path: Path, position: int) -> None:
    rows = ["1,x"] * 1000
    rows[position] = "seven,x"
    found = fault(tmp_path, "a,b\n" + "\n".join(rows) + "\n")
    assert isinstance(found, DataError)
    assert f"row {position + 1}, column 'a': 'seven' is not a number" in str(found)


def test_nothing_wrong(tmp_path: Path) -> None:
    assert fault(tmp_path, "a,b\n" + "1,x\nNA,y\n 2 ,\n,z\nnan,z\n-1e300,z\n" * 100) is None


def test_ragged_row_after_line_breaks_in_quotes(tmp_path: Path) -> None:
    found = fault(tmp_path, "a,b\n" + '1,"x\ny"\n' * 300 + "3\n")
    assert isinstance(found, FileError)
    assert "row 301 has 1 fields instead of 2: '3'" in str(found)


def test_long_values_are_shortened(tmp_path: Path) -> None:
    found = fault(tmp_path, "a,b\n" + "x" * 100 + ",x\n")
    assert f"'{'x' * 60}…'" in str(found)
