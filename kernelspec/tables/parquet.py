"""Parquet: the columns asked for, and features as named columns."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.numerics.threads import stays_in_this_thread
from kernelspec.tables.atomic import closed_quietly, reading
from kernelspec.tables.feature_writer import FeatureWriter, dense, raw_bytes
from kernelspec.tables.rows import ReusedRows
from kernelspec.tables.table_reader import TableReader, bounded_rows, check_names, check_source, regroup

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from kernelspec.tables.column_types import Reading
    from kernelspec.tables.table_reader import Block

__all__ = ["ParquetReader", "ParquetWriter", "feature_columns", "feature_fields"]


def feature_fields(names: Sequence[str], dtype: np.dtype[Any]) -> list[pa.Field]:
    """A field for every feature, none of which is ever missing."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(dtype)
    return [pa.field(name, kind, nullable=False) for name in names]


_ROWS_AT_ONCE = 64
"""As columns of a cache line or more each: whole blocks would take four times as long."""


def _write_columns(block: NDArray[Any], columns: NDArray[Any], first: int = 0) -> None:
    """Write rows `block` (m, n) into `columns` (n, ·), from its place `first` on."""
    for start in range(0, len(block), _ROWS_AT_ONCE):
        part = block[start : start + _ROWS_AT_ONCE]
        columns[:, first + start : first + start + len(part)] = part.T


def feature_columns(block: Any, dtype: np.dtype[Any]) -> list[pa.Array]:
    """The columns of a dense block in memory of their own: the caller may use the block again.

    Raises:
        ValueError: the block is sparse.
    """
    import pyarrow as pa

    rows = dense(block, dtype, ReusedRows())
    columns = np.empty(rows.shape[::-1], dtype=dtype)
    _write_columns(rows, columns)
    return [pa.array(column) for column in columns]


_KIND = "a Parquet file"
_READ_BUFFER = 2**16
_BYTES_PER_VALUE = 8
# How pandas stores the index of a DataFrame: a column of the file, yet no column of the table.
_INDEX_COLUMN = re.compile(r"__index_level_\d+__")


class ParquetReader(TableReader):
    """Arrow tables with the types of the file; the index of a pandas DataFrame is left out.

    Raises:
        FileError: not a Parquet file, damaged, or without columns.
    """

    def __init__(self, path: Path, rows_per_block: int) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        super().__init__(path, check_source(path, _KIND, b"PAR1"))
        with reading(path, _KIND), pq.ParquetFile(path) as file:
            names = tuple(name for name in file.schema_arrow.names if not _INDEX_COLUMN.fullmatch(name))
            self.n_rows = file.metadata.num_rows
        if not names:
            raise FileError(f"{path}: has no columns")
        check_names(path, names)
        self.names, self.fields, self.n_columns = names, names, len(names)
        self._rows_per_block = rows_per_block

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
        import pyarrow.parquet as pq

        assert self.names is not None
        wanted = list(self.names if columns is None else columns)
        rows = bounded_rows(self._rows_per_block, _BYTES_PER_VALUE * len(wanted))
        # Buffered: otherwise whole column chunks of a row group are fetched at once, however large it is.
        with reading(self.path, _KIND), pq.ParquetFile(self.path, buffer_size=_READ_BUFFER, pre_buffer=False) as file:
            batches = file.iter_batches(batch_size=rows, columns=wanted, use_threads=not stays_in_this_thread())
            # A name selects the nested columns below it too, and the order is the file's.
            chosen = (pa.RecordBatch.from_arrays([batch.column(n) for n in wanted], wanted) for batch in batches)
            yield from regroup(chosen, rows)


_ROW_GROUP_BYTES, _MOST_ROWS = 2**25, 2**20
_CODEC, _SAMPLE, _WORTH_WHILE = "snappy", 2**13, 0.9
"""A column is compressed if so many of its first numbers shrink to less than this part of their bytes."""


class ParquetWriter(FeatureWriter):
    """Row groups of at most 32 MiB and 2²⁰ rows, whatever the size of the blocks, gathered in the same memory.

    Without statistics: every group has random features of all sizes, so nobody finds rows by them.
    """

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

        self._file = stack.enter_context(closed_quietly(temporary.open("r+b")))
        self._opened = stack.enter_context(ExitStack())
        self._writer: Any = None
        self._schema = pa.schema(feature_fields(self.names, self.dtype))
        self._columns = np.empty((len(self.names), self._rows_in_group()), dtype=self.dtype)
        self._held = 0

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
        self._opened_writer().close()
        self._file.close()

    def _rows_in_group(self) -> int:
        size = max(1, len(self.names) * self.dtype.itemsize)
        return max(1, min(_ROW_GROUP_BYTES // size, _MOST_ROWS if self.n_rows is None else self.n_rows))

    def _write_row_group(self) -> None:
        import pyarrow as pa

        writer = self._opened_writer()
        columns = [pa.array(column[: self._held]) for column in self._columns]  # in the same memory
        writer.write_table(pa.Table.from_arrays(columns, schema=self._schema), row_group_size=self._held)
        self._held = 0

    def _opened_writer(self) -> Any:
        """The file, opened when its first row group is known; a dictionary of numbers that never repeat is a copy."""
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        if self._writer is None:
            first = zip(self.names, self._columns[:, : min(self._held, _SAMPLE)], strict=True)
            writer = pq.ParquetWriter(
                self._file,
                self._schema,
                use_dictionary=False,
                write_statistics=False,
                write_batch_size=self._columns.shape[1],  # otherwise Arrow takes 1,024 numbers of a column at a time
                compression={name: _CODEC for name, column in first if _shrinks(column)},
            )
            self._writer = self._opened.enter_context(closed_quietly(writer))
        return self._writer


def _shrinks(column: NDArray[Any]) -> bool:
    """Whether it is worth while to compress such numbers: cosines and sines stay as long as they are."""
    import pyarrow as pa

    return len(pa.compress(raw_bytes(column), codec=_CODEC, asbytes=True)) < _WORTH_WHILE * column.nbytes
