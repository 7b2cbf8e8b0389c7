"""What the cells of a column are turned into."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest

from kernelspec.tables.text_streams import Reading, WrittenColumn, arrow_type, as_read, first_looks, reading_of


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
