"""CSV and TSV, plain or gzipped, with a header line."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelspec.errors import CellTypeError, DataError, FileError, NoRowsError
from kernelspec.tables.atomic import reading
from kernelspec.tables.table_reader import (
    TableReader,
    bounded_rows,
    check_columns,
    check_delimiter,
    check_header,
    check_source,
    regroup,
)
from kernelspec.tables.text_streams import (
    BOOLEANS,
    NO_VALUES,
    CsvFile,
    TextPosition,
    WrittenColumn,
    arrow_type,
    as_read,
    first_looks,
    reading_of,
    split_batches,
    text_size,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from kernelspec.errors import KernelspecError
    from kernelspec.tables.column_types import ColumnType
    from kernelspec.tables.table_reader import Block
    from kernelspec.tables.text_streams import Reading

__all__ = ["DelimitedReader", "find_fault"]

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


_INFERENCE_CHUNK = 2**21
_CHUNK = 2**20
_BYTES_PER_VALUE = 8
_WORTH_SPLITTING = 2**23


class DelimitedReader(TableReader):
    """Arrow tables of numbers, truth values and text; all cells of a column decide what it is, in a pass of its own.

    Columns that are said to be read otherwise (`blocks(readings=…)`) are not looked at before. An empty field is null,
    in text too. A field may hold line breaks if it is quoted.

    `header` says whether the first line holds names; without it, it does, and a line that may be data is refused. The
    columns of a file without a header are called `names`, if given, and else have only positions.

    Raises:
        DataError: names that are numbers, repeated or empty, other numbers of them, another delimiter; while reading,
            text in a column of numbers.
        NoRowsError: a first line, and nothing below it.
        FileError: not UTF-8, no header, too many columns, lines that are too long, or rows of different lengths.
    """

    def __init__(
        self,
        path: Path,
        rows_per_block: int,
        *,
        delimiter: str,
        compressed: bool,
        header: bool | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        kind = "gzip data" if compressed else "a text file" if header is False else "a text file with a header"
        super().__init__(path, check_source(path, kind, b"\x1f\x8b" if compressed else b""))
        self.file = CsvFile(path, delimiter, compressed, () if header is False else None)
        self._kind = "CSV text" if delimiter == "," else "tab-separated text"
        with reading(path, self._kind):
            self._text_size = text_size(path, self.size, compressed=compressed)
            self._chunk = self.file.chunk_bytes(_CHUNK)
            check_columns(self.file.least_columns(), str(path))  # before Arrow makes a column of each
            check_delimiter(path, delimiter, self.file.other_delimiter())
            found = self._first_line(header)
        if header is False:
            self.fields = tuple(map(str, range(len(found)))) if names is None else tuple(names)
            self.file = replace(self.file, fields=self.fields)
            if len(self.fields) != len(found):
                raise DataError(f"{path}: has {len(found)} columns, and {len(self.fields)} names are given for them")
            self.names = None if names is None else self.fields
            self._beginnings = dict(zip(self.fields, found.values(), strict=True))
        else:
            self.fields = self.names = tuple(found)
            self._beginnings = found
        self._position = TextPosition(self.size, self._text_size)
        self._written: dict[str, WrittenColumn] = {}
        self.n_columns = len(self.fields)
        self._rows_per_block = rows_per_block

    @property
    def has_written_cells(self) -> bool:
        return True

    def written(self, columns: Sequence[str]) -> Mapping[str, WrittenColumn]:
        """What the cells of some columns look like, from a pass over the whole file; it is remembered.

        Raises:
            FileError: the file turns out to be damaged further on.
        """
        import pyarrow as pa

        wanted = tuple(name for name in columns if name not in self._written)
        if wanted:
            self._check_columns(wanted)
            found, done = dict.fromkeys(wanted, WrittenColumn()), 0
            with reading(self.path, self._kind):
                for batch in self._batches(wanted, dict.fromkeys(wanted, pa.string())):
                    for name in wanted:
                        found[name] = found[name].joined(first_looks(batch.column(name)), done)
                    done += batch.num_rows
            self._written |= found
            self.n_rows = done
        return {name: self._written[name] for name in columns}

    def beginning(self, column: str) -> ColumnType:
        return self._beginnings.get(column, "unknown")

    def _first_line(self, header: bool | None) -> dict[str, ColumnType]:
        """The names of the columns, made up if there is no header, and what they begin with."""
        with ExitStack() as stack:
            _, text = self.file.bytes_stream(stack)
            try:
                chunk = max(self._chunk, _INFERENCE_CHUNK)
                schema = stack.enter_context(self.file.open(text, chunk, threads=False)).schema
                names = tuple(schema.names)  # decoded here
            except UnicodeDecodeError as error:
                raise FileError(f"{self.path}: its column names are not UTF-8; save the file as UTF-8") from error
            except ValueError as error:
                if "Empty CSV" in str(error):
                    where = "" if header is False else " below its first line"
                    raise NoRowsError(f"{self.path}: has no rows{where}") from error
                self._explain(error, (), {})
                raise
            if header is not False:
                check_header(self.path, names, sure=header is True)
        return {name: _suggested(kind) for name, kind in zip(names, schema.types, strict=True)}

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        assert self.fields is not None
        wanted = self.fields if columns is None else tuple(columns)
        rows = bounded_rows(self._rows_per_block, _BYTES_PER_VALUE * len(wanted))
        untold = [name for name in wanted if readings is None or name not in readings]
        known = {**(readings or {}), **{name: reading_of(own) for name, own in self.written(untold).items()}}
        types = {name: arrow_type(known[name]) for name in wanted}
        with reading(self.path, self._kind):
            yield from regroup((as_read(batch, known) for batch in self._batches(wanted, types)), rows)

    def _bytes_read(self) -> int:
        return self._position.bytes_before(self.rows_read)

    def _batches(self, wanted: tuple[str, ...], types: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        """The columns wanted, of all rows, parsed as these types."""
        import pyarrow as pa

        assert self.fields is not None
        last = self.fields[-1]
        read = wanted
        # The last column is always read: a quote that is never closed swallows the rest of the file into it.
        if last not in wanted:
            read, types = (*wanted, last), {**types, last: pa.binary()}
        every = {name: types.get(name, pa.binary()) for name in self.fields}
        final = None
        with ExitStack() as stack:
            raw, text = self.file.bytes_stream(stack)
            self._position = position = TextPosition(self.size, self._text_size)
            try:
                if not self.file.compressed and self.size >= _WORTH_SPLITTING:
                    for end, batch in split_batches(self.file, raw, self._chunk, wanted, every):
                        position.add(batch.num_rows, end, end)
                        yield batch
                start = 0 if self.file.compressed else raw.tell()
                if start == self.size:
                    return
                below = self.fields if start else None
                batches = stack.enter_context(self.file.open(text, self._chunk, every, read, names=below))
                for count, batch in enumerate(batches, 1):  # one for every chunk of text
                    end, fetched = start + count * self._chunk, self.size if raw.closed else raw.tell()
                    position.add(batch.num_rows, end, fetched)
                    if batch.num_rows:
                        final = batch.column(last)[-1].as_py()
                        yield batch.select(list(wanted))
            except ValueError as error:
                self._explain(error, wanted, every)
                raise
        if isinstance(final, str | bytes) and final[-1:] in ("\n", b"\n") and self.file.has_open_quote():
            raise FileError(f"{self.path}: a quote opened in column {last!r} of its last row is never closed")

    def _explain(self, error: ValueError, columns: tuple[str, ...], types: Mapping[str, Any]) -> None:
        """Raise with row, column and value, if a second pass finds them."""
        if "straddling" in str(error):
            message = f"{self.path}: a row is longer than {self._chunk} bytes; is a quote never closed?"
            raise FileError(message) from error
        fault = find_fault(self.file, types, columns, self._chunk)
        if fault is not None:
            raise fault from error


def _suggested(kind: pa.DataType) -> ColumnType:
    """The type of a column that pyarrow takes for this."""
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_null(kind):
        return "unknown"
    return "number" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "text"
