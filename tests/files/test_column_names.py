"""Headers: names that stand for one column each, and are names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelspec.errors import DataError
from kernelspec.tables.table_reader import check_delimiter, check_header, check_names

PATH = Path("t.csv")


def test_every_name_stands_for_one_column() -> None:
    check_names(PATH, ["a", "A", " a", "", "0"])
    with pytest.raises(DataError) as refused:
        check_names(PATH, ["a", "b", "c", "b", "a"])
    assert str(refused.value) == "t.csv: columns 1 and 3 are both named 'b'; rename one"


@pytest.mark.parametrize(
    "names",
    [["a", "b"], ["a", "A"], ["-"], ["col 1", "x1"], ["1_0", "1_1"], ["1,5", "2,5"], ["0x1f", "2024-01-01"], ["NA"]],
)
def test_headers(names: list[str]) -> None:
    check_header(PATH, names)
    check_header(PATH, names, sure=True)


@pytest.mark.parametrize(
    "number", ["2", "0", "-1", "+3", "1.5", " 1.5", "-2e-3 ", ".5", "5.", "1e5", "1E+05", "nan", "NaN", "-inf", "١"]
)
def test_a_number_is_a_name_only_if_the_caller_is_sure(number: str) -> None:
    for names in (["a", number], ["a", "b", number, "a"], [number, ""]):
        with pytest.raises(DataError) as refused:
            check_header(PATH, names)
        assert str(refused.value) == (
            f"t.csv: column {names.index(number)} is named {number!r}, which is a number. If its first line is data, "
            "use --no-header; if it is a header, rename the column or use --header"
        )
    check_header(PATH, ["a", number], sure=True)


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["", "x"], "column 0 has no name (pandas writes its index so, unless index=False)"),
        (["x", " \t", "y"], "column 1 has no name (pandas writes its index so, unless index=False)"),
        (["x", "y", "z", "y"], "columns 1 and 3 are both named 'y'"),
    ],
)
def test_names_that_are_empty_or_repeated(names: list[str], fault: str, sure: bool) -> None:
    with pytest.raises(DataError) as refused:
        check_header(PATH, names, sure=sure)
    assert str(refused.value) == (
        f"t.csv: {fault}. If its first line is data, use --no-header; if it is a header, rename the column"
    )


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
