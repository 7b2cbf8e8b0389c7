"""Headers: names that stand for one column each, and are names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelspec.errors import DataError
from kernelspec.files.column_names import check_header, check_names

PATH = Path("t.csv")


def test_every_name_stands_for_one_column() -> None:
    check_names(PATH, ["a", "A", " a", "", "0"])
    with pytest.raises(DataError) as refused:
        check_names(PATH, ["a", "b", "c", "b", "a"])
    assert str(refused.value) == "t.csv: columns 1 and 3 are both named 'b'; rename one"


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b"],
        ["1", "2", "c"],  # one that is no number is enough
        ["", ""],
        ["0"],
        ["1"],
        ["0", "1", "2"],
        ["1", "2", "3"],
        ["1_0", "1_1"],
        ["1,5", "2,5"],
        ["0x1f", "2024-01-01"],
    ],
)
def test_headers(names: list[str]) -> None:
    check_header(PATH, names)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["2"], "2"),
        (["1", "0"], "1, 0"),
        (["2", "3"], "2, 3"),
        (["0", "1", "3"], "0, 1, 3"),
        (["0.0", "1.0"], "0.0, 1.0"),
        ([" 1.5", "-2e-3 "], " 1.5, -2e-3 "),
        (["nan", "inf"], "nan, inf"),
        (["5", "6", "7", "8", "9"], "5, 6, 7, 8, 9"),
        (["5", "6", "7", "8", "9", "10"], "5, 6, 7, 8, 9, …"),
    ],
)
def test_data_where_a_header_is_needed(names: list[str], shown: str) -> None:
    with pytest.raises(DataError) as refused:
        check_header(PATH, names)
    assert str(refused.value).startswith(f"t.csv: its first line ({shown}) holds numbers where column names are needed")
