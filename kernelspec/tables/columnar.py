"""Parquet, Arrow and JSON lines: the columns asked for, features as named columns, and tables written in blocks."""

from __future__ import annotations

import gzip
import json
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, FileError
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import require_package
from kernelspec.numerics.threads import stays_in_this_thread
from kernelspec.tables.atomic import atomic_path, closed_quietly, reading, writing
from kernelspec.tables.cells import is_missing
from kernelspec.tables.column_types import EXACT, Reading
from kernelspec.tables.npy import FeatureWriter, dense
from kernelspec.tables.rows import ReusedRows
from kernelspec.tables.table_kinds import without_views
from kernelspec.tables.table_reader import Block, TableReader, bounded_rows, check_names, check_source, regroup

__all__ = [
    "ArrowReader",
    "JsonLinesReader",
    "ParquetReader",
    "ParquetWriter",
    "QueryReader",
    "check_table_output",
    "feature_columns",
    "feature_fields",
    "is_typed",
    "without_dictionaries",
    "write_feature_table",
    "write_tables",
]


def feature_fields(names: Sequence[str], dtype: np.dtype[Any]) -> list[pa.Field]:
    """A non-nullable field for every feature."""
    kind = pa.from_numpy_dtype(dtype)
    return [pa.field(name, kind, nullable=False) for name in names]


_ROWS_AT_ONCE = 64  # columns of a cache line or more at a time; whole blocks would take four times as long


def _write_columns(block: NDArray[Any], columns: NDArray[Any], first: int = 0) -> None:
    """Write the rows of `block` (m, n) into `columns` (n, ·), starting at `first`."""
    for start in range(0, len(block), _ROWS_AT_ONCE):
        part = block[start : start + _ROWS_AT_ONCE]
        columns[:, first + start : first + start + len(part)] = part.T


def feature_columns(block: Any, dtype: np.dtype[Any]) -> list[pa.Array]:
    """The columns of a dense block in their own memory, so that the block can be reused.

    Raises ValueError: the block is sparse.
    """
    rows = dense(block, dtype, ReusedRows())
    columns = np.empty(rows.shape[::-1], dtype=dtype)
    _write_columns(rows, columns)
    return [pa.array(column) for column in columns]


_KIND = "a Parquet file"
# pandas stores the index of a DataFrame as a column of the file.
_INDEX_COLUMN = re.compile(r"__index_level_\d+__")


class _TypedReader(TableReader):
    """A table with types of its own, in a file that says which columns it has."""

    def _has(self, schema: pa.Schema, rows_per_block: int) -> None:
        """Take the columns of a schema; the index of a pandas DataFrame is left out. Raises FileError, DataError."""
        names = tuple(name for name in schema.names if not _INDEX_COLUMN.fullmatch(name))
        if not names:
            raise FileError(f"{self.path}: has no columns")
        check_names(self.path, names)
        self.names, self.fields, self.n_columns = names, names, len(names)
        self._rows_per_block = rows_per_block
        zones = {own.name: getattr(own.type, "tz", None) for own in schema}
        self.zones = {name: zone for name, zone in zones.items() if zone not in (None, "UTC")}

    @abstractmethod
    def _batches(self, wanted: list[str], rows: int) -> AbstractContextManager[Iterable[pa.RecordBatch]]:
        """Batches with at least the columns `wanted`, of `rows` rows if the format leaves a choice."""

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        assert self.names is not None
        wanted = list(self.names if columns is None else columns)
        rows = bounded_rows(self._rows_per_block, 8 * len(wanted))
        with self._batches(wanted, rows) as batches:
            # a name may select the nested columns below it too, and the order is the file's
            chosen = (
                pa.RecordBatch.from_arrays([without_views(own.column(n)) for n in wanted], wanted) for own in batches
            )
            yield from regroup(chosen, rows)


class ParquetReader(_TypedReader):
    """Arrow tables with the types of a Parquet file.

    Raises FileError: not a Parquet file, damaged, or without columns.
    """

    def __init__(self, path: Path, rows_per_block: int) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        super().__init__(path, check_source(path, _KIND, b"PAR1"))
        with reading(path, _KIND), pq.ParquetFile(path) as file:
            self.n_rows = file.metadata.num_rows
            schema = file.schema_arrow
        self._has(schema, rows_per_block)

    @contextmanager
    def _batches(self, wanted: list[str], rows: int) -> Iterator[Iterable[pa.RecordBatch]]:
        import pyarrow.parquet as pq

        # Buffered: otherwise Arrow fetches whole column chunks of a row group, however large it is.
        with reading(self.path, _KIND), pq.ParquetFile(self.path, buffer_size=2**16, pre_buffer=False) as file:
            yield file.iter_batches(batch_size=rows, columns=wanted, use_threads=not stays_in_this_thread())


_ARROW = "an Arrow file"
_STREAM_START = b"\xff\xff\xff\xff"


class ArrowReader(_TypedReader):
    """Record batches of an Arrow (IPC, Feather) file or stream.

    Raises FileError: not such a file, damaged, or without columns.
    """

    def __init__(self, path: Path, rows_per_block: int) -> None:
        super().__init__(path, check_source(path, _ARROW, b""))
        with reading(path, _ARROW):
            with path.open("rb") as file:
                self._is_stream = file.read(len(_STREAM_START)) == _STREAM_START
            with self._opened() as batches:
                schema = batches.schema
        self._has(schema, rows_per_block)

    def _opened(self) -> Any:
        return pa.ipc.open_stream(str(self.path)) if self._is_stream else pa.ipc.open_file(str(self.path))

    @contextmanager
    def _batches(self, wanted: list[str], rows: int) -> Iterator[Iterable[pa.RecordBatch]]:
        with reading(self.path, _ARROW), self._opened() as file:
            yield file if self._is_stream else map(file.get_batch, range(file.num_record_batches))


_LINES = "JSON lines"
_LINE_BYTES = 2**22


class JsonLinesReader(_TypedReader):
    """One JSON object per line. A column has the type that the cells of the whole file agree on.

    Raises FileError: not JSON lines, not UTF-8, or damaged; DataError: a column with values of different types.
    """

    def __init__(self, path: Path, rows_per_block: int, *, compressed: bool) -> None:
        super().__init__(path, check_source(path, _LINES, b"\x1f\x8b" if compressed else b""))
        self._open = gzip.open if compressed else open
        self._schema: pa.Schema | None = None
        with reading(path, _LINES):
            for part in self._parts():
                own = _with_times(part)
                schemas = [own] if self._schema is None else [self._schema, own]
                is_text = {own.name for schema in schemas for own in schema if pa.types.is_string(own.type)}
                schemas = [_with_text(own, is_text) for own in schemas]
                try:
                    self._schema = pa.unify_schemas(schemas, promote_options="permissive")
                except pa.ArrowException as error:
                    raise DataError(f"{path}: a column has values of different types: {error}") from None
        self._has(self._schema or pa.schema([]), rows_per_block)

    def _parts(self, wanted: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Tables of about 4 MiB of whole lines each. Raises DataError for numbers in `wanted` that would be rounded."""
        from pyarrow import json as arrow_json  # type: ignore[import-untyped,unused-ignore]

        options, n_before = arrow_json.ParseOptions(explicit_schema=self._schema), 0
        with self._open(self.path, "rb") as file:
            while lines := file.readlines(_LINE_BYTES):
                text = b"".join(lines)
                try:
                    text.decode()
                except UnicodeDecodeError as error:
                    line = n_before + text.count(b"\n", 0, error.start) + 1
                    raise FileError(f"{self.path}: line {line:,} is not UTF-8 text; save it as UTF-8") from None
                if text.strip():
                    whole = arrow_json.ReadOptions(use_threads=not stays_in_this_thread(), block_size=len(text) + 1)
                    try:
                        part = arrow_json.read_json(pa.py_buffer(text), whole, options)
                    except pa.ArrowInvalid as error:
                        reason = re.sub(r" in row \d+$", "", str(error))  # of this part, without empty lines
                        where = f"in lines {n_before + 1:,} to {n_before + len(lines):,}"
                        raise FileError(f"{self.path}: damaged, or not {_LINES}: {reason} ({where})") from error
                    self._check_exact(part.select(wanted), lines, n_before)
                    yield part
                n_before += len(lines)

    def _check_exact(self, part: pa.Table, lines: Sequence[bytes], n_before: int) -> None:
        """Raise DataError for a whole number that is rounded, next to fractions or beyond 64 bits."""
        import pyarrow.compute as pc

        floats = [name for name in part.column_names if pa.types.is_floating(part.column(name).type)]
        large = [name for name in floats if (pc.max(pc.abs(part.column(name))).as_py() or 0) >= EXACT]
        for i, line in enumerate(lines if large else (), n_before + 1):
            cells = json.loads(line) if line.strip() else {}
            for name in large:
                cell = cells.get(name)
                if type(cell) is int and abs(cell) >= EXACT and int(float(cell)) != cell:
                    raise DataError(
                        f"{self.path}: column {name!r} has {cell} in line {i:,}, which would be rounded: JSON lines "
                        "keep whole numbers exactly below 2**63, and below 2**53 next to fractions. Write them as text"
                    )

    @contextmanager
    def _batches(self, wanted: list[str], rows: int) -> Iterator[Iterable[pa.RecordBatch]]:
        with reading(self.path, _LINES):
            yield (batch for part in self._parts(wanted) for batch in part.to_batches())


_TIME, _ZONE = r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?", r"(Z|[+-]\d\d(:?\d\d)?)?$"


def _with_times(part: pa.Table) -> pa.Schema:
    """The schema, in which text columns hold times if all their cells are some, with fractions of a second that Arrow
    does not look for, as pandas writes them.
    """
    import pyarrow.compute as pc

    schema = part.schema
    for place, field in enumerate(schema):
        if pa.types.is_string(field.type) and pc.all(pc.match_substring_regex(part[place], _TIME + _ZONE)).as_py():
            try:
                pc.replace_substring_regex(part[place], _ZONE, "").cast(pa.timestamp("us"))
            except pa.ArrowInvalid:  # a thirteenth month
                continue
            schema = schema.set(place, field.with_type(pa.timestamp("us")))
    return schema


def _with_text(schema: pa.Schema, names: Collection[str]) -> pa.Schema:
    """The schema with these columns as text: Arrow takes text for times where every row looks like one."""
    return pa.schema(
        own.with_type(pa.string()) if own.name in names and pa.types.is_timestamp(own.type) else own for own in schema
    )


class QueryReader(_TypedReader):
    """The rows that a DuckDB query returns, streamed, so that they may be more than memory holds.

    The query runs once for every pass: it has to return its rows in the same order each time. Raises
    MissingPackageError: DuckDB is not installed; DataError: the query fails.
    """

    def __init__(self, query: str, rows_per_block: int) -> None:
        require_package("duckdb", extra="duckdb", purpose="queries")
        from kernelspec.tables.formats import QUERY

        super().__init__(Path(query), 0)
        self._query, self.source = query, f"{QUERY}{query}"
        with self._batches([], 1) as batches:
            schema = batches.schema
        self._has(schema, rows_per_block)

    @contextmanager
    def _batches(self, wanted: list[str], rows: int) -> Iterator[Any]:
        import duckdb

        try:
            with duckdb.connect() as connection:
                relation = connection.sql(self._query)
                if relation is None:
                    raise DataError(f"{self._query!r:.200} is a statement, not a query that returns rows")
                names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")  # from new to old versions
                yield next(getattr(relation, name) for name in names if hasattr(relation, name))(rows)
        except (duckdb.Error, pa.ArrowInvalid, OSError) as error:  # the last two from the stream of rows
            raise DataError(f"the query {self._query!r:.200} fails: {error}") from None


_ROW_GROUP_BYTES, _MOST_ROWS = 2**25, 2**20


class ParquetWriter(FeatureWriter):
    """Row groups of at most 32 MiB and 2²⁰ rows, independent of block sizes, gathered in reused memory.

    Without statistics: every group has random features of all sizes, so they would not help find rows.
    """

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        fitting = _ROW_GROUP_BYTES // (len(self.names) * self.dtype.itemsize)
        self._columns = np.empty((len(self.names), max(1, min(fitting, _MOST_ROWS))), dtype=self.dtype)
        self._held = 0
        self._file = stack.enter_context(closed_quietly(temporary.open("r+b")))
        writer = pq.ParquetWriter(
            self._file,
            pa.schema(feature_fields(self.names, self.dtype)),
            use_dictionary=False,  # features rarely repeat
            write_statistics=False,
            write_batch_size=self._columns.shape[1],  # Arrow's default is 1,024 numbers
        )
        self._writer = stack.enter_context(closed_quietly(writer))

    def _append(self, block: Any) -> None:
        rows, most = self._dense(block), self._columns.shape[1]
        while len(rows):
            part, rows = rows[: most - self._held], rows[most - self._held :]
            _write_columns(part, self._columns, self._held)
            self._held += len(part)
            if self._held == most:
                self._write_row_group()

    def _finish(self) -> None:
        if self._held:
            self._write_row_group()
        self._writer.close()
        self._file.close()

    def _write_row_group(self) -> None:
        columns = [pa.array(column[: self._held]) for column in self._columns]  # in the same memory
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._writer.schema), row_group_size=self._held)
        self._held = 0


_TABLE_FORMATS = (".csv", ".tsv", ".jsonl", ".arrow", ".feather", ".parquet")
"""The formats that named columns of any type are written in, by suffix."""


def check_table_output(output: str, suffix: str | None = None) -> str:
    """The format in which tables are written there, as a suffix. Raises FileError for one that they cannot have."""
    if suffix is None:
        suffix = ".csv" if output == "-" else Path(output).suffix.lower()
    if suffix not in _TABLE_FORMATS:
        raise FileError(f"{output}: tables are written to {', '.join(_TABLE_FORMATS)}, or to - for standard output")
    return suffix


def is_typed(output: str, suffix: str | None = None) -> bool:
    """Whether cells of tables written there have types of their own: not in CSV, which keeps them as they were read."""
    return check_table_output(output, suffix) not in (".csv", ".tsv")


def write_feature_table(
    output: str,
    blocks: Iterable[tuple[Any, Any]],
    *,
    names: Sequence[str],
    dtype: np.dtype[Any],
    sparse: bool,
    suffix: str | None = None,
) -> int:
    """Write blocks of features as named columns, after the columns of the table beside each; as `write_tables`.

    Raises DataError: a column to keep has the name of a feature; FileError: sparse or complex features, or as
    `write_tables`.
    """
    if sparse or dtype.kind == "c":
        kind = "sparse" if sparse else "complex"
        raise FileError(f"{output}: a table cannot hold {kind} features; name a .npz file, without columns to keep")
    fields = feature_fields(names, dtype)

    def tables() -> Iterator[pa.Table]:
        for block, beside in blocks:
            kept = pa.table({}) if beside is None else beside
            for name in kept.column_names:
                if name in names:
                    raise DataError(f"column {name!r} to keep has the name of a feature")
            columns = [*kept.columns, *feature_columns(block, dtype)]
            yield pa.Table.from_arrays(columns, schema=pa.schema([*kept.schema, *fields]))

    return write_tables(output, tables(), suffix)


def write_tables(output: str, tables: Iterator[pa.Table], suffix: str | None = None) -> int:
    """Write tables one after the other to a file, which appears when it is complete, or to standard output for "-".

    Returns the number of rows. The format is that of the `suffix`; if None, that of the name of the file, or CSV on
    standard output. Arrow on standard output is a stream. Dictionaries, which may differ between tables, are decoded.
    Raises DataError: a column has another type in a later table, or one that the format cannot hold; FileError: an
    unknown suffix, or the disk is full.
    """
    suffix = check_table_output(output, suffix)
    first, n_rows = next(tables), 0
    schema = without_dictionaries(first.schema)
    for field in schema if suffix not in (".parquet", ".arrow", ".feather") else ():
        if str(field.type).startswith(_NOT_AS_TEXT):
            raise _cannot_hold(output, field, suffix)
    with ExitStack() as stack:
        stack.enter_context(_column_named(output, suffix, schema))
        target: Any = sys.stdout.buffer
        if output != "-":
            target = stack.enter_context(atomic_path(Path(output)))
            stack.enter_context(writing(Path(output)))
            target = stack.enter_context(target.open("wb"))
        write = stack.enter_context(_table_writer(target, suffix, schema, is_stream=output == "-"))
        for table in chain([first], tables):
            write(_like(table, schema))
            n_rows += len(table)
    return n_rows


@contextmanager
def _table_writer(target: Any, suffix: str, schema: pa.Schema, *, is_stream: bool) -> Iterator[Callable[[Any], object]]:
    """What writes a table to an open file in the format of a suffix."""
    if suffix == ".jsonl":

        def write(table: pa.Table) -> None:
            for row in table.to_pylist():
                known = {name: None if is_missing(value) else value for name, value in row.items()}
                try:
                    line = json.dumps(known, ensure_ascii=False, allow_nan=False, default=str)
                except ValueError:
                    raise DataError("a column is infinite in some row, and JSON has no infinity: write CSV") from None
                target.write(line.encode() + b"\n")

        yield write
        return
    if suffix == ".parquet":
        from pyarrow import parquet

        writer: Any = parquet.ParquetWriter(target, schema)
    elif suffix in (".arrow", ".feather"):
        writer = (pa.ipc.new_stream if is_stream else pa.ipc.new_file)(target, schema)
    else:
        from pyarrow import csv

        delimiter = "\t" if suffix == ".tsv" else ","
        writer = csv.CSVWriter(target, schema, write_options=csv.WriteOptions(delimiter=delimiter))
    with writer:
        yield writer.write


def without_dictionaries(schema: pa.Schema) -> pa.Schema:
    """The columns of a table, those of dictionaries with the type of their values."""
    decoded = (own.with_type(own.type.value_type) if pa.types.is_dictionary(own.type) else own for own in schema)
    return pa.schema(decoded)


@contextmanager
def _column_named(output: str, suffix: str, schema: pa.Schema) -> Iterator[None]:
    """Turn Arrow's refusal to write a table into a DataError that names the first column of such a type."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        for field in schema:
            alone = pa.schema([field])
            try:
                with _table_writer(pa.BufferOutputStream(), suffix, alone, is_stream=False) as write:
                    write(alone.empty_table())
            except pa.ArrowException:
                raise _cannot_hold(output, field, suffix) from None
        raise


_NOT_AS_TEXT = ("binary", "large_binary", "fixed_size_binary", "month_")
"""Types without a text that is read back as the same value."""


def _cannot_hold(output: str, field: pa.Field, suffix: str) -> DataError:
    return DataError(f"{output}: column {field.name!r} has the type {field.type}, which {suffix} files cannot hold")


def _like(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A later table with the types of the first one. Raises DataError if a column has another type."""
    try:
        return table.cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise DataError(f"a column has another type in later rows: {error}") from None
