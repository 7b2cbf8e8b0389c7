"""Tests of `tables/text_streams.py`."""

from __future__ import annotations

import decimal
import gzip
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelspec.errors import FileError, KernelspecError
from kernelspec.tables.formats import open_table
from kernelspec.tables.text_streams import (
    CsvFile,
    Look,
    Reading,
    TextPosition,
    WrittenColumn,
    arrow_type,
    as_read,
    first_looks,
    reading_of,
    text_size,
)

ROWS = [f"{i},-{i}.25,word{i},0.{i:03}" for i in range(90)]


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Text is cut into pieces of 256 bytes, however small the file is; the list gets the bytes at which they end."""
    from kernelspec.tables import csv as delimited
    from kernelspec.tables import text_streams as csv_split

    ends: list[int] = []
    whole = csv_split.split_batches

    def noted(*given: Any) -> Any:
        for end, batch in whole(*given):
            ends.append(end)
            yield end, batch

    monkeypatch.setattr(delimited, "_INFERENCE_CHUNK", 512)
    monkeypatch.setattr(delimited, "_CHUNK", 256)
    monkeypatch.setattr(delimited, "_WORTH_SPLITTING", 0)
    monkeypatch.setattr(delimited, "split_batches", noted)
    return ends


def read(path: Path, columns: list[str] | None, readings: dict[str, Reading] | None) -> list[Any]:
    """All blocks of 7 rows, or what was said."""
    try:
        with open_table(path, rows_per_block=7) as table:
            return list(table.blocks(columns, readings))
    except KernelspecError as error:
        return [type(error), str(error)]


def with_row(row: str) -> list[str]:
    return [*ROWS[:70], row, *ROWS[70:]]


@pytest.mark.parametrize("columns", [None, ["d", "a"], ["b"]])
@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("\n".join(["a,b,c,d", *ROWS]), True),
        ("\r\n".join(["a,b,c,d", *ROWS, ""]), True),
        ("\n".join(['\ufeff"a","b","c","d"', *ROWS, ""]), True),
        ("\n".join(["a,b,c,d", *with_row(",1e-5, NA,+3"), ""]), True),
        ("\n".join(["a,b,c,d", *with_row("")]), True),
        ("\n".join(["a,b,c,d", *with_row("1,2,3")]), True),
        ("\n".join(["a,b,c,d", *with_row("1,ten,3,x")]), True),
        ("\n".join(["a,b,c,d", *with_row('1,2,"two\nlines, and ""quotes""",3')]), True),
        ("\n".join(["a,b,c,d", *with_row("1,2," + "long" * 300 + ",3")]), True),
        ("\n".join(["a,b,c,d", *with_row('1,2,3,"open'), ""]), True),
        ("\n".join(["a,b,c,d", '1,2,"3",4', *ROWS]), False),
        ("\n".join(['a,b,c,"d"', *ROWS]), False),
        ("\r".join(["a,b,c,d", *ROWS, ""]), False),
    ],
)
def test_as_in_one_go(
    tmp_path: Path,
    text: str,
    cut: bool,
    columns: list[str] | None,
    pieces: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, readings = tmp_path / "t.csv", dict[str, Reading](a="floats", b="floats", c="text", d="floats")
    path.write_text(text, encoding="utf-8", newline="")
    found = read(path, columns, readings)
    assert (len(pieces) > 5) == cut
    assert pieces == sorted(pieces)
    monkeypatch.setattr("kernelspec.tables.csv._WORTH_SPLITTING", 2**23)
    expected = read(path, columns, readings)
    assert len(found) == len(expected)
    for own, other in zip(found, expected, strict=True):
        assert own.equals(other) if isinstance(own, pa.Table) else own == other


def test_an_empty_line_in_a_file_of_one_column_is_a_missing_value(tmp_path: Path, pieces: list[int]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "1.5\n" * 100 + "\n" + "2\n" * 100)
    table = pa.concat_tables(read(path, None, {"a": "floats"}))
    assert table["a"].to_pylist() == [1.5] * 100 + [None] + [2.0] * 100
    assert pieces[-1] == path.stat().st_size


def test_a_stream_may_be_left_before_its_end(tmp_path: Path, pieces: list[int]) -> None:
    path, numbers = tmp_path / "t.csv", np.arange(4000.0)
    path.write_text("a\n" + "\n".join(map(str, numbers)))
    with open_table(path, rows_per_block=10) as table:
        first = next(iter(table.blocks(None, {"a": "floats"})))
        assert first["a"].to_pylist() == numbers[:10].tolist()
        assert 0 < (table.rows_expected or 0) < 8000
        again = pa.concat_tables(table.blocks(None, {"a": "floats"}))
    assert np.array_equal(again["a"], numbers)


COMPRESSED = pytest.mark.parametrize("compressed", [False, True])


def csv_file(folder: Path, text: str, compressed: bool = False, delimiter: str = ",") -> CsvFile:
    path = folder / "t"
    data = text.encode()
    path.write_bytes(gzip.compress(data) if compressed else data)
    return CsvFile(path, delimiter, compressed)


def rows(file: CsvFile, chunk: int = 1024, **options: Any) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        _, text = file.bytes_stream(stack)
        reader = stack.enter_context(file.open(text, chunk, **options))
        return pa.Table.from_batches(list(reader), reader.schema).to_pylist()


@COMPRESSED
@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("a,b", 3),
        ("a,b\n", 4),
        ("a,b\n1,2", 7),
        ("a,b\n1,2\n3,4\n", 8),
        ("\n\na\n", 2),
        ("a" * 200_000 + "\n" + "1" * 70_000 + "\n2\n", 270_002),
        ("ä" * 40_000 + "\n1\n" + "2\n" * 50_000, 80_003),  # bytes, not characters
    ],
)
def test_the_first_two_lines(tmp_path: Path, text: str, length: int, compressed: bool) -> None:
    file = csv_file(tmp_path, text, compressed)
    assert len(file.start()) == length
    assert file.chunk_bytes(10**9) == 10**9
    assert file.chunk_bytes(1) == max(1, 4 * length)


@COMPRESSED
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" * 100, "first line is"),
        ("a" * 99 + "\n", "first line is"),
        ('"' * 100, "first line is"),
        ("a" * 49 + "\n" + "1" * 50, "first two lines are"),
        ("a" * 49 + "\n" + "1" * 49 + "\n", "first two lines are"),
        ("," * 49 + "\n" + "," * 49 + "\n" + 1000 * "1", "first two lines are"),
    ],
)
def test_the_first_two_lines_are_bounded(
    tmp_path: Path, text: str, said: str, compressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec.tables.text_streams.MAX_LINES_BYTES", 100)
    lines = text[:100]
    assert csv_file(tmp_path, text, compressed).start().decode() == lines
    monkeypatch.setattr("kernelspec.tables.text_streams.MAX_LINES_BYTES", 99)
    with pytest.raises(FileError, match=f"t: its {said} longer than 99 bytes, the most that is read of them"):
        csv_file(tmp_path, text, compressed).start()


@pytest.mark.parametrize(
    ("header", "count"),
    [
        ("a", 1),
        ("a,b", 2),
        ('"a,b",c', 2),
        ('a,"b,""c"",d",e', 3),
        ('"a,b\n,,,",c', 1),
        (",,", 3),
        ('"' * 300 + ",", 2),
    ],
)
def test_columns_of_the_first_line(tmp_path: Path, header: str, count: int) -> None:
    assert csv_file(tmp_path, f"{header}\n1,2,3,4\n").least_columns() == count
    assert csv_file(tmp_path, header.replace(",", ";"), delimiter=";").least_columns() == count


@COMPRESSED
def test_quotation_marks_are_counted_in_all_of_the_file(tmp_path: Path, compressed: bool) -> None:
    long = "x" * 2**20
    for text, is_open in (("a,b\n", False), ('"a"\n', False), (f'"{long}', True), (f'"{long}"\n{long}"', True)):
        assert csv_file(tmp_path, text, compressed).has_open_quote() is is_open


@COMPRESSED
def test_fields(tmp_path: Path, compressed: bool) -> None:
    file = csv_file(tmp_path, 'a;b\n1;"x;\ny"\n\n2;"say ""z"""\n', compressed, delimiter=";")
    assert rows(file) == [{"a": 1, "b": "x;\ny"}, {"a": 2, "b": 'say "z"'}]
    types = {"a": pa.string(), "b": pa.string()}
    assert rows(file, types=types, columns=["b"]) == [{"b": "x;\ny"}, {"b": 'say "z"'}]


def test_an_empty_line_is_a_missing_value_of_a_single_column(tmp_path: Path) -> None:
    file = csv_file(tmp_path, "a\n1\n\n3\n")
    assert rows(file, types={"a": pa.float64()}) == [{"a": 1}, {"a": None}, {"a": 3}]
    two = csv_file(tmp_path, "a,b\n1,2\n\n3,4\n")
    assert rows(two, types={"a": pa.float64(), "b": pa.float64()}) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]


def test_a_line_break_in_quotes_is_not_cut_at_the_end_of_a_chunk(tmp_path: Path) -> None:
    cells = [f"{i}\n{i}" for i in range(500)]
    file = csv_file(tmp_path, "a,b\n" + "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells)))
    for threads in (False, True):
        found = rows(file, chunk=64, types={"a": pa.int64(), "b": pa.string()}, threads=threads)
        assert found == [{"a": i, "b": cell} for i, cell in enumerate(cells)]


def test_the_position_is_that_of_the_raw_bytes(tmp_path: Path) -> None:
    file = csv_file(tmp_path, "a\n" + "1\n" * 100_000, compressed=True)
    with ExitStack() as stack:
        raw, text = file.bytes_stream(stack)
        assert len(text.read()) == 200_002
        assert raw.tell() == file.path.stat().st_size
    assert raw.closed


@COMPRESSED
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a;b;c\n1;2;3\n", ";"),
        ("a;b\n1,5;2,5\n", ";"),  # a decimal comma
        ("a\tb\n1\t2\n", "\t"),
        ("a|b;c\n1|2\n", "|"),  # that which the rows have, too
        ("a,b\n1,2\n", None),
        ("a;b,c\n1;2,3\n", None),
        ("a;b\n1\n", None),  # one column of this name
        ('"a;b"\nx;y\n', None),
        ("price;EUR\n12\n13\n", None),
        ("a\n1\n", None),
        ("a;b", None),
    ],
)
def test_another_delimiter_is_seen(tmp_path: Path, compressed: bool, text: str, found: str | None) -> None:
    assert csv_file(tmp_path, text, compressed).other_delimiter() == found


@pytest.mark.parametrize(
    ("cells", "reading", "parsed"),
    [
        (["1", "2"], "whole numbers", "int64"),
        (["1", "2.5"], "floats", "double"),
        (["1", str(10**30)], "large whole numbers", "string"),
        (["", ""], "floats", "double"),
        (["true", ""], "true or false", "bool"),
        (["1", "true"], "text", "string"),
        (["01", "2"], "text", "string"),
        (["2024-01-01"], "text", "string"),
    ],
)
def test_readings(cells: list[str], reading: Reading, parsed: str) -> None:
    assert reading_of(WrittenColumn(first_looks(pa.array(cells)))) == reading
    assert str(arrow_type(reading)) == parsed


def test_empty_text_is_null_and_large_numbers_are_exact() -> None:
    batch = pa.RecordBatch.from_pydict(
        {"a": ["", "x", None, "NA"], "b": [1.0, None, 2.0, 3.0], "c": [" 7 ", "", str(2**70 + 1), "NA"]}
    )
    found = as_read(batch, {"a": "text", "b": "floats", "c": "large whole numbers"}).to_pydict()
    assert found["a"] == [None, "x", None, "NA"]
    assert found["b"] == [1.0, None, 2.0, 3.0]
    assert found["c"] == [decimal.Decimal(7), None, decimal.Decimal(2**70 + 1), None]


def test_what_is_no_large_number_is_refused() -> None:
    with pytest.raises(pa.ArrowInvalid):
        as_read(pa.RecordBatch.from_pydict({"a": ["x"]}), {"a": "large whole numbers"})


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


CELLS: list[tuple[str, Look]] = [
    ("", "empty"),
    ("NA", "no value"),
    (" nan ", "no value"),
    ("01", "leading zero"),
    ("-007", "leading zero"),
    ("00.5", "leading zero"),
    ("0", "whole"),
    ("-0", "whole"),
    (" 12 ", "whole"),
    ("9" * 15, "whole"),
    ("9" * 16, "large"),
    ("-" + "9" * 76, "large"),
    ("9" * 77, "text"),
    ("+1", "fraction"),
    ("0.5", "fraction"),
    ("1.", "fraction"),
    (".5", "fraction"),
    ("1e5", "fraction"),
    ("1e400", "fraction"),
    ("inf", "fraction"),
    ("-Infinity", "fraction"),
    ("true", "true or false"),
    ("False", "true or false"),
    ("tRUE", "text"),
    ("1_0", "text"),
    ("0x10", "text"),
    ("2024-01-01", "text"),
    ("  ", "text"),
    ("１", "text"),
]


@pytest.mark.parametrize(("cell", "look"), CELLS)
def test_looks(cell: str, look: Look) -> None:
    assert first_looks(pa.array([cell])) == {look: (1, cell)}
    assert first_looks(pa.array(["x", "x", cell])).get(look) == ((3, cell) if look != "text" else (1, "x"))


@pytest.mark.parametrize(
    ("cells", "kind", "ambiguous"),
    [
        (["", None], "unknown", False),
        (["NA"], "unknown", False),
        (["1", "2"], "whole number", False),
        (["1", "NA", ""], "whole number", False),
        (["1", "2.0"], "number", False),
        ([str(2**70), "1"], "whole number", False),
        (["true", "FALSE", "NA"], "boolean", False),
        (["NA", "x"], "text", False),
        (["01", "02"], "text", False),
        (["1", "01"], "text", True),
        (["1", "X"], "text", True),
        (["true", "X"], "text", True),
        (["true", "1"], "text", True),
    ],
)
def test_the_type_of_a_column(cells: list[str], kind: str, ambiguous: bool) -> None:
    for order in (cells, cells[::-1]):
        column = WrittenColumn(first_looks(pa.array(order, pa.string())))
        assert (column.type, column.is_ambiguous) == (kind, ambiguous)


def test_what_makes_a_column_ambiguous_is_told() -> None:
    column = WrittenColumn(first_looks(pa.array(["1", "2", "X", "01"])))
    assert column.told_apart() == ((1, "1"), (3, "X"))
    column = WrittenColumn(first_looks(pa.array(["true", "7"])))
    assert column.told_apart() == ((1, "true"), (2, "7"))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([cell for cell, _ in CELLS]), min_size=1, max_size=12), st.randoms(), st.integers(0, 12)
)
def test_neither_order_nor_blocks_matter(cells: list[str], random: object, cut: int) -> None:
    whole = WrittenColumn(first_looks(pa.array(cells)))
    parts = WrittenColumn().joined(first_looks(pa.array(cells[:cut], pa.string())), 0)
    parts = parts.joined(first_looks(pa.array(cells[cut:], pa.string())), len(cells[:cut]))
    assert parts.first == whole.first
    random.shuffle(cells)  # type: ignore[attr-defined]
    moved = WrittenColumn(first_looks(pa.array(cells)))
    assert (moved.type, moved.looks, moved.is_ambiguous) == (whole.type, whole.looks, whole.is_ambiguous)
