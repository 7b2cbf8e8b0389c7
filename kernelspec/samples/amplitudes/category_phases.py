"""Features of match() with a random phase for every category, instead of keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.declared_arrays import array
from kernelspec.laws.sampler import Sampler, columns_shown
from kernelspec.random.hashing import Hashes, mix
from kernelspec.samples.amplitudes.amplitude_factor import AmplitudeFactor
from kernelspec.samples.factor import check_inner
from kernelspec.samples.keys.match import MatchKey
from kernelspec.samples.samples import KeyFactor, Samples

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["CategoryPhaseSampler", "CategoryPhases"]


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


@dataclass(frozen=True)
class CategoryPhaseSampler(Sampler):
    """p = e^{2πi (u(x) − u(y))} with independent uniform u for all categories [Daniely et al. 2017, base spaces].

    |p| = 1, and p² has the mean 1[x = y], too. A product of such samples is one.
    """

    has_phasor: ClassVar[bool] = True
    has_key: ClassVar[bool] = False

    positions: tuple[int, ...]

    def draw(self, stream: Stream, n: int) -> list[Samples]:
        phases = CategoryPhases(stream.words("category", (n,)), MatchKey(self.positions))
        return [Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(phases,))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64]) -> Samples | None:
        if (counts < 1).any():
            return None
        (samples,) = self.draw(stream, len(counts))
        return samples

    def lines(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"a random phase for the categories of columns {columns_shown(self.positions, names)}"]
