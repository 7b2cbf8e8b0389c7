"""Features as Parquet: one named column each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.arrow_features import feature_fields
from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import FeatureWriter, dense
from kernelspec.numerics.columns_of_rows import write_columns

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["ParquetWriter"]

_ROW_GROUP_BYTES, _MOST_ROWS = 2**25, 2**20


class ParquetWriter(FeatureWriter):
    """Row groups of at most 32 MiB and 2²⁰ rows, whatever the size of the blocks, gathered in the same memory."""

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        self._schema = pa.schema(feature_fields(self.names, self.dtype))
        # A dictionary of values that never repeat is a second copy of them.
        writer = pq.ParquetWriter(temporary, self._schema, use_dictionary=False)
        self._writer = stack.enter_context(closed_quietly(writer))
        self._columns = np.empty((len(self.names), self._rows_in_group()), dtype=self.dtype)
        self._held = 0

    def _append(self, block: Any) -> None:
        rows, most = dense(block, self.dtype), self._columns.shape[1]
        while len(rows):
            part, rows = rows[: most - self._held], rows[most - self._held :]
            write_columns(part, self._columns, self._held)
            self._held += len(part)
            if self._held == most:
                self._write_row_group()

    def _finish(self) -> None:
        if self._held:
            self._write_row_group()
        self._writer.close()

    def _rows_in_group(self) -> int:
        size = max(1, len(self.names) * self.dtype.itemsize)
        return max(1, min(_ROW_GROUP_BYTES // size, _MOST_ROWS if self.n_rows is None else self.n_rows))

    def _write_row_group(self) -> None:
        import pyarrow as pa

        columns = [pa.array(column[: self._held]) for column in self._columns]  # in the same memory
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema), row_group_size=self._held)
        self._held = 0
