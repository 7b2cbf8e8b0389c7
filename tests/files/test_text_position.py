"""How far a pass over a text has come."""

from __future__ import annotations

import gzip
from pathlib import Path

from kernelspec.tables.text_streams import TextPosition, text_size


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
