"""Consistent samples from a Poisson process: those of weighted sampling, at a cost of O(nonzeros + k ln k) a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes
from kernelspec.samples.declared_arrays import array, places
from kernelspec.samples.keys.drawn_key import DrawnKey
from kernelspec.samples.keys.nonzeros import nonzeros
from kernelspec.samples.samples import Side

if TYPE_CHECKING:
    from kernelspec.tables.rows import Rows

__all__ = ["PoissonKey"]


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
