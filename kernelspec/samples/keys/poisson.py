"""Consistent samples from a Poisson process: those of weighted sampling, at a cost of O(nonzeros + k ln k) a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.keys.drawn_key import DrawnKey
from kernelspec.samples.keys.nonzeros import nonzeros
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["PoissonKey"]


@dataclass(frozen=True)
class PoissonKey(DrawnKey):
    """The point of least rank below the row: sample `slots[j]` of the `sizes[j]` that share the process `words[j]`.

    On every coordinate i points (weight, rank) form a Poisson process of unit intensity for each sample. The sample
    of x is the point of least rank with weight ≤ x̃_i, over all i: it is that of y too with probability
    Σ min(x̃, ỹ)/Σ max(x̃, ỹ), because the least point of the union of both regions is uniform on it; up to 1e-8 for
    the weights left out. Rows of zeros share a key. With `zero_bit` the key is i alone: biased upwards.
    """

    kind: ClassVar[str] = "poisson"

    words: Hashes
    slots: NDArray[np.int64]
    sizes: NDArray[np.int64]
    positions: tuple[int, ...]
    zero_bit: bool = False

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
            block = np.empty((len(rows), len(needed)), dtype=np.uint64)
            least_points(*entries[:2], fractions, exponents, word, needed, self.zero_bit, block)
            keys[:, mine] = block[:, self.slots[mine]]
        return keys
