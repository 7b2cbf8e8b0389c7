"""Encodings that give the key of every sample a place of its own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.columns.encoding import Encoding
from kernelspec.numerics.threads import run_blocks
from kernelspec.numerics.workspace import Workspace

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures, Unmixed
    from kernelspec.numerics.phasor import Form
    from kernelspec.random.hashing import Hashes
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["KeyByKey", "PlaceLayout"]

PlaceLayout: TypeAlias = tuple[NDArray[np.int64], int, int]
"""(starts, stride, step): entry e of sample j is in column starts_j + place·stride + e·step."""


class KeyByKey(Encoding):
    """The key of a sample says in which of its columns the sample's values stand."""

    @abstractmethod
    def place(self, keys: Hashes) -> int:
        """Write places over keys (rows, samples): twice the number of the column, plus one to negate.

        Returns how many keys have no column.
        """

    @abstractmethod
    def layout(self, part: KeyedFeatures, form: Form) -> PlaceLayout:
        """Where the places of the samples are, among the columns of the part."""

    def scale(self) -> float:
        """What the values are multiplied by."""
        return 1.0

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        """Blocks of rows go over all processors; the bits do not depend on the blocks."""
        starts, stride, step = self.layout(part, form)
        layout = starts + column, stride, step
        real = table.data.real.dtype
        missing: list[int] = []
        workspace = Workspace(part.rows_per_block() * len(part))

        def work(first: int, last: int) -> None:
            block, own = rows.take(slice(first, last)), table[first:last]
            values = part.block_amplitudes(block, side, form, real) * real.type(self.scale())
            values = values.astype(table.data.dtype, copy=False)
            if not self.write_without_keys(part, block, values, layout, own, entry):
                unmixed = part.unmixed_keys(block, side, workspace.words(last - first, len(part)))
                missing.append(self.write_block(unmixed, values, layout, own, entry) * part.entries(form))

        run_blocks(len(rows), part.rows_per_block(), work)
        return sum(missing)

    def write_without_keys(
        self, part: KeyedFeatures, rows: Rows, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> bool:
        """Whether the entries of few rows can be written with none of their keys in memory, and now are."""
        del part, rows, values, layout, table, entry
        return False

    def write_block(
        self, unmixed: Unmixed, values: NDArray[Any], layout: PlaceLayout, table: SparseTable, entry: int
    ) -> int:
        """Write the entries of few rows, in the calling thread, from the `entry`-th on, and return what `place` does.

        The keys are what `mix_keys` makes of `unmixed`; `values` are (entries, rows or 1, samples).
        """
        from kernelspec.numerics.column_kernels import write_entries
        from kernelspec.numerics.key_kernels import mix_keys

        places = np.asarray(mix_keys(*unmixed))
        missing = self.place(places)
        write_entries(places, values, *layout, entry, table.data, table.indices)
        return missing
