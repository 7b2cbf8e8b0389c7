"""How the columns of a CSV file are read: their types are decided by all of their cells, or were before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

    from kernelspec.files.written_cells import WrittenColumn

__all__ = ["Reading", "arrow_type", "as_read", "reading_of"]

Reading = Literal["floats", "whole numbers", "large whole numbers", "true or false", "text"]
"""What the cells of a column are turned into; whole numbers beyond 2⁶³ become decimals, which hold them exactly."""

_LARGE_DIGITS = 76
_CONVERTED = ("text", "large whole numbers")
"""Readings whose cells are parsed as text first."""


def reading_of(column: WrittenColumn) -> Reading:
    """How a column is read that is of the type its cells suggest."""
    if column.type in ("number", "unknown"):
        return "floats"
    if column.type == "whole number":
        return "large whole numbers" if "large" in column.looks else "whole numbers"
    return "true or false" if column.type == "boolean" else "text"


def arrow_type(reading: Reading) -> Any:
    """The type that pyarrow parses the cells as."""
    import pyarrow as pa

    parsed = {"floats": pa.float64(), "whole numbers": pa.int64(), "true or false": pa.bool_()}
    return parsed.get(reading, pa.string())


def as_read(batch: pa.RecordBatch, readings: dict[str, Reading]) -> pa.RecordBatch:
    """A batch as it was parsed, with large numbers as decimals, and empty text null as empty numbers are.

    "NA" stays the text it is (Namibia). Raises ArrowInvalid for a cell that is no whole number of up to 76 digits.
    """
    if all(reading not in _CONVERTED for reading in map(readings.get, batch.schema.names)):
        return batch
    import pyarrow as pa

    found = [
        _as_read(column, readings.get(name, "floats")) for name, column in zip(batch.schema.names, batch, strict=True)
    ]
    return pa.RecordBatch.from_arrays(found, names=batch.schema.names)


def _as_read(column: pa.Array, reading: Reading) -> pa.Array:
    if reading not in _CONVERTED:
        return column
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    nothing = pa.scalar(None, pa.string())
    column = pc.if_else(pc.equal(column, ""), nothing, column)
    if reading == "text":
        return column
    from kernelspec.files.written_cells import NO_VALUES

    trimmed = pc.utf8_trim_whitespace(column)
    no_value = pc.is_in(trimmed, value_set=pa.array(NO_VALUES))
    return pc.if_else(no_value, nothing, trimmed).cast(pa.decimal256(_LARGE_DIGITS, 0))
