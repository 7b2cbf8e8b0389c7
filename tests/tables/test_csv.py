"""Tests of `tables/csv.py`."""

from __future__ import annotations

import gzip
import re
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from kernelspec.errors import DataError, FileError, KernelspecError, NoRowsError
from kernelspec.tables.column_types import Reading
from kernelspec.tables.formats import open_table


def read(
    path: Path, columns: list[str] | None = None, rows: int = 16384, readings: dict[str, Reading] | None = None
) -> pa.Table:
    with open_table(path, rows_per_block=rows) as table:
        return pa.concat_tables(table.blocks(columns, readings))


def write(folder: Path, text: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is parsed 512 bytes at a time, as if files were large."""
    monkeypatch.setattr("kernelspec.tables.csv._CHUNK", 512)


FLOATS_AND_TEXT: dict[str, Reading] = {"a": "floats", "b": "text"}


@pytest.mark.parametrize("position", [0, 1, 99, 100, 777, 999])
def test_position_is_exact(tmp_path: Path, position: int, small_chunks: None) -> None:
    rows = ["1,x"] * 1000
    rows[position] = "seven,x"
    for blank_lines in ("", "\n\n"):
        path = write(tmp_path, f"{blank_lines}a,b\n{blank_lines}" + f"\n{blank_lines}".join(rows) + "\n")
        with pytest.raises(DataError, match=f"row {position + 1}, column 'a': 'seven' is not a number"):
            read(path, readings=FLOATS_AND_TEXT)


def test_what_arrow_reads_as_numbers_and_text(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n" + "1,x\nNA,y\n 2 ,\n,z\nnan,z\n-1e300,z\n\t2 ,z\n nan ,z\n" * 100)
    assert read(path, readings=FLOATS_AND_TEXT).num_rows == 800


def test_ragged_row_after_line_breaks_in_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n" + '1,"x\ny"\n' * 300 + "3\n")
    with pytest.raises(FileError, match="row 301 has 1 fields instead of 2: '3'; the columns are 'a', 'b'"):
        read(path)


@pytest.mark.parametrize("before", [0, 1, 500])
@pytest.mark.parametrize("header", [None, False])
def test_ragged_rows_after_blank_lines(tmp_path: Path, before: int, header: bool | None, small_chunks: None) -> None:
    names = "\n\na,b\n" if header is None else ""
    path = write(tmp_path, names + "\n\n1,x\n\n" * before + "\n1,2,3\n")
    if header is False and not before:  # the first row says how many columns there are
        return
    said = f"row {before + 1} has 3 fields instead of 2: '1,2,3'"
    with pytest.raises(FileError, match=said), open_table(path, header=header) as table:
        list(table.blocks())


def test_long_values_are_shortened(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n" + "x" * 100 + ",x\n")
    with pytest.raises(DataError, match=f"'{'x' * 60}…' is not"):
        read(path, readings=FLOATS_AND_TEXT)


@pytest.mark.parametrize(
    "cell", ["1\u00a0", "\u00a01", "1\u202f", '"1\n"', '"\n1"', '"1\r\n"', " NA", "NA ", " true", "1\x0c", "１", " "]
)
@pytest.mark.parametrize("reading", ["floats", "whole numbers", "true or false"])
def test_what_stands_beside_a_number_is_shown(tmp_path: Path, cell: str, reading: Reading) -> None:
    plain = "true" if reading == "true or false" else "7"
    path = write(tmp_path, f"a,b\n{plain},x\n\n{cell},y\n")
    shown = re.escape(repr(cell.strip('"')))
    with pytest.raises(DataError, match=f"row 2, column 'a': {shown} is not"):
        read(path, readings={"a": reading, "b": "text"})
    assert read(path)["a"].to_pylist()[1] == cell.strip('"')  # all cells together are text
    with open_table(path) as table:
        assert table.written(["a"])["a"].type == "text"


def test_numbers_exactly_and_in_even_blocks(tmp_path: Path, numbers: NDArray[np.float64], small_chunks: None) -> None:
    lines = ["a,b,c,d", *(",".join(map(repr, row)) for row in numbers.tolist())]
    with open_table(write(tmp_path, "\n".join(lines)), rows_per_block=30) as table:
        assert table.names == ("a", "b", "c", "d")
        assert (table.n_columns, table.n_rows) == (4, None)
        blocks = list(table.blocks())
    assert [block.num_rows for block in blocks] == [30, 30, 30, 10]
    assert np.array_equal(np.column_stack(pa.concat_tables(blocks).columns), numbers)


def test_projection_in_the_order_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b,c\n1,2,x\n3,4,y\n")
    assert read(path, ["c", "a"]).to_pydict() == {"c": ["x", "y"], "a": [1.0, 3.0]}
    assert read(path, ["b"]).to_pydict() == {"b": [2.0, 4.0]}


@pytest.mark.parametrize("odd", ["X", "01", "1.5", str(2**60 + 1), str(2**70), "true", "", "NA"])
def test_the_type_of_a_column_does_not_depend_on_the_order_of_rows(
    tmp_path: Path, small_chunks: None, odd: str
) -> None:
    found = []
    for before in (0, 3000):
        rows = ["1"] * before + [odd] + ["1"] * (3000 - before)
        table = read(write(tmp_path, "a,b\n" + "".join(f"{cell},0\n" for cell in rows)))
        cells = table["a"].to_pylist()
        found.append((table.schema.types, cells[before], cells[before - 1]))
    assert found[0] == found[1]


def test_faults_in_other_forms(tmp_path: Path, small_chunks: None) -> None:
    path = write(tmp_path, f"id,a\n{2**60},1\n" + "5,1\n" * 2000 + "1.5,2\n")
    with pytest.raises(DataError, match=r"row 2002, column 'id': '1\.5' is not a whole number"):
        read(path, readings={"id": "whole numbers", "a": "floats"})
    for odd in ("maybe", "1"):
        path = write(tmp_path, "f,a\n" + "true,1\n" * 2000 + f"{odd},2\n")
        with pytest.raises(DataError, match=f"row 2001, column 'f': '{odd}' is not true or false"):
            read(path, readings={"f": "true or false"})
    path = write(tmp_path, b"n,a\n" + b"x,1\n" * 2000 + b"M\xfcller,2\n")
    with pytest.raises(DataError, match=r"row 2001, column 'n': 'M\\\\xfcller' is not UTF-8 text"):
        read(path)


def test_two_faults_report_the_first_row(tmp_path: Path, small_chunks: None) -> None:
    path = write(tmp_path, "a,b\n" + "1,2\n" * 2000 + "1,x\ny,2\n" + '"u ""\nv",2\n')
    with pytest.raises(DataError, match="row 2001, column 'b': 'x'"):
        read(path, readings={"a": "floats", "b": "floats"})
    with pytest.raises(DataError, match="row 2002, column 'a': 'y'"):
        read(path, ["a"], readings={"a": "floats"})


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a,b\ntrue,True\nfalse,False\n", {"a": [True, False], "b": [True, False]}),
        (
            "a,b,c\n1,x,\n,,\nnan,y,NULL\n 4 ,z,NA\n",
            {"a": [1, None, None, 4], "b": ["x", None, "y", "z"], "c": [None] * 4},
        ),
        ("a\n1\n\n3\n", {"a": [1, None, 3]}),  # an empty line of one column is a missing value
        ("a,b\n1,2\n\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ('a,b\n1,"y\n"\n', {"a": [1], "b": ["y\n"]}),
        ('a\n"Zürich, ""ZH"""\nNA\n"two\nlines"\n007\n', {"a": ['Zürich, "ZH"', "NA", "two\nlines", "007"]}),
        ("a,b\n2024-01-01,12:30:00\n", {"a": ["2024-01-01"], "b": ["12:30:00"]}),
        ('\ufeffa,b\r\n1,"x,y"\r\n3,z\r\n', {"a": [1, 3], "b": ["x,y", "z"]}),
        ("a\n" + "1\n" * 2000 + "2.5\n", {"a": [1.0] * 2000 + [2.5]}),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_cells(tmp_path: Path, small_chunks: None, name: str, text: str, cells: dict[str, list[object]]) -> None:
    found = read(write(tmp_path, gzip.compress(text.encode()) if name.endswith("gz") else text, name)).to_pydict()
    assert found == cells
    assert [type(own[0]) for own in found.values()] == [type(own[0]) for own in cells.values()]


def test_tabs(tmp_path: Path) -> None:
    assert read(write(tmp_path, "a\tb\n1\tx,y\n3\tz\n", "a.tsv")).to_pydict() == {"a": [1, 3], "b": ["x,y", "z"]}


def test_line_break_in_quotes_across_chunks(tmp_path: Path, small_chunks: None) -> None:
    path = write(tmp_path, "a,b\n" + '1,"x\ny"\n' * 1000)
    assert set(read(path)["b"].to_pylist()) == {"x\ny"}


@pytest.mark.parametrize("columns", [None, ["a"]])
def test_quote_never_closed(tmp_path: Path, columns: list[str] | None) -> None:
    path = write(tmp_path, 'a,b\n1,x\n2,"y\n3,z\n')
    with pytest.raises(FileError, match="a quote opened in column 'b' of its last row is never closed"):
        read(path, columns)


def test_columns_that_are_not_read_may_hold_anything(tmp_path: Path, small_chunks: None) -> None:
    path = write(tmp_path, b"a,b,c\n" + b"1,2,3\n" * 2000 + b"4,x,M\xfcll\n")
    assert read(path, ["a"]).num_rows == 2001


def test_row_longer_than_a_chunk(tmp_path: Path, small_chunks: None) -> None:
    path = write(tmp_path, "a,b\n" + "1,x\n" * 500 + '2,"' + "y" * 5000 + '"\n')
    with pytest.raises(FileError, match=r"a row is longer than 512 bytes; is a quote never closed\?"):
        read(path)


@pytest.mark.slow
def test_very_wide_rows(tmp_path: Path, small_chunks: None) -> None:
    names = [f"column{j}" for j in range(1000)]
    path = write(tmp_path, ",".join(names) + "\n" + (",".join(["1"] * 1000) + "\n") * 5)
    assert read(path).shape == (5, 1000)


@pytest.mark.slow
def test_cut_off_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + np.random.default_rng(0).bytes(50_000).hex(",").encode().replace(b",", b",1\n"))
    with pytest.raises(FileError, match="damaged, or not CSV text"):
        read(write(tmp_path, packed[: len(packed) // 2], "a.csv.gz"))


@pytest.mark.parametrize(
    "text", ["1.5,2,-3e4\n1,2,3\n", "1,2\n3,4\n", "0,1\n3,4\n", "a,1\nb,2\n", ",x\n0,1\n", '"1","x"\n2,3\n']
)
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_first_line_that_may_be_data(tmp_path: Path, start: str, text: str) -> None:
    for name, content in (("a.csv", text), ("a.tsv", text.replace(",", "\t"))):
        with pytest.raises(DataError, match="--no-header"):
            open_table(write(tmp_path, start + content, name))


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_without_a_header(tmp_path: Path, start: str, end: str, small_chunks: None) -> None:
    rows = [(j + 0.5, f"city {j % 3}") for j in range(200)]
    text = start + "".join(f"{a},{b}{end}" for a, b in rows)
    for name, content in (("a.csv", text), ("a.tsv", text.replace(",", "\t"))):
        for path in (write(tmp_path, content, name), write(tmp_path, gzip.compress(content.encode()), f"{name}.gz")):
            with open_table(path, header=False, rows_per_block=17) as table:
                assert (table.names, table.fields, table.n_columns) == (None, ("0", "1"), 2)
                found = pa.concat_tables(table.blocks())
                assert [tuple(row.values()) for row in found.to_pylist()] == rows
                assert table.written(["1"])["1"].type == "text"
            with open_table(path, header=False, names=["x", "y"]) as table:
                assert table.names == ("x", "y")
                assert pa.concat_tables(table.blocks(["y"])).to_pydict() == {"y": [b for _, b in rows]}
            with pytest.raises(DataError, match="has 2 columns, but 3 names are given"):
                open_table(path, header=False, names=["x", "y", "z"])


def test_rows_are_counted_from_the_first_line_without_a_header(tmp_path: Path) -> None:
    ragged = write(tmp_path, "1,2\n3,4\n5,6,7\n")
    with pytest.raises(FileError, match="row 3 has 3 fields instead of 2"), open_table(ragged, header=False) as table:
        list(table.blocks())
    text = write(tmp_path, "1,2\n3,x\n", "b.csv")
    with pytest.raises(DataError, match="row 2, column '1': 'x' is not"), open_table(text, header=False) as table:
        list(table.blocks(readings={"0": "floats", "1": "floats"}))
    for empty in ("", "\n\n"):
        with pytest.raises((NoRowsError, FileError)):
            open_table(write(tmp_path, empty, "c.csv"), header=False)


def test_a_header_of_numbers_by_request(tmp_path: Path) -> None:
    with open_table(write(tmp_path, "city,2019,2020\nOslo,1,2\n"), header=True) as table:
        assert table.names == ("city", "2019", "2020")
        assert pa.concat_tables(table.blocks()).to_pylist() == [{"city": "Oslo", "2019": 1, "2020": 2}]


def test_repeated_names(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns 0 and 2 are both named 'a'"):
        open_table(write(tmp_path, "a,b,a\n1,2,3\n"))


def test_header_that_is_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="column names are not UTF-8"):
        open_table(write(tmp_path, b"gr\xf6\xdfe,b\n1,2\n"))


def test_no_rows(tmp_path: Path) -> None:
    with open_table(write(tmp_path, "a,b\n")) as table:
        assert table.names == ("a", "b")
        assert list(table.blocks()) == []
    for text in ("a,b", "\n\n"):
        with pytest.raises(NoRowsError, match="has no rows below its first line"):
            open_table(write(tmp_path, text))


def test_columns_are_counted_before_they_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.table_reader.MAX_COLUMNS", 3)
    (tmp_path / "t.csv").write_text('a,"b,c,d",e\n1,2,3\n')
    assert open_table(tmp_path / "t.csv").n_columns == 3
    (tmp_path / "t.csv").write_text("a,b,c,d\n1,2,3,4\n")
    with pytest.raises(FileError, match=r"t\.csv: has 4 columns; at most 3 are read"):
        open_table(tmp_path / "t.csv")


@pytest.mark.slow
def test_a_stream_may_be_left_before_its_end(tmp_path: Path, small_chunks: None) -> None:
    numbers = np.arange(40_000.0)
    path = write(tmp_path, "a\n" + "\n".join(map(str, numbers)))
    with open_table(path, rows_per_block=10) as table:
        first = next(iter(table.blocks(None, {"a": "floats"})))
        assert first["a"].to_pylist() == numbers[:10].tolist()
        assert 0 < (table.rows_expected or 0) < 80_000
        again = pa.concat_tables(table.blocks(None, {"a": "floats"}))
    assert np.array_equal(again["a"], numbers)


def test_truth_values_below_a_beginning_without_any(tmp_path: Path, small_chunks: None) -> None:
    """What a column of a CSV file is does not depend on which of its rows come first."""
    empty, full = ["NA,1"] * 2000, ["true,1", "false,1"]
    for rows in (full + empty, empty + full):
        with open_table(write(tmp_path, "\n".join(["a,b", *rows]))) as table:
            assert table.beginning("a") == "boolean"


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" * 99 + "\n", "first line is"),
        ('"' * 100, "first line is"),
        ("a" * 49 + "\n" + "1" * 50, "first two lines are"),
        ("," * 49 + "\n" + "," * 49 + "\n" + 1000 * "1", "first two lines are"),
    ],
)
def test_the_first_two_lines_are_bounded(
    tmp_path: Path, text: str, said: str, compressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec.tables.csv.MAX_LINES_BYTES", 99)
    path = write(tmp_path, gzip.compress(text.encode()) if compressed else text, "t.csv.gz" if compressed else "t.csv")
    with pytest.raises(FileError, match=f"its {said} longer than 99 bytes, the limit"):
        open_table(path)
    monkeypatch.setattr("kernelspec.tables.csv.MAX_LINES_BYTES", 100)
    with suppress(KernelspecError):
        open_table(path)


SEMICOLONS = "its columns are separated by semicolons (';'), not commas (','): rewrite it with commas or as a .tsv"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a;b;c\n1;2;3\n", SEMICOLONS),
        ("a;b\n1,5;2,5\n", SEMICOLONS),  # a decimal comma
        ("a\tb\n1\t2\n", r"tabs ('\t'), not commas (','): rewrite it with commas or call it .tsv"),
        ("a|b;c\n1|2\n", "vertical bars ('|')"),  # that which the rows have, too
        ("a,b\n1,2\n", ""),
        ("a;b,c\n1;2,3\n", ""),
        ("a;b\n1\n", ""),  # one column of this name
        ('"a;b"\nx;y\n', ""),
        ("price;EUR\n12\n13\n", ""),
        ("PAR1,PAR2\n1,2\n", ""),  # as Parquet begins
        ("<a>,b\n1,2\n", ""),
    ],
)
def test_another_delimiter_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = write(tmp_path, gzip.compress(text.encode()) if name.endswith("gz") else text, name)
    with pytest.raises(DataError, match=re.escape(said)) if said else nullcontext():
        open_table(path)
    if said:
        with pytest.raises(DataError, match=r"separated by commas \(','\), not tabs .* with tabs$"):
            open_table(write(tmp_path, "a,b\n1,2\n", "t.tsv"))
