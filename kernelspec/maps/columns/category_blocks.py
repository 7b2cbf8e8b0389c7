"""A block of columns for every category that a plan knows: all samples of a part, without their keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.maps.columns.encoding import Encoding
from kernelspec.samples.keys.match import MatchKey
from kernelspec.tables.known_categories import KnownCategories

if TYPE_CHECKING:
    from kernelspec.maps.columns.sparse_table import SparseTable
    from kernelspec.maps.keyed import KeyedFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["CategoryBlocks"]


@dataclass(frozen=True)
class CategoryBlocks(Encoding):
    """C + U blocks of W columns: a row has the W dense features of its samples in the block of its category.

    Rows of one category share a block, rows of two have products of zero: so they are those of keys that are compared.
    Categories that are not `known` are hashed into the last U = `shared` blocks, and every sample has a random sign for
    each of them: two that share a block add ±1 times what the other factors give, without bias.
    """

    known: KnownCategories
    shared: int

    def validate(self) -> None:
        """Raise ValueError unless there is a block for categories that are not known."""
        if not 1 <= self.shared <= 2**16:
            raise ValueError(f"there are {self.shared} blocks for categories that are not known")

    def check(self, part: KeyedFeatures) -> None:
        read = {column for factor in part.factors for column in factor.columns}
        categories = all(isinstance(factor, MatchKey) for factor in part.factors)
        if not categories or tuple(sorted(read)) != self.known.positions:
            raise ValueError(f"keys of the columns {sorted(read)} have the categories of {self.known.positions}")

    @property
    def unbiased(self) -> bool:
        return True

    @property
    def stays_bounded(self) -> bool:
        return False

    @property
    def n_blocks(self) -> int:
        """C + U."""
        return len(self.known) + self.shared

    def n_columns(self, part: KeyedFeatures, form: Form) -> int:
        return self.n_blocks * self.entries(part, form)

    def signs(self, part: KeyedFeatures, form: Form) -> NDArray[np.float64]:
        return np.tile(part.sign, self.n_blocks * part.entries(form))

    def names(self, part: KeyedFeatures, form: Form) -> list[str]:
        blocks = [*map(str, range(len(self.known))), *(f"other{u}" for u in range(self.shared))]
        return [f"{kind}{j}_{block}" for block in blocks for kind in part.kinds(form) for j in range(len(part))]

    def shared_columns(self, part: KeyedFeatures, form: Form) -> NDArray[np.bool_]:
        return np.arange(self.n_columns(part, form)) >= len(self.known) * self.entries(part, form)

    def count_unmet(self, part: KeyedFeatures, rows: Rows) -> int:
        return int((self.known.numbers(rows) < 0).sum()) * len(part)

    def write(
        self, part: KeyedFeatures, rows: Rows, side: Side, form: Form, table: SparseTable, entry: int, column: int
    ) -> int:
        n, width = len(part), self.entries(part, form)
        values = table.data[:, entry : entry + width]
        part.without_keys.evaluate(rows, side, form, table.data.real.dtype, values)
        blocks = self.known.numbers(rows)
        unmet = np.flatnonzero(blocks < 0)
        if len(unmet):
            keys = part.keys(rows.take(unmet), side)
            blocks[unmet] = len(self.known) + ((keys[:, 0] >> np.uint64(32)) * np.uint64(self.shared) >> np.uint64(32))
            signs = 1.0 - 2.0 * (keys & np.uint64(1))
            values[unmet] *= np.tile(signs, (1, width // n)).astype(values.real.dtype)
        places = table.indices[:, entry : entry + width]
        np.add(
            (column + width * blocks).astype(places.dtype)[:, None], np.arange(width, dtype=places.dtype), out=places
        )
        return 0
