"""Parquet: only the columns asked for, a batch of rows at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kernelspec.errors import FileError
from kernelspec.files.blocks import bounded_rows, regroup
from kernelspec.files.column_names import check_names
from kernelspec.files.faults import reading
from kernelspec.files.source import check_source
from kernelspec.files.table_reader import TableReader
from kernelspec.numerics.threads import stays_in_this_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading

__all__ = ["ParquetReader"]

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
