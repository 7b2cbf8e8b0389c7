"""Features as Parquet: one named column each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import FeatureWriter, dense

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["ParquetWriter"]

_ROW_GROUP_BYTES = 2**25


class ParquetWriter(FeatureWriter):
    """Row groups of about 32 MiB, whatever the size of the blocks."""

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]

        kind = pa.from_numpy_dtype(self.dtype)
        self._schema = pa.schema([pa.field(name, kind, nullable=False) for name in self.names])
        # A dictionary of values that never repeat is a second copy of them.
        writer = pq.ParquetWriter(temporary, self._schema, use_dictionary=False)
        self._writer = stack.enter_context(closed_quietly(writer))
        self._held: list[Any] = []
        self._held_bytes = 0

    def _append(self, block: Any) -> None:
        import pyarrow as pa

        # Copied even where the layout is right already: the caller may reuse the block before it is written.
        columns = np.array(dense(block, self.dtype).T, order="C", copy=True)
        self._held.append(pa.Table.from_arrays([pa.array(column) for column in columns], schema=self._schema))
        self._held_bytes += columns.nbytes
        if self._held_bytes >= _ROW_GROUP_BYTES:
            self._write_row_group()

    def _finish(self) -> None:
        if self._held:
            self._write_row_group()
        self._writer.close()

    def _write_row_group(self) -> None:
        import pyarrow as pa

        table = pa.concat_tables(self._held)
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._held, self._held_bytes = [], 0
