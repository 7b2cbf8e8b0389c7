"""Keys of translated rows: what a translation of the lag does to a kernel that is sampled by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.factor import inner_arrays
from kernelspec.samples.samples import KeyFactor, Side
from kernelspec.tables.rows import Rows

__all__ = ["TranslatedKey"]


@dataclass(frozen=True)
class TranslatedKey(KeyFactor):
    """key(x + r) on the left and key(y) on the right, for the key of `factor`; r is `by` on the columns `positions`."""

    factor: KeyFactor
    by: tuple[float, ...]
    positions: tuple[int, ...]

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

    def take(self, index: NDArray[np.intp]) -> Self:
        return replace(self, factor=self.factor.take(index))

    def join(self, others: Sequence[Self]) -> Self:
        return replace(self, factor=self.factor.join([other.factor for other in others]))

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = inner_arrays(self.factor)
        return {"kind": "translated", "positions": list(self.positions)} | header, {"by": np.array(self.by)} | arrays
