"""Keys of one column each, which is another one for every sample."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.declared_arrays import array
from kernelspec.samples.factor import check_inner
from kernelspec.samples.samples import KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.random.hashing import Hashes
    from kernelspec.tables.rows import Rows

__all__ = ["ColumnKey"]


@dataclass(frozen=True)
class ColumnKey(KeyFactor):
    """The key of sample j of `factor`, which reads column 0 of rows of one column, at column `chosen`_j of the table.

    So samples on many columns are one batch of one structure.
    """

    factor: KeyFactor
    chosen: NDArray[np.intp] = array("int64", "samples", at_least=0)

    @property
    def structure(self) -> Hashable:
        return ("column", self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        found = np.empty((len(rows), len(self.chosen)), dtype=np.uint64)
        order = np.argsort(self.chosen, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(self.chosen[order])) + 1):
            if len(own):
                found[:, own] = self.factor.take(own).keys(rows.select((int(self.chosen[own[0]]),)), side)
        return found

    @property
    def n_samples(self) -> int:
        return len(self.chosen)

    def validate(self) -> None:
        check_inner(self.factor, self.n_samples, 1)

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index), chosen=self.chosen[index])

    def join(self, others: Sequence[Self]) -> Self:
        chosen = np.concatenate([self.chosen, *(other.chosen for other in others)])
        return replace(self, factor=self.factor.join([other.factor for other in others]), chosen=chosen)
