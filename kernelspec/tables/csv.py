"""CSV and TSV, plain or gzipped: read by PyArrow, with errors that name row, column and value."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np

from kernelspec.errors import CellTypeError, DataError, FileError, NoRowsError
from kernelspec.limits import MAX_LINES_BYTES
from kernelspec.loading import listed, unknown_column
from kernelspec.loading import pyarrow as pa
from kernelspec.numerics.threads import one_ahead
from kernelspec.tables.atomic import reading
from kernelspec.tables.cells import read_as_text
from kernelspec.tables.column_types import (
    BOOLEANS,
    NO_VALUES,
    ColumnType,
    Reading,
    WrittenColumn,
    arrow_type,
    as_read,
    dates_of,
    first_looks,
    reading_of,
)
from kernelspec.tables.table_reader import (
    Block,
    TableReader,
    TextPosition,
    bounded_rows,
    check_columns,
    check_delimiter,
    check_header,
    check_source,
    regroup,
    text_size,
)

__all__ = ["DelimitedReader"]

_ROWS_PER_CHUNK = 4
_DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A delimited text file and how to split it into fields.

    `fields` names the columns of a file without a header; while it is empty, Arrow names the columns.
    """

    path: Path
    delimiter: str
    compressed: bool
    fields: tuple[str, ...] | None = None

    def bytes_stream(self, stack: ExitStack) -> tuple[Any, Any]:
        """The file as Arrow streams: the raw bytes (for their position) and the text."""
        raw = stack.enter_context(pa.OSFile(str(self.path)))
        return raw, stack.enter_context(pa.CompressedInputStream(raw, "gzip")) if self.compressed else raw

    def _opened(self) -> IO[bytes] | gzip.GzipFile:
        return gzip.open(self.path) if self.compressed else self.path.open("rb")

    def start(self) -> bytes:
        """The first two lines together. Raises FileError if they are longer than MAX_LINES_BYTES."""
        with self._opened() as text:
            first = text.readline(MAX_LINES_BYTES + 1)
            start = first + text.readline(MAX_LINES_BYTES + 1 - len(first))
        if len(start) > MAX_LINES_BYTES:
            lines = "first two lines are" if len(first) <= MAX_LINES_BYTES else "first line is"
            raise FileError(
                f"{self.path}: its {lines} longer than {MAX_LINES_BYTES:,} bytes, the limit; are line ends missing?"
            )
        return start

    def least_columns(self) -> int:
        """At least this many columns are in the first line: ignores separators inside quotes, and text after a line
        break.
        """
        header = np.frombuffer(self.start().partition(b"\n")[0], np.uint8)
        outside = np.cumsum(header == ord('"'), dtype=np.uint8) % 2 == 0
        return int(np.count_nonzero(outside & (header == ord(self.delimiter)))) + 1

    def chunk_bytes(self, least: int) -> int:
        """How many bytes Arrow parses at a time; no row may be longer."""
        return max(least, _ROWS_PER_CHUNK * len(self.start()))

    def other_delimiter(self) -> str | None:
        """Another delimiter that both of the first lines contain equally often, if `delimiter` is not it."""
        header, _, row = self.start().partition(b"\n")
        own = self.delimiter.encode()
        if own in header or b'"' in header:
            return None
        signs = (sign for sign in _DELIMITERS if sign.encode() in header)
        return next((sign for sign in signs if header.count(sign.encode()) == row.count(sign.encode())), None)

    def has_open_quote(self) -> bool:
        """Whether the file has an odd number of quotation marks; reads all of it."""
        with self._opened() as text:
            return sum(chunk.count(b'"') for chunk in iter(lambda: text.read(2**20), b"")) % 2 == 1

    def open(
        self, text: Any, chunk: int, types: Mapping[str, Any] | None = None, columns: Sequence[str] | None = None
    ) -> Any:
        """A pyarrow streaming reader; `types` names every column of the file, `columns` those to be read."""
        from pyarrow import csv  # type: ignore[import-untyped,unused-ignore]

        return csv.open_csv(
            text,
            csv.ReadOptions(
                block_size=chunk,
                use_threads=False,  # just as fast, and errors then have row numbers
                column_names=self.fields or None,
                autogenerate_column_names=self.fields == (),
            ),
            csv.ParseOptions(
                delimiter=self.delimiter,
                # Without this, line breaks inside quotes are cut at the ends of chunks.
                newlines_in_values=True,
                # In a file of one column, an empty line is a missing value.
                ignore_empty_lines=types is None or len(types) > 1,
            ),
            csv.ConvertOptions(
                column_types=dict(types) if types else None,
                include_columns=list(columns) if columns else None,
                # Not 1 and 0, which are always numbers.
                true_values=[word for word in BOOLEANS if word.lower() == "true"],
                false_values=[word for word in BOOLEANS if word.lower() == "false"],
                null_values=["", *NO_VALUES],
            ),
        )


_CHUNK = 2**18  # bytes that Arrow parses at a time; it reads ahead up to 32 times as many

_BYTES_PER_VALUE = 8
_LONGEST_SHOWN_VALUE = 60
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)
_MISFIT = re.compile(r"In CSV column #\d+: Row #(\d+): CSV conversion error")
_EXPECTED = {
    "double": "a number, which the kernel needs there (match() compares categories)",
    "int64": "a whole number, as in all rows before",
    "bool": "true or false, as in the rows before it",
    "string": "UTF-8 text",
}


class DelimitedReader(TableReader):
    """Arrow tables of numbers, truth values and text; all cells of a column determine its type, in a separate pass.

    Columns with a given reading (`blocks(readings=…)`) skip that pass. An empty field is null, in text too. Quoted
    fields may contain line breaks.

    `header` says whether the first line holds names; None means yes, but rejects a line that may be data. Columns of a
    file without a header have `names`, or else only positions. `dates` are strptime formats such as `%d.%m.%Y`, for all
    date columns, or `born=%d.%m.%Y` for one; otherwise dates are ISO 8601. Raises DataError: names that are numbers,
    repeated or empty; a wrong number of names; another delimiter; while reading, text in a column of numbers;
    NoRowsError: a first line, and nothing below it; FileError: not UTF-8, no header, too many columns, lines that are
    too long, or rows of different lengths.
    """

    has_written_cells = True

    def __init__(
        self,
        path: Path,
        rows_per_block: int,
        *,
        delimiter: str,
        compressed: bool,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        dates: Sequence[str] = (),
    ) -> None:
        kind = "gzip data" if compressed else "a text file" if header is False else "a text file with a header"
        super().__init__(path, check_source(path, kind, b"\x1f\x8b" if compressed else b""))
        self.file = CsvFile(path, delimiter, compressed, () if header is False else None)
        self._kind = "CSV text" if delimiter == "," else "tab-separated text"
        with reading(path, self._kind):
            self._text_size = text_size(path, self.size, compressed=compressed)
            self._chunk = self.file.chunk_bytes(_CHUNK)
            check_columns(self.file.least_columns(), str(path))  # before Arrow creates all columns
            check_delimiter(path, delimiter, self.file.other_delimiter())
            found = self._first_line(header)
        if header is False:
            self.fields = tuple(map(str, range(len(found)))) if names is None else tuple(names)
            self.file = replace(self.file, fields=self.fields)
            if len(self.fields) != len(found):
                raise DataError(f"{path}: has {len(found)} columns, but {len(self.fields)} names are given")
            self.names = None if names is None else self.fields
            self._beginnings = dict(zip(self.fields, found.values(), strict=True))
        else:
            self.fields = self.names = tuple(found)
            self._beginnings = found
        self._written: dict[str, WrittenColumn] = {}
        self._formats = self._checked_formats(dates)
        self.n_columns = len(self.fields)
        self._rows_per_block = rows_per_block

    def written(self, columns: Sequence[str]) -> Mapping[str, WrittenColumn]:
        """How the cells of some columns look, from a cached pass over the whole file.

        Raises FileError: the file turns out to be damaged further on.
        """
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
        first = self._beginnings.get(column, "unknown")
        if column in self._formats or (first == "text" and None in self._formats):
            return "date"
        return self.written([column])[column].type if first == "unknown" else first

    def _first_line(self, header: bool | None) -> dict[str, ColumnType]:
        """The names of the columns, generated without a header, and the types their first cells suggest."""
        with ExitStack() as stack:
            _, text = self.file.bytes_stream(stack)
            try:
                schema = stack.enter_context(self.file.open(text, self._chunk)).schema
                names = tuple(schema.names)  # decodes them
            except UnicodeDecodeError as error:
                raise FileError(f"{self.path}: its column names are not UTF-8; save the file as UTF-8") from error
            except ValueError as error:
                if "Empty CSV" in str(error):
                    where = "" if header is False else " below its first line"
                    raise NoRowsError(f"{self.path}: has no rows{where}") from error
                self._explain(error, {})
                raise
            if header is not False:
                check_header(self.path, names, sure=header is True)
        zoned = [getattr(kind, "tz", None) is not None for kind in schema.types]
        self.zones = {name: "an offset from UTC" for name, own in zip(names, zoned, strict=True) if own}
        return {name: _suggested(kind) for name, kind in zip(names, schema.types, strict=True)}

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        assert self.fields is not None
        wanted = self.fields if columns is None else tuple(columns)
        rows = bounded_rows(self._rows_per_block, _BYTES_PER_VALUE * len(wanted))
        untold = [name for name in wanted if readings is None or name not in readings]
        known = {**(readings or {}), **{name: reading_of(own) for name, own in self.written(untold).items()}}
        types = {name: arrow_type(known[name]) for name in wanted}
        with reading(self.path, self._kind):
            yield from one_ahead(regroup(self._read(self._batches(wanted, types), known), rows))

    def _read(self, batches: Iterator[pa.RecordBatch], readings: Mapping[str, Reading]) -> Iterator[pa.RecordBatch]:
        done = 0

        def dates(name: str, cells: pa.Array) -> pa.Array:
            pattern = self._formats.get(name, self._formats.get(None))
            found, wrong = dates_of(cells, pattern)
            if wrong is not None:
                needed = f"a date of the format {pattern!r}" if pattern else "a date such as 2024-02-29T18:30"
                hint = "" if pattern else "; for another format, use --date-format, such as --date-format %d.%m.%Y"
                raise CellTypeError(
                    f"{self.path}: row {done + wrong + 1}, column {name!r}: {_shown(cells[wrong].as_py())} is not "
                    f"{needed}{hint} (rows count from 1)"
                )
            return found

        for batch in batches:
            yield as_read(batch, readings, dates)
            done += batch.num_rows

    def _checked_formats(self, given: Sequence[str]) -> dict[str | None, str]:
        """Date formats by column; None for all others. Raises DataError."""
        formats: dict[str | None, str] = {}
        for item in given:
            name, equals, pattern = item.partition("=")
            formats[name if equals else None] = pattern if equals else item
            if "%" not in item:
                raise DataError(
                    f"{self.path}: --date-format requires a format such as %d.%m.%Y, or one for a column, such as "
                    f"born=%d.%m.%Y, not {item!r}"
                )
            if equals and name not in (self.fields or ()):
                raise unknown_column(f"{self.path}: --date-format {item}", name, self.fields)
            if not equals and datetime(2000, 12, 31, 23).strftime(item).isdigit():
                raise DataError(
                    f"{self.path}: --date-format {item} also fits columns of numbers: name the column of dates, such "
                    f"as day={item}"
                )
        return formats

    def _batches(self, wanted: tuple[str, ...], types: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
        """The requested columns of all rows, parsed as these types; other columns are skipped."""
        assert self.fields is not None
        last, final = self.fields[-1], None
        # Always read the last column: a quote that is never closed swallows the rest of the file into it.
        read = wanted if last in wanted else (*wanted, last)
        every = {name: types.get(name, pa.binary()) for name in self.fields}
        with ExitStack() as stack:
            raw, text = self.file.bytes_stream(stack)
            self._position = position = TextPosition(self.size, self._text_size)
            try:
                batches = stack.enter_context(self.file.open(text, self._chunk, every, read))
                for count, batch in enumerate(batches, 1):  # one per chunk of text
                    position.add(batch.num_rows, count * self._chunk, self.size if raw.closed else raw.tell())
                    if batch.num_rows:
                        final = batch.column(last)[-1].as_py()
                        yield batch.select(list(wanted))
            except ValueError as error:
                self._explain(error, {name: every[name] for name in wanted})
                raise
        if isinstance(final, str | bytes) and final[-1:] in ("\n", b"\n") and self.file.has_open_quote():
            raise FileError(f"{self.path}: a quote opened in column {last!r} of its last row is never closed")

    def _explain(self, error: ValueError, types: Mapping[str, Any]) -> None:
        """Raise an error with row, column and value, if Arrow reports them; `types` are those of the requested columns.

        Rows count from 1, without the header and blank lines; Arrow counts the header as row 1.
        """
        before = int(self.file.fields is None)
        if "straddling" in str(error):
            message = f"{self.path}: a row is longer than {self._chunk} bytes; is a quote never closed?"
            raise FileError(message) from error
        if ragged := _RAGGED.search(str(error)):
            row, expected, there = (int(ragged[group]) for group in (1, 2, 3))
            names = f"; the columns are {listed(self._header())}" if before else ""
            raise FileError(
                f"{self.path}: row {row - before} has {there} fields instead of {expected}: {_shown(ragged[4])}{names}"
                " (rows count from 1)"
            ) from error
        if misfit := _MISFIT.search(str(error)):
            row, name, cell = self._first_misfit(int(misfit[1]) - before, types)
            raise CellTypeError(
                f"{self.path}: row {row}, column {name!r}: {_shown(cell)} is not {_EXPECTED[str(types[name])]}"
                f"{read_as_text(cell).replace('convert the column to dates', 'use --date-format')}"
                " (rows count from 1)"
            ) from error

    def _first_misfit(self, refused: int, types: Mapping[str, Any]) -> tuple[int, str, str]:
        """The first rejected cell in row order, as written, and its place.

        Arrow converts a chunk column by column: `refused` is a row of the first chunk with a bad cell.
        """
        done = 0
        for batch in self._batches(tuple(types), dict.fromkeys(types, pa.binary())):
            if done + batch.num_rows < refused:
                done += batch.num_rows
                continue
            faults = []
            for name, cells in zip(types, batch.columns, strict=True):
                text = b"".join(b'"%s"\n' % cell.replace(b'"', b'""') for cell in cells.to_pylist())
                try:
                    replace(self.file, fields=(name,)).open(pa.BufferReader(text), len(text) + 1, {name: types[name]})
                except pa.ArrowInvalid as error:
                    misfit = _MISFIT.search(str(error))
                    assert misfit is not None
                    faults.append((int(misfit[1]) - 1, name))
            row, name = min(faults, key=lambda fault: fault[0])
            return done + row + 1, name, batch.column(name)[row].as_py().decode("utf-8", "backslashreplace")
        raise FileError(f"{self.path}: changed while it was read")

    def _header(self) -> list[str]:
        """The names in the first line, which Arrow may not have read."""
        from csv import Error, reader

        lines = self.file.start().decode("utf-8-sig", "backslashreplace").splitlines()
        with suppress(Error):
            return next(filter(None, reader(lines, delimiter=self.file.delimiter)), [])
        return []


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN_VALUE else text[:_LONGEST_SHOWN_VALUE] + "…")


def _suggested(kind: pa.DataType) -> ColumnType:
    """The column type that pyarrow infers for this."""
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_null(kind):
        return "unknown"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    return "number" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "text"
