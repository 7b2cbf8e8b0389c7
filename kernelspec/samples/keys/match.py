"""Features of match(): the categories themselves are the key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes, hash_numbers
from kernelspec.samples.declared_arrays import places
from kernelspec.samples.samples import KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["MatchKey"]


@dataclass(frozen=True)
class MatchKey(KeyFactor):
    """The categories of some columns, mixed in order; the same for every sample."""

    positions: tuple[int, ...] = places()

    @property
    def structure(self) -> Hashable:
        return ("match", self.positions)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.key_kernels import mix_columns

        del side
        columns = rows.select(self.positions)
        codes = hash_numbers(columns.dense())
        for position, own in columns.categories.items():
            codes[:, position] = own
        return np.asarray(mix_columns(codes))

    def take(self, index: NDArray[np.intp]) -> MatchKey:
        del index
        return self

    def join(self, others: Sequence[KeyFactor]) -> MatchKey:
        del others
        return self

    @property
    def n_samples(self) -> None:
        return None
