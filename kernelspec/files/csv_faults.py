"""Where exactly a CSV file stopped making sense: a second, slow pass after a fast one has failed."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kernelspec.errors import CellTypeError, FileError
from kernelspec.files.written_cells import BOOLEANS, NO_VALUES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

    from kernelspec.errors import KernelspecError
    from kernelspec.files.csv_stream import CsvFile

__all__ = ["find_fault"]

_LONGEST_SHOWN_VALUE = 60
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)
_EXPECTED = {
    "double": "a number, which the kernel needs there (match() compares categories)",
    "int64": "a whole number, as in all rows before",
    "bool": "true or false, as in the rows before it",
    "string": "UTF-8 text",
}


def find_fault(file: CsvFile, types: Mapping[str, Any], columns: tuple[str, ...], chunk: int) -> KernelspecError | None:
    """The error that names row, column and value of the first misfit, or None if all fits.

    Rows are counted from 1, the header not counted. Only `columns` are looked at.
    """
    import pyarrow as pa

    with ExitStack() as stack:
        _, text = file.bytes_stream(stack)
        as_bytes = dict.fromkeys(types, pa.binary())
        try:
            # Ragged rows are reported with their number only where a single thread parses.
            n_rows = 0
            for batch in stack.enter_context(file.open(text, chunk, as_bytes, columns, threads=False)):
                misfits = {name: _first_misfit(batch.column(name), types[name]) for name in columns}
                faults = [(row, name) for name, row in misfits.items() if row is not None]
                if faults:
                    row, name = min(faults, key=lambda fault: fault[0])
                    value = batch.column(name)[row].as_py().decode("utf-8", "backslashreplace")
                    where = f"{file.path}: row {n_rows + row + 1}, column {name!r}"
                    return CellTypeError(f"{where}: {_shown(value)} is not {_EXPECTED[str(types[name])]}")
                n_rows += batch.num_rows
        except pa.ArrowInvalid as error:
            ragged = _RAGGED.search(str(error))
            if ragged is None:
                raise
            row, wanted, found = (int(ragged[group]) for group in (1, 2, 3))
            row -= file.fields is None  # Arrow counts the header as row 1
            return FileError(f"{file.path}: row {row} has {found} fields instead of {wanted}: {_shown(ragged[4])}")
    return None


def _first_misfit(values: pa.Array, wanted: Any) -> int | None:
    """Position of the first value that the conversion to `wanted` refuses."""
    if _fits(values, wanted):
        return None
    low, high = 0, len(values)
    # Invariant: everything before `low` fits, something in low:high does not.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fits(values.slice(low, middle - low), wanted) else (low, middle)
    return low


def _fits(values: pa.Array, wanted: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    try:
        text = pc.utf8_trim_whitespace(values.cast(pa.string()))
        if pa.types.is_string(wanted):
            return True
        missing = pc.is_in(text, value_set=pa.array(["", *NO_VALUES]))
        if pa.types.is_boolean(wanted):  # a cast would take 1 and 0 as well
            return bool(pc.all(pc.or_(missing, pc.is_in(text, value_set=pa.array(BOOLEANS))), min_count=0).as_py())
        pc.if_else(missing, pa.scalar(None, pa.string()), text).cast(wanted)
    except pa.ArrowInvalid:
        return False
    return True


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN_VALUE else text[:_LONGEST_SHOWN_VALUE] + "…")
