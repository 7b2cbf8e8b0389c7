"""One pass over delimited text: its first lines, its quotation marks, and how it is split."""

from __future__ import annotations

import gzip
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kernelspec.errors import FileError
from kernelspec.tables.text_streams import CsvFile

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
