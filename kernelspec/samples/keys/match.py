"""Features of match(): the categories themselves are the key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.declared_arrays import places
from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.random.hashing import Hashes, hash_numbers
from kernelspec.samples.samples import KeyFactor, Samples, Side

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.tables.rows import Rows

__all__ = ["MatchKey", "MatchSampler"]


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


@dataclass(frozen=True)
class MatchSampler(Sampler):
    """p = 1[x = y]: every sample is the kernel itself."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = True

    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        del stream
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (MatchKey(self.positions),))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples:
        """1[x = y], too, or 1 where there is no factor."""
        from kernelspec.samples.keys.run_key import RunKey

        del stream
        n = len(counts)
        starts = np.concatenate([[0], np.cumsum(counts > 0)]).astype(np.intp)
        return Samples(np.arange(n), np.ones(n), np.ones(n), None, (RunKey(MatchKey(self.positions), starts),))

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"key: the categories of columns {columns_shown(self.positions, names)}"]
