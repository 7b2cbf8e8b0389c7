"""Tests of `tables/table_reader.py`."""

from __future__ import annotations

import gzip
import os
import pickle
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kernelspec.errors import DataError, FileError
from kernelspec.tables.formats import open_table
from kernelspec.tables.table_reader import (
    TextPosition,
    bounded_rows,
    check_delimiter,
    check_header,
    check_names,
    check_source,
    regroup,
    text_size,
)
from tests.thoroughness import sweep


@pytest.mark.parametrize("rows", [1, 3, 10, 11, 100])
@pytest.mark.parametrize("sizes", [[], [0], [10], [1, 9], [4, 0, 4, 2], [1] * 10])
def test_regroup(rows: int, sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes])
    batches = [pa.record_batch({"a": pa.array(range(s, e))}) for s, e in pairwise(starts)]
    tables = list(regroup(batches, rows))
    assert [value for table in tables for value in table["a"].to_pylist()] == list(range(starts[-1]))
    assert all(table.num_rows == rows for table in tables[:-1])
    assert all(0 < table.num_rows <= rows for table in tables)


def test_bounded_rows() -> None:
    assert bounded_rows(1000, 8) == 1000
    assert bounded_rows(16384, 2**20) == 128
    assert bounded_rows(5, 2**40) == 1
    assert bounded_rows(5, 0) == 5


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


def test_another_delimiter_is_named() -> None:
    check_delimiter(PATH, ",", None)
    with pytest.raises(DataError) as refused:
        check_delimiter(PATH, ",", ";")
    assert str(refused.value) == (
        "t.csv: its columns are separated by semicolons (';'), not commas (','): "
        "rewrite it with commas or as a .tsv file"
    )
    with pytest.raises(
        DataError, match=r"its columns are separated by tabs \('\\t'\), not .* with commas or call it .tsv$"
    ):
        check_delimiter(PATH, ",", "\t")
    with pytest.raises(DataError, match=r"its columns are separated by commas \(','\), not .* with tabs$"):
        check_delimiter(Path("t.tsv"), "\t", ",")


NPY = b"\x93NUMPY"


def parquet_bytes() -> bytes:
    stream = BytesIO()
    pq.write_table(pa.table({"a": [1.5]}), stream)
    return stream.getvalue()


def refusal(path: Path, kind: str = "a text file", signature: bytes = b"") -> str:
    with pytest.raises(FileError) as refused:
        check_source(path, kind, signature)
    prefix = f"{path}: "
    assert str(refused.value).startswith(prefix)
    return str(refused.value).removeprefix(prefix)


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"PAR1,PAR2\n1,2\n", "größe\n".encode(), b"\xef\xbb\xbfa\n1\n", b"x" * 5000, b"<a>,b\n"]
)
def test_text_has_its_size(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t").write_bytes(content)
    assert check_source(tmp_path / "t", "a text file", b"") == len(content)


def test_the_signature_is_enough(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.zeros(3))
    assert check_source(tmp_path / "t.npy", "an NPY file", NPY) == (tmp_path / "t.npy").stat().st_size
    (tmp_path / "t.parquet").write_bytes(parquet_bytes())
    assert check_source(tmp_path / "t.parquet", "a Parquet file", b"PAR1") == len(parquet_bytes())


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (parquet_bytes(), "a Parquet file"),
        (NPY + b"\x01\x00", "an NPY file"),
        (gzip.compress(b"a,b\n", mtime=0), "gzip data"),
        (b"PK\x03\x04rest", "a zip archive"),
        ("a,b\n".encode("utf-16"), "UTF-16 text (save it as UTF-8)"),
        (pickle.dumps([1.0], protocol=4), "a Python pickle"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer"),
        (b"\xef\xbb\xbf\r\n  <!DOCTYPE html>", "a web page (HTML)"),
        (b"<HTML>", "a web page (HTML)"),
    ],
)
def test_other_kinds_of_files(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "t").write_bytes(content)
    assert refusal(tmp_path / "t").startswith(f"contains {what}")
    assert refusal(tmp_path / "t").endswith("but its name says a text file")
    assert refusal(tmp_path / "t", "an HDF file", b"\x00HDF").startswith(f"contains {what}")


def test_an_unknown_beginning(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"a,b,c,d,e\n")
    said = refusal(tmp_path / "t", "an NPY file", NPY)
    assert said == "is not an NPY file: it begins with b'a,b,c,d,' instead of b'\\x93NUMPY'"


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert refusal(tmp_path / "empty") == "is empty (0 bytes), not a text file"
    assert refusal(tmp_path / "pipe") == "is a pipe or device; only regular files can be read"
    assert refusal(tmp_path) == "is a folder, not a text file"
    assert refusal(tmp_path / "gone") == refusal(tmp_path / "link") == "no such file"


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").write_text("a\n")

    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(tmp_path / "t") == "no permission to read it"


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


def test_rows_take_equal_shares_of_what_came_out() -> None:
    position = TextPosition(1000, 1000)
    assert position.bytes_before(0) == 0
    position.add(10, 500, 1000)
    assert [position.bytes_before(rows) for rows in (0, 5, 10)] == [0, 250, 500]
    position.add(30, 5000, 1000)
    assert position.bytes_before(40) == 1000


def test_what_is_fetched_bounds_what_was_read() -> None:
    position = TextPosition(1000, 200)
    position.add(10, 200, 300)
    assert position.bytes_before(10) == 300


def test_the_text_in_gzip_data(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    for data, said in ((gzip.compress(b"x" * 5000), 5000), (gzip.compress(b"x" * 5000) + gzip.compress(b""), None)):
        path.write_bytes(data)
        assert text_size(path, len(data), compressed=True) == (said or len(data))
        assert text_size(path, len(data), compressed=False) == len(data)
    path.write_bytes(b"xy")
    assert text_size(path, 2, compressed=True) == 2
