"""Tests of `tables/table_reader.py`."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from kernelspec.errors import DataError
from kernelspec.tables.formats import open_table
from kernelspec.tables.table_reader import (
    check_header,
)
from tests.thoroughness import sweep

PATH = Path("t.csv")


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
        (["", "x"], "column 0 has no name (pandas writes its index this way, unless index=False)"),
        (["x", " \t", "y"], "column 1 has no name (pandas writes its index this way, unless index=False)"),
        (["x", "y", "z", "y"], "columns 1 and 3 are both named 'y'"),
    ],
)
def test_names_that_are_empty_or_repeated(names: list[str], fault: str, sure: bool) -> None:
    with pytest.raises(DataError) as refused:
        check_header(PATH, names, sure=sure)
    assert str(refused.value) == (
        f"t.csv: {fault}. If its first line is data, use --no-header; if it is a header, rename the column"
    )


@pytest.fixture
def table_path(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("age,balance,country\n" + "".join(f"{i},{i / 2},x{i}\n" for i in range(50)))
    return path


def test_unknown_column_names_the_nearest(table_path: Path) -> None:
    with open_table(table_path) as table:
        with pytest.raises(DataError, match=r"unknown column 'balanec'; did you mean 'balance'\?"):
            table.blocks(["age", "balanec"])
        with pytest.raises(DataError, match=r"unknown column 'q'; it has 'age', 'balance', 'country'$"):
            table.blocks(["q"])


def test_no_and_repeated_columns(table_path: Path) -> None:
    with open_table(table_path) as table:
        with pytest.raises(DataError, match="no columns are selected"):
            table.blocks([])
        with pytest.raises(DataError, match="selected twice"):
            table.blocks(["age", "age"])


def test_names_for_a_format_without(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))
    with open_table(tmp_path / "a.npy") as table, pytest.raises(DataError, match="columns have no names"):
        table.blocks(["age"])


def test_many_names_are_not_all_shown(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",".join(f"c{j}" for j in range(100)) + "\n" + ",".join(["1"] * 100) + "\n")
    with open_table(tmp_path / "a.csv") as table, pytest.raises(DataError, match=r"'c11', …$"):
        table.blocks(["nothing"])


def test_each_call_starts_again_and_ends_the_last(table_path: Path) -> None:
    with open_table(table_path, rows_per_block=20) as table:
        first = table.blocks()
        assert next(first).shape[0] == 20
        assert sum(block.shape[0] for block in table.blocks()) == 50
        assert table.rows_read == 50
        with pytest.raises(StopIteration):
            next(first)


def test_closing_ends_the_stream(table_path: Path) -> None:
    with open_table(table_path, rows_per_block=20) as table:
        blocks = table.blocks()
        next(blocks)
    with pytest.raises(StopIteration):
        next(blocks)


def test_rows_expected_are_exact_where_the_file_says_them(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((50, 3)))
    with open_table(tmp_path / "a.npy", rows_per_block=20) as table:
        assert [table.rows_expected, *(table.rows_expected for _ in table.blocks())] == [50] * 4


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".libsvm", ".libsvm.gz"])
@pytest.mark.parametrize("rows_per_block", sweep([150_000, 1000], every=2))
def test_rows_expected_from_the_first_block_on(tmp_path: Path, suffix: str, rows_per_block: int) -> None:
    n_rows, path = 200_000, tmp_path / f"t{suffix}"
    line, header = ("1 1:2 2:3\n", "") if "libsvm" in suffix else ("1.25,2,3\n", "a,b,c\n")
    data = (header + line * n_rows).encode()
    path.write_bytes(gzip.compress(data, 1) if suffix.endswith(".gz") else data)
    readings = None if "libsvm" in suffix else dict.fromkeys("abc", "floats")
    with open_table(path, rows_per_block=rows_per_block, columns=3 if "libsvm" in suffix else None) as table:
        assert table.rows_expected is None
        expected = [(table.rows_read, table.rows_expected) for _ in table.blocks(readings=readings)]
    # gzip data this regular are fetched whole with the first block: nothing else tells how much text there is
    assert all(abs(seen - n_rows) < 0.02 * n_rows for _, seen in expected)
    assert expected[-1] == (n_rows, n_rows)


def test_rows_of_members_joined_together(tmp_path: Path) -> None:
    path, member = tmp_path / "t.csv.gz", gzip.compress(b"1.25,2,3\n" * 100_000)
    path.write_bytes(gzip.compress(b"a,b,c\n") + member * 4)
    with open_table(path, rows_per_block=1000) as table:
        for _ in table.blocks(readings=dict.fromkeys("abc", "floats")):
            assert table.rows_expected is not None
            assert table.rows_read <= table.rows_expected <= 500_000
        assert table.rows_expected == 400_000


def test_a_pass_over_all_cells_counts_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000)
    with open_table(path, rows_per_block=10) as table:
        table.written(["a"])
        assert table.rows_expected == table.n_rows == 1000
