"""The categories met in some rows: what gives each of them a column of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes, mix

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["KnownCategories"]


@dataclass(frozen=True, eq=False)
class KnownCategories:
    """The different combinations of categories that rows have in the columns `positions`, as sorted 64-bit `codes`.

    Their order does not depend on that of the rows. The categories themselves are not kept.
    """

    positions: tuple[int, ...]
    codes: Hashes

    @classmethod
    def of(cls, rows: Rows, positions: tuple[int, ...]) -> KnownCategories:
        """Those of the rows."""
        return cls(positions, np.unique(_codes(rows, positions)))

    def __len__(self) -> int:
        return len(self.codes)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, KnownCategories) and self.positions == other.positions
        return same and np.array_equal(self.codes, other.codes)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.positions, self.codes.tobytes()))

    def validate(self) -> None:
        """Raise ValueError unless the codes are different ones, in order: a saved map may hold any."""
        ordered = self.codes.dtype == np.uint64 and self.codes.ndim == 1 and (self.codes[1:] > self.codes[:-1]).all()
        if not ordered or not self.positions or min(self.positions) < 0:
            raise ValueError("the codes of categories are not 64-bit words in increasing order, or of no column")

    def with_others(self, others: KnownCategories) -> KnownCategories:
        """These and others of the same columns."""
        return KnownCategories(self.positions, np.union1d(self.codes, others.codes))

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """For every row which of the categories it has, and −1 for one that is not known, (n,)."""
        own = _codes(rows, self.positions)
        if not len(self.codes):
            return np.full(len(own), -1)
        places = np.minimum(np.searchsorted(self.codes, own), len(self.codes) - 1)
        return np.where(self.codes[places] == own, places, -1)


def _codes(rows: Rows, positions: tuple[int, ...]) -> Hashes:
    """One code for what a row has in several columns, (n,)."""
    return reduce(mix, (rows.codes(position) for position in positions))
