"""Consistent samples from a Poisson process: those of weighted sampling, at a cost of O(nonzeros + k ln k) a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.declared_arrays import array, places
from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.random.hashing import Hashes
from kernelspec.samples.keys.drawn_key import DrawnKey
from kernelspec.samples.keys.nonzeros import nonzeros
from kernelspec.samples.samples import Samples, Side

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.tables.rows import Rows

__all__ = ["PoissonKey", "PoissonSampler"]

_FIRST_BLOCK = 1024
"""Samples that share a process: 0, …, 1023, then blocks that double, so that no sample depends on how many follow."""


_MOST_SHARING = 2**24
_MOST_UNUSED = 2**20
"""Samples that share a process with those of a key may be left out, up to so many: they take time as well."""

_WORDS_AT_ONCE = 2**22


@dataclass(frozen=True)
class PoissonKey(DrawnKey):
    """The point of least rank below the row: sample `slots[j]` of the `sizes[j]` that share the process `words[j]`.

    On every coordinate i points (weight, rank) form a Poisson process of unit intensity for each sample. The sample
    of x is the point of least rank with weight ≤ x̃_i, over all i: it is that of y too with probability
    Σ min(x̃, ỹ)/Σ max(x̃, ỹ), because the least point of the union of both regions is uniform on it; up to 1e-8 for
    the weights left out. Rows of zeros share a key. With `zero_bit` the key is i alone: biased upwards.
    """

    kind: ClassVar[str] = "poisson"

    words: Hashes = array("uint64", "samples")
    slots: NDArray[np.int64] = array("int64", "samples", at_least=0, below=_MOST_SHARING)
    sizes: NDArray[np.int64] = array("int64", "samples", at_least=1, at_most=_MOST_SHARING)
    positions: tuple[int, ...] = places()
    zero_bit: bool = False

    def validate(self) -> None:
        """A size is a power of two above the slots, and the same wherever the word is."""
        if (self.slots >= self.sizes).any() or (self.sizes & (self.sizes - 1)).any():
            raise ValueError("the slots must be below the sizes, which must be powers of two")
        if self.sizes.max(initial=1) > max(_MOST_UNUSED, 2 * len(self.sizes)):
            raise ValueError(f"{self.sizes.max()} samples share a process, of which {len(self.sizes)} are there")
        _, first, which = np.unique(self.words, return_index=True, return_inverse=True)
        if (self.sizes[first][which.ravel()] != self.sizes).any():
            raise ValueError("samples that share a process must have one size")

    @property
    def columns(self) -> tuple[int, ...]:
        return self.positions

    def keys(self, rows: Rows, side: Side = "left") -> Hashes:
        from kernelspec.numerics.poisson_kernels import least_points

        del side
        entries = nonzeros(rows, self.positions)
        fractions, exponents = np.frexp(entries.weights)
        keys = np.empty((len(rows), len(self.words)), dtype=np.uint64)
        for word in np.unique(self.words):
            mine = np.flatnonzero(self.words == word)
            needed = np.zeros(self.sizes[mine[0]], dtype=np.bool_)
            needed[self.slots[mine]] = True
            height = max(1, _WORDS_AT_ONCE // len(needed))
            for start in range(0, len(rows), height):
                pointers = entries.pointers[start : start + height + 1]
                block = np.empty((len(pointers) - 1, len(needed)), dtype=np.uint64)
                least_points(pointers, entries.coordinates, fractions, exponents, word, needed, self.zero_bit, block)
                keys[start : start + height, mine] = block[:, self.slots[mine]]
        return keys


@dataclass(frozen=True)
class PoissonSampler(Sampler):
    """p = 1[the least points of x and y agree], E p = Σ min/Σ max [Ertl 2018; Christiani 2020]."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = True

    positions: tuple[int, ...]
    zero_bit: bool = False

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        sizes, starts = _blocks(n)
        words = stream.words("blocks", (len(sizes),))
        block = np.searchsorted(starts, np.arange(n), side="right") - 1
        key = PoissonKey(words[block], np.arange(n) - starts[block], sizes[block], self.positions, self.zero_bit)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def work(self, n: int, nonzeros: float) -> float:
        sizes, starts = _blocks(n)
        points = 1.45 * sizes * (np.log(np.minimum(sizes, n - starts)) + 3.2)
        many = max(1.0, nonzeros)
        occupied = many * np.log2(1 + points / many)
        return float(12 * many + (25 * many + 20 * points + 45 * occupied).sum())

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        what = "coordinate" if self.zero_bit else "point"
        return [f"key: the least {what} of a Poisson process on columns {columns_shown(self.positions, names)}"]


def _blocks(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sizes and first samples of the blocks that samples 0, …, n − 1 lie in."""
    sizes, starts = [_FIRST_BLOCK], [0]
    while starts[-1] + sizes[-1] < n:
        starts.append(starts[-1] + sizes[-1])
        sizes.append(starts[-1])
    return np.array(sizes), np.array(starts)
