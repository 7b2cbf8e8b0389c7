"""Files cut at line ends and parsed piece by piece: the same tables and errors as in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kernelspec.errors import KernelspecError
from kernelspec.tables.formats import open_table
from kernelspec.tables.text_streams import Reading

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
