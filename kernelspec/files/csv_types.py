"""The type of every column of a CSV file, decided by its first rows so that later ones still fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

__all__ = ["column_types", "missing_as_null"]

_EXACT_IN_FLOAT64 = 2**53


def column_types(schema: pa.Schema, first: pa.RecordBatch | None) -> dict[str, Any]:
    """float64, int64, bool or text for every column, given what pyarrow inferred.

    Integers become float64, because a later row may hold 2.5; only integers beyond 2^53, which are identifiers
    and would no longer be distinct, stay int64. So does a column with nothing in it. Dates, times and whatever
    else is text.
    """
    import pyarrow as pa

    types = {}
    for j, field in enumerate(schema):
        if pa.types.is_boolean(field.type):
            types[field.name] = pa.bool_()
        elif pa.types.is_integer(field.type):
            large = first is not None and _largest(first.column(j)) > _EXACT_IN_FLOAT64
            types[field.name] = pa.int64() if large else pa.float64()
        elif pa.types.is_floating(field.type) or pa.types.is_null(field.type):
            types[field.name] = pa.float64()
        else:
            types[field.name] = pa.string()
    return types


def missing_as_null(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Empty text becomes null, as empty numbers already are; "NA" stays the text it is (Namibia)."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    arrays = [
        pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
        if pa.types.is_string(column.type)
        else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def _largest(integers: pa.Array) -> int:
    import pyarrow.compute as pc

    low, high = pc.min_max(integers).as_py().values()
    return 0 if low is None else max(-int(low), int(high))
