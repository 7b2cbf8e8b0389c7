"""Types decided by the first rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from kernelspec.files.csv_types import column_types, missing_as_null


@pytest.mark.parametrize(
    ("inferred", "kept"),
    [
        (pa.int64(), "double"),
        (pa.float64(), "double"),
        (pa.null(), "double"),
        (pa.bool_(), "bool"),
        (pa.string(), "string"),
        (pa.binary(), "string"),
        (pa.date32(), "string"),
        (pa.timestamp("ns"), "string"),
    ],
)
def test_types(inferred: pa.DataType, kept: str) -> None:
    assert str(column_types(pa.schema([("a", inferred)]), None)["a"]) == kept


@pytest.mark.parametrize(("value", "kept"), [(2**53, "double"), (2**53 + 1, "int64"), (-(2**53) - 1, "int64")])
def test_large_integers(value: int, kept: str) -> None:
    batch = pa.RecordBatch.from_pydict({"a": pa.array([1, None, value])})
    assert str(column_types(batch.schema, batch)["a"]) == kept


def test_column_of_missing_integers() -> None:
    batch = pa.RecordBatch.from_pydict({"a": pa.array([None], pa.int64())})
    assert str(column_types(batch.schema, batch)["a"]) == "double"


def test_empty_text_is_null() -> None:
    batch = missing_as_null(pa.RecordBatch.from_pydict({"a": ["", "x", None], "b": [1.0, None, 2.0]}))
    assert batch.to_pydict() == {"a": [None, "x", None], "b": [1.0, None, 2.0]}
