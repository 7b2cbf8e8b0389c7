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

_KEPT = 2**20
"""So many distances at most, 8 MB, are kept for the other nodes of a kernel."""


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

    `others` are the rows y, packed before; the bits are the same without them. Distances, of a block of rows, are
    computed once for all nodes of a kernel that are functions of them.
    """

    others: OtherRows | None = field(default=None, repr=False, compare=False)
    _known: dict[Literal["squared", "absolute"], np.ndarray] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def squared_norm(self) -> np.ndarray:
        return self._distances("squared") if self.grid else super().squared_norm()

    def absolute_sum(self) -> np.ndarray:
        return self._distances("absolute") if self.grid else super().absolute_sum()

    def _distances(self, kind: Literal["squared", "absolute"]) -> np.ndarray:
        if kind in self._known:
            return self._known[kind]
        found = self._computed(kind)
        if found.size <= _KEPT:
            found.flags.writeable = False
            self._known[kind] = found
        return found

    def _computed(self, kind: Literal["squared", "absolute"]) -> np.ndarray:
        if self._is_wide:
            return super().squared_norm() if kind == "squared" else super().absolute_sum()
        if self.others is not None and self.others.rows is self.y:  # not so once columns are selected or stretched
            return self.others.packed.distances(self.x.dense(), kind)
        return distances(self.x.dense(), self.y.dense(), kind)
