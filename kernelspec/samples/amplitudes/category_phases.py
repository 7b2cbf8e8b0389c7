"""Features of match() with a random phase for every category, instead of keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes, mix
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor
from kernelspec.samples.declared_arrays import array
from kernelspec.samples.factor import check_inner
from kernelspec.samples.samples import KeyFactor

if TYPE_CHECKING:
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["CategoryPhases"]


@dataclass(frozen=True)
class CategoryPhases(AmplitudeFactor):
    """z_j(x) = e^{2πi u}, u the hash of `words`_j and of the key that `categories` gives x, as a number in [0, 1).

    Different keys have independent uniform phases, so E z(x) conj z(y) = 1[x = y], as with e^{2πi ωx/n} for categories
    x = 0, …, n − 1 and uniform ω, but without knowing n.
    """

    words: Hashes = array("uint64", "samples")
    categories: KeyFactor  # type: ignore[misc]  # array() declares a field without a default

    @property
    def structure(self) -> Hashable:
        return ("category phases", self.categories.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.categories.columns

    @property
    def is_complex(self) -> bool:
        return True

    def values(self, rows: Rows, side: Side) -> NDArray[Any]:
        hashes = mix(self.words, self.categories.keys(rows, side))
        return np.asarray(np.exp(2j * np.pi * ((hashes >> np.uint64(11)) * 2.0**-53)))

    def take(self, index: NDArray[np.intp]) -> CategoryPhases:
        return CategoryPhases(self.words[index], self.categories.take(index))

    def join(self, others: Sequence[AmplitudeFactor]) -> CategoryPhases:
        parts = [other for other in others if isinstance(other, CategoryPhases)]
        words = np.concatenate([self.words, *(part.words for part in parts)])
        return CategoryPhases(words, self.categories.join([part.categories for part in parts]))

    @property
    def n_samples(self) -> int:
        return len(self.words)

    @property
    def least_width(self) -> int:
        return self.categories.least_width

    def validate(self) -> None:
        check_inner(self.categories, self.n_samples)
