"""Features as Parquet: one named column each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.files.arrow_features import feature_columns, feature_fields
from kernelspec.files.faults import closed_quietly
from kernelspec.files.feature_writer import FeatureWriter

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

        self._schema = pa.schema(feature_fields(self.names, self.dtype))
        # A dictionary of values that never repeat is a second copy of them.
        writer = pq.ParquetWriter(temporary, self._schema, use_dictionary=False)
        self._writer = stack.enter_context(closed_quietly(writer))
        self._held: list[Any] = []
        self._held_bytes = 0

    def _append(self, block: Any) -> None:
        import pyarrow as pa

        self._held.append(pa.Table.from_arrays(feature_columns(block, self.dtype), schema=self._schema))
        self._held_bytes += block.size * self.dtype.itemsize
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
