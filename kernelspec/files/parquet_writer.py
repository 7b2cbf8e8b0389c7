"""Features as Parquet: one named column each."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.arrow_features import feature_fields
from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import FeatureWriter, raw_bytes, streamed_file
from kernelspec.numerics.columns_of_rows import write_columns

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["ParquetWriter"]

_ROW_GROUP_BYTES, _MOST_ROWS = 2**25, 2**20
_CODEC, _SAMPLE, _WORTH_WHILE = "snappy", 2**13, 0.9
"""A column is compressed if so many of its first numbers shrink to less than this part of their bytes."""


class ParquetWriter(FeatureWriter):
    """Row groups of at most 32 MiB and 2²⁰ rows, whatever the size of the blocks, gathered in the same memory.

    Without statistics: every group has random features of all sizes, so nobody finds rows by them.
    """

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

        self._file = stack.enter_context(closed_quietly(streamed_file(temporary)))
        self._opened = stack.enter_context(ExitStack())
        self._writer: Any = None
        self._schema = pa.schema(feature_fields(self.names, self.dtype))
        self._columns = np.empty((len(self.names), self._rows_in_group()), dtype=self.dtype)
        self._held = 0

    def _append(self, block: Any) -> None:
        rows, most = self._dense(block), self._columns.shape[1]
        while len(rows):
            part, rows = rows[: most - self._held], rows[most - self._held :]
            write_columns(part, self._columns, self._held)
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
