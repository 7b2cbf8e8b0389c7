"""Headers: names that stand for one column each, and are names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelspec.errors import DataError
from kernelspec.files.column_names import check_delimiter, check_header, check_names

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


def test_a_first_line_of_data_is_called_so() -> None:
    with pytest.raises(DataError, match=r"it is data, and would be lost as names. Put a line of names above it$"):
        check_header(PATH, ["1.5", "2.5"])


def test_another_delimiter_is_named() -> None:
    check_delimiter(PATH, ",", None)
    with pytest.raises(DataError) as refused:
        check_delimiter(PATH, ",", ";")
    assert str(refused.value) == (
        "t.csv: semicolons (';') separate its columns, where commas (',') are needed: "
        "write it again with commas or as a .tsv file"
    )
    with pytest.raises(DataError, match=r"tabs \('\\t'\) separate its columns, .* with commas or call it .tsv$"):
        check_delimiter(PATH, ",", "\t")
    with pytest.raises(DataError, match=r"commas \(','\) separate its columns, .* with tabs$"):
        check_delimiter(Path("t.tsv"), "\t", ",")
