"""Pairs of rows, many at a time: their distances come from compiled loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from kernelspec.notation.pairs import NumericPairs
from kernelspec.numerics.distances import PackedRows, distances
from kernelspec.tables.rows import Rows

__all__ = ["CompiledPairs", "OtherRows"]


@dataclass(frozen=True, eq=False)
class OtherRows:
    """Rows that are paired with one block after another."""

    rows: Rows

    @cached_property
    def packed(self) -> PackedRows:
        """As distances from them are computed."""
        return PackedRows.of(self.rows.dense())


@dataclass(frozen=True)
class CompiledPairs(NumericPairs):
    """What `NumericPairs` says up to rounding, several times as fast, once the loops are loaded or compiled.

    `others` are the rows y, packed before; the bits are the same without them.
    """

    others: OtherRows | None = field(default=None, repr=False, compare=False)

    def squared_norm(self) -> np.ndarray:
        return self._distances("squared") if self.grid else super().squared_norm()

    def absolute_sum(self) -> np.ndarray:
        return self._distances("absolute") if self.grid else super().absolute_sum()

    def _distances(self, kind: Literal["squared", "absolute"]) -> np.ndarray:
        if self.others is not None and self.others.rows is self.y:  # not so once columns are selected or stretched
            return self.others.packed.distances(self.x.dense(), kind)
        return distances(self.x.dense(), self.y.dense(), kind)
