"""Keys that are the category of one column, another one for every sample."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.samples import KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.hashing import Hashes
    from kernelspec.rows import Rows

__all__ = ["ChosenKey"]


@dataclass(frozen=True)
class ChosenKey(KeyFactor):
    """The category of column `chosen`_j of the table for sample j, mixed with nothing."""

    chosen: NDArray[np.intp]

    @property
    def structure(self) -> Hashable:
        return ("chosen",)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(np.unique(self.chosen).tolist())

    def keys(self, rows: Rows, side: Side) -> Hashes:
        del side
        codes = np.stack([rows.codes(position) for position in self.columns], axis=1)
        return np.asarray(codes[:, np.searchsorted(self.columns, self.chosen)])

    def take(self, index: NDArray[np.intp]) -> ChosenKey:
        return ChosenKey(self.chosen[index])

    def join(self, others: Sequence[KeyFactor]) -> ChosenKey:
        parts = [self, *(other for other in others if isinstance(other, ChosenKey))]
        return ChosenKey(np.concatenate([part.chosen for part in parts]))

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"kind": "chosen"}, {"chosen": self.chosen}

    @classmethod
    def from_arrays(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> ChosenKey:
        """The factor that `to_arrays` described."""
        del header
        return cls(arrays["chosen"].astype(np.intp))
