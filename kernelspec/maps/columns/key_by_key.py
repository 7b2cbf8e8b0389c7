"""Encodings that give the key of every sample a place of its own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.columns.encoding import Encoding
from kernelspec.numerics.threads import run_blocks
from kernelspec.numerics.workspace import Workspace

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.hashing import Hashes
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["KeyByKey"]


class KeyByKey(Encoding):
    """The key of a sample says in which of its columns the sample's values stand."""

    @abstractmethod
    def place(self, keys: Hashes) -> int:
        """Write places over keys (rows, samples): twice the number of the column, plus one to negate.

        Returns how many keys have no column.
        """

    @abstractmethod
    def layout(self, part: KeyedFeatures, form: Form) -> tuple[NDArray[np.int64], int, int]:
        """(starts, stride, step): entry e of sample j is in column starts_j + place·stride + e·step."""

    def scale(self) -> float:
        """What the values are multiplied by."""
        return 1.0

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Blocks of rows go over all processors; the bits do not depend on the blocks."""
        from kernelspec.numerics.column_kernels import write_entries

        starts, stride, step = self.layout(part, form)
        real = table.data.real.dtype
        missing: list[int] = []
        workspace = Workspace(part.rows_per_block() * len(part))

        def work(first: int, last: int) -> None:
            block = rows.take(slice(first, last))
            places = part.block_keys(block, side, workspace.words(last - first, len(part)))
            missing.append(self.place(places) * part.entries(form))
            values = part.block_amplitudes(block, side, form, real) * real.type(self.scale())
            values = values.astype(table.data.dtype, copy=False)
            write_entries(places, values, starts + column, stride, step, first, entry, table.data, table.indices)

        run_blocks(len(rows), part.rows_per_block(), work)
        return sum(missing)
