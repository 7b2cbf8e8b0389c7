"""Keys of translated rows: what a translation of the lag does to a kernel that is sampled by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import LARGEST, places
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = ["TranslatedKey"]


@dataclass(frozen=True)
class TranslatedKey(KeyFactor):
    """key(x + r) on the left and key(y) on the right, for the key of `factor`; r is `by` on the columns `positions`."""

    factor: KeyFactor
    by: tuple[float, ...]
    positions: tuple[int, ...] = places()

    @property
    def structure(self) -> Hashable:
        return ("translated", self.by, self.positions, self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    @property
    def has_sides(self) -> bool:
        return True

    def keys(self, rows: Rows, side: Side) -> Hashes:
        if side == "right":
            return self.factor.keys(rows, side)
        numbers = rows.dense().copy()
        numbers[:, list(self.positions)] += np.asarray(self.by)
        return self.factor.keys(Rows(numbers, rows.categories), side)

    @property
    def n_samples(self) -> int | None:
        return self.factor.n_samples

    @property
    def least_width(self) -> int:
        return max(self.factor.least_width, *(position + 1 for position in self.positions))

    def validate(self) -> None:
        if len(self.by) != len(self.positions) or len(set(self.positions)) < len(self.positions) or not self.by:
            raise ValueError("a translation has one entry for each of its columns")
        if not all(abs(entry) <= LARGEST for entry in self.by):
            raise ValueError("a translation must be finite")

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index))

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, factor=self.factor.join([other.factor for other in others]))
