"""Samples with hash keys: random binning, equality of categories, consistent weighted sampling, and hashed columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.distributions.distribution import Positive
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaves.of_rows import Match, MinMax
from kernelspec.laws.law import KernelLaw, Moments, PhasorLaw, columns_shown
from kernelspec.laws.rules import own_law
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases
from kernelspec.samples.keys import LARGEST_TABLE, ROWS_AT_ONCE, TILE, BinningKey, GcwsKey, MatchKey, PoissonKey, RunKey
from kernelspec.samples.samples import Samples

__all__ = ["BinningLaw", "CategoryPhasesLaw", "GcwsLaw", "MatchLaw", "PoissonLaw"]


@dataclass(frozen=True)
class Agreement(KernelLaw):
    """p = 1[the keys of x and y agree], with probability k(x, y): variance k(1 − k). Subclasses draw the keys."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = True

    kernel: Kernel

    def moments(self, pairs: Pairs) -> Moments:
        """A = B = P(the keys agree) = k(x, y), all of it without a phasor."""
        agreement = pairs.key_agreement(self.kernel.value(pairs))
        return Moments(agreement, agreement, agreement)


@dataclass(frozen=True)
class BinningLaw(Agreement):
    """p = 1[x and y share a bin], E p = ∏ E max(0, 1 − |x_i − y_i|/R), R ~ `pitch` [Rahimi and Recht 2007, section 4].

    The pitch of every sample and column is drawn from that distribution, the offset uniformly within a pitch. Variance
    k(1 − k).
    """

    kernel: Stationary
    pitch: Positive

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        shape = (n, len(columns))
        pitches = np.asarray(self.pitch.draw(stream.child(0), shape), dtype=np.float64)
        key = BinningKey(pitches, stream.child(1).uniforms("offset", shape), columns)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        shown = columns_shown(columns, names)
        return [f"key: the bin of a random grid with pitches of {self.pitch} on columns {shown}"]


def binning(kernel: Stationary) -> BinningLaw | None:
    """The scheme "binning": for Polya kernels, mixtures of triangles over a distribution of pitches."""
    pitch = kernel.pitch_law()
    return None if pitch is None else BinningLaw(kernel, pitch)


@dataclass(frozen=True)
class MatchLaw(Agreement):
    """p = 1[x = y]: every sample equals the kernel, without variance."""

    kernel: Match

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (MatchKey(columns),))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples:
        """1[x = y], or 1 without factors."""
        n = len(counts)
        starts = np.concatenate([[0], np.cumsum(counts > 0)]).astype(np.intp)
        return Samples(np.arange(n), np.ones(n), np.ones(n), None, (RunKey(MatchKey(columns), starts),))

    @property
    def exactness(self) -> str:
        return "every category has a column"

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
        return frozenset({tuple(sorted(set(columns)))})

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"key: the categories of columns {columns_shown(columns, names)}"]


own_law.register(Match, lambda kernel, below: MatchLaw(kernel))


@dataclass(frozen=True)
class CategoryPhasesLaw(PhasorLaw):
    """p = e^{2πi (u(x) − u(y))} with independent uniform u for all categories: dense features.

    A = 1 and B = 1[x = y], a paired variance of ½ if x ≠ y, and none if x = y. Products of such samples are again such
    samples. Reference: Daniely, Frostig, Gupta and Singer 2017, base spaces.
    """

    kernel: Match

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        phases = CategoryPhases(stream.words("category", (n,)), MatchKey(columns))
        return [Samples(np.arange(n), np.ones(n), np.ones(n), amplitudes=(phases,))]

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        if (counts < 1).any():
            return None
        (samples,) = self.draw(stream, len(counts), columns)
        return samples

    def moments(self, pairs: Pairs) -> Moments:
        return Moments(1, self.kernel.value(pairs), 0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"a random phase for the categories of columns {columns_shown(columns, names)}"]


_CACHED = 2**20  # what determines the time of a pair: whether a tile of the tables stays in the cache


@dataclass(frozen=True)
class GcwsLaw(Agreement):
    """p = 1[(i*, t*) of x and y agree], E p = Σ min/Σ max [Li 2017, theorem 1.1]; O(nonzeros · n) per row.

    Variance k(1 − k). With `zero_bit` the key is i* only: it agrees more often, biased upwards.
    """

    kernel: MinMax
    zero_bit: bool = False

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        key = GcwsKey(stream.words("samples", (n,)), columns, self.zero_bit)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def work(self, n: int, nonzeros: float) -> float:
        coordinates = 2 * self.kernel.dim
        a_pair = 0.25 if coordinates * min(n, TILE) <= _CACHED else 1.2
        if coordinates * n > LARGEST_TABLE:
            a_pair += 30.0 * min(1.0, coordinates / (ROWS_AT_ONCE * max(1.0, nonzeros)))
        return float(nonzeros * (12.0 + a_pair * n))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = "i*" if self.zero_bit else "(i*, t*)"
        return [f"key: the consistent weighted sample {what} of columns {columns_shown(columns, names)}"]


own_law.register(MinMax, lambda kernel, below: GcwsLaw(kernel))


_FIRST_BLOCK = 1024
"""Samples that share a process: 0, …, 1023, then doubling blocks, so that no sample depends on how many follow."""


@dataclass(frozen=True)
class PoissonLaw(Agreement):
    """p = 1[the least points of x and y agree], E p = Σ min/Σ max [Ertl 2018; Christiani 2020].

    O(nonzeros + n ln n) per row; variance k(1 − k). With `zero_bit` the key is only the coordinate of the point: it
    agrees more often, biased upwards.
    """

    kernel: MinMax
    zero_bit: bool = False

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        sizes, starts = _blocks(n)
        words = stream.words("blocks", (len(sizes),))
        block = np.searchsorted(starts, np.arange(n), side="right") - 1
        key = PoissonKey(words[block], np.arange(n) - starts[block], sizes[block], columns, self.zero_bit)
        return [Samples(np.arange(n), np.ones(n), np.ones(n), None, (key,))]

    def work(self, n: int, nonzeros: float) -> float:
        sizes, starts = _blocks(n)
        points = 1.45 * sizes * (np.log(np.minimum(sizes, n - starts)) + 3.2)
        many = max(1.0, nonzeros)
        occupied = many * np.log2(1 + points / many)
        return float(12 * many + (25 * many + 20 * points + 45 * occupied).sum())

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = "coordinate" if self.zero_bit else "point"
        return [f"key: the least {what} of a Poisson process on columns {columns_shown(columns, names)}"]


def _blocks(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sizes and first samples of the blocks that contain samples 0, …, n − 1."""
    sizes, starts = [_FIRST_BLOCK], [0]
    while starts[-1] + sizes[-1] < n:
        starts.append(starts[-1] + sizes[-1])
        sizes.append(starts[-1])
    return np.array(sizes), np.array(starts)
