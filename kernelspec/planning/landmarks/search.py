"""Choosing landmarks: each row with a probability in proportion to what the others leave of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.known_rows import numbered
from kernelspec.planning.landmarks.landmarks import AnchorRows, Anchors, CompiledPairs, Residual, Seen
from kernelspec.planning.landmarks.pilot import Pilots
from kernelspec.planning.landmarks.pivots import NestedRemainders, Pivots, SampleColumns, choose_pivots, solved
from kernelspec.planning.landmarks.simulated import JudgedRows
from kernelspec.planning.reference import PairSums
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import has_sides
from kernelspec.tables.rows import Rows

__all__ = ["MOST_ANCHORS", "AnchorSearch", "AnchorSearches", "Option"]

_POOL = 20_000
"""Rows that landmarks are chosen from, at most."""

_PRODUCTS, _DIFFERENCES, _VALUES = 4_000_000_000, 2_000_000_000, 20_000_000
"""The most work while choosing: rows times landmarks squared, rows times landmarks (or rows) times columns, and values
of single terms."""

_PRODUCTS_ALONE = 20_000_000_000
"""The same rows times landmarks squared for landmarks that stand alone: half a second."""

_FEWEST = 4
"""Rows for every landmark, at least, whatever the number of products."""

_OTHERS = 800
"""Rows that may be judged on, besides those of the reference: a few rows far from all others decide about the error."""

_JUDGED, _FEWEST_JUDGED = 256, 96
"""Rows that are judged on: a sample of these, with the far ones."""

_PILOT, _FEWEST_SAMPLES = 128, 16
"""Samples of all terms together with which numbers of landmarks are compared, and of each term at least."""

_FEW = 8
"""Numbers of random landmarks from an eighth of the most are tried with every ridge, not more than about so many."""

_LEAST = 32
"""Numbers of landmarks from this part of the most."""

_RIDGES = (1e-6, 1e-3, 1e-1)
"""Of the largest singular value, to be compared where the kernel is not positive definite."""

_FOR_SIGNS = 200
"""Rows whose kernel matrix has eigenvalues of both signs, where the kernel is not positive definite:"""

_INDEFINITE = 1e-9
"""Of the largest eigenvalue: a negative one beyond it is no rounding."""


@dataclass(frozen=True, eq=False)
class Option:
    """So many landmarks, what they leave, how samples of a stratum then vary, and how to make them."""

    size: int
    leave: Callable[[], Residual]
    variance: Callable[[Stratum], PairSums]
    make: Callable[[], Anchors]

    @cached_property
    def residual(self) -> Residual:
        """What they leave on the rows that are judged on."""
        return self.leave()

    @cached_property
    def anchors(self) -> Anchors:
        """The landmarks: of at most `size` columns, fewer where some say nothing new."""
        return self.make()


@dataclass(frozen=True, eq=False)
class AnchorSearch:
    """The kernel Σ w_i k_i of some strata, a `pool` of rows to choose from, and a `sample` of others to judge on.

    At most `most` landmarks keep the columns `positions` of their rows. For a positive definite kernel they are pivots,
    the first m of which are the best m; else they are random rows, under several ridges.
    """

    strata: tuple[Stratum, ...]
    pool: Rows
    sample: Rows
    positions: tuple[int, ...]
    most: int
    seed: int
    _nested: dict[tuple[int, int], PairSums] = field(default_factory=dict)
    _sizes_of_tables: dict[int, float] = field(default_factory=dict)

    @classmethod
    def among(
        cls, strata: tuple[Stratum, ...], others: Rows, sample: Rows, positions: tuple[int, ...], most: int, seed: int
    ) -> AnchorSearch:
        """Among 20,000 of the rows that are not in the sample, or all; up to 800 more rows are for judging only.

        Of many columns, or for many landmarks, fewer: the work is bounded.
        """
        columns, terms = max(1, sum(len(stratum.positions) for stratum in strata)), max(1, len(strata))
        judging = max(0, math.isqrt(min(_DIFFERENCES // columns, _VALUES // terms)) - len(sample))
        most = min(most, max(_LEAST, math.isqrt(_VALUES // (2 * terms))))  # of two rows, at least, one landmark
        products = max(_PRODUCTS // most**2, _FEWEST * most)
        choosing = min(_POOL, products, _DIFFERENCES // (most * columns), _VALUES // (most * terms))
        order = Stream(seed).generator("pool").permutation(len(others))
        judged, chosen = np.split(order, [min(_OTHERS, len(others) // 4, judging)])
        more, pool = (others.take(np.sort(places)) for places in (judged, chosen[:choosing]))
        sample, pool = numbered(sample.followed_by(more), pool)
        return cls(strata, pool, sample, positions, min(most, len(pool)), seed)

    @classmethod
    def among_all(
        cls, strata: tuple[Stratum, ...], others: Rows, sample: Rows, positions: tuple[int, ...], most: int, seed: int
    ) -> AnchorSearch:
        """Among all rows, the sample included, up to a bound on the work: for landmarks that stand alone.

        The error is that on the sample, as it is with these landmarks.
        """
        everything = sample.followed_by(others)
        products = max(_PRODUCTS_ALONE // max(most, 1) ** 2, _FEWEST * most)
        sample, pool = numbered(sample, everything.some(products))
        return cls(strata, pool, sample, positions, min(most, len(pool)), seed)

    def options(self, most: int) -> list[Option]:
        """Several numbers of landmarks, up to `most`: powers of two and the numbers halfway between them."""
        if self.is_definite:
            return [self.pivoted(m) for m in self._sizes if m <= most]
        limit = min(most, len(self._random_rows))
        numbers = [m for m in _ladder(self.most) if limit / _FEW <= m <= limit] or [limit] * (limit > 0)
        return [self._of_random_rows(m, ridge) for m in numbers[:: 1 + (len(numbers) > _FEW // 2)] for ridge in _RIDGES]

    @cached_property
    def judged(self) -> JudgedRows:
        """The rows that options are judged on, far ones with certainty."""
        if not self.is_definite or not len(self.pivots):
            return JudgedRows.among(self.sample, self._most_judged)
        middle = self._whitened_sample[: (len(self.pivots) + 1) // 2]
        own = kernel_value(self.strata, NumericPairs(self.sample, self.sample, grid=False))
        return JudgedRows.among(self.sample, self._most_judged, np.maximum(own - np.square(middle).sum(axis=0), 0.0))

    @property
    def _most_judged(self) -> int:
        """Of many terms fewer."""
        return min(_JUDGED, max(_FEWEST_JUDGED, math.isqrt(_VALUES // (4 * max(1, len(self.strata))))))

    def relative(self, squares: float, n_rows: int) -> float | None:
        """‖K̂ − K‖_F / ‖K‖_F over all of n rows, from the sum of squared errors; None if K is 0."""
        if n_rows not in self._sizes_of_tables:
            self._sizes_of_tables[n_rows] = self.judged.of_pairs(n_rows).total(self.size)
        size = self._sizes_of_tables[n_rows]
        return math.sqrt(squares / size) if size else None

    @cached_property
    def size(self) -> NDArray[np.float64]:
        """k(x, y)² for all pairs of the judged rows."""
        return np.square(self._value(self.judged.rows, self.judged.rows))

    @cached_property
    def pivots(self) -> Pivots:
        """The rows of the pool, in the order in which they are chosen."""
        pairs = NumericPairs(self.pool, self.pool, grid=False)
        diagonal = kernel_value(self.strata, pairs)
        return choose_pivots(self._value, diagonal, self.pool, self.most, Stream(self.seed).generator("anchors"))

    def pivoted(self, m: int) -> Option:
        """The first m pivots, or all: a = k(x, L) k(L, L)⁻¹."""
        m = min(m, len(self.pivots))

        def leave() -> Residual:
            a = solved(self.pivots.triangle[:m, :m], self._whitened[:m], transposed=True).T
            return Residual(self._judged, self._pivot_rows, self._pivot_rows, a, a, self._seen)

        def make() -> Anchors:
            rows, triangle = self._pivot_rows.take(slice(0, m)), self.pivots.triangle[:m, :m]
            return Anchors.of(AnchorRows.of(rows, self.positions), None, triangle @ triangle.T, 0.0)

        return Option(m, leave, lambda stratum: self._variance(stratum, m), make)

    def left_alone(self, m: int) -> NDArray[np.float64]:
        """What the first m pivots leave of the kernel on the judged rows, (rows, rows): r(x) on the diagonal."""
        whitened, rows = self._whitened[:m], self.judged.rows
        return self._value(rows, rows) - whitened.T @ whitened

    @cached_property
    def _sizes(self) -> list[int]:
        """Numbers of pivots to compare."""
        sizes = [m for m in _ladder(self.most) if m < len(self.pivots)]
        all_there_are = 0 < len(self.pivots) < self.most or self.most == len(self.pool) > 0
        return [*sizes, len(self.pivots)] if all_there_are else sizes

    def _variance(self, stratum: Stratum, m: int) -> PairSums:
        """The variance of one sample's remainder, summed over the judged rows, with the first m pivots."""
        key = id(stratum.independent.law), m
        if key not in self._nested:
            self._compare()
        return self._nested[key]

    def _compare(self) -> None:
        """The variances for all terms and numbers of pivots, from the same few samples."""
        # of several terms more, since the budget is divided by them
        terms = len(self.strata)
        share = max(_FEWEST_SAMPLES, 4 * _PILOT // terms) if terms > 1 else _PILOT
        columns: list[SampleColumns] = []
        kept: list[Stratum] = []
        for stratum in (one.independent for one in self.strata):
            n = max(_FEWEST_SAMPLES, min(share, 4 * _PILOT // (1 + stratum.law.n_terms)))
            samples = None if stratum.law.n_terms > _PILOT else SampleColumns.drawn(stratum, n, self.sample)
            if samples is not None:
                kept.append(stratum)
                columns.append(samples)
                continue
            pilots = Pilots(share)
            for m in self._sizes:
                self._nested[id(stratum.law), m] = self._summed(pilots, stratum, self.pivoted(m).residual)
        if not kept:
            return
        remainders = NestedRemainders(
            self.pivots, self._pivot_rows, self.judged.rows, self.judged.weights, self._whitened
        )
        for m, found in zip(self._sizes, remainders.variances(columns, self._sizes), strict=True):
            self._nested.update({(id(stratum.law), m): own for stratum, own in zip(kept, found, strict=True)})

    def _summed(self, pilots: Pilots, stratum: Stratum, residual: Residual) -> PairSums:
        return PairSums.of(pilots.variance(stratum, residual), self.judged.weights)

    @cached_property
    def _pivot_rows(self) -> Rows:
        return self.pool.take(self.pivots.chosen)

    @cached_property
    def _whitened_sample(self) -> NDArray[np.float64]:
        """C⁻¹ k(L, x) of the sample, (pivots, rows): its first m rows are those of the first m pivots."""
        return solved(self.pivots.triangle, self._value(self._pivot_rows, self.sample))

    @cached_property
    def _whitened(self) -> NDArray[np.float64]:
        """The same of the judged rows."""
        return self._whitened_sample[:, self.judged.places]

    def _of_random_rows(self, m: int, share: float) -> Option:
        values = self._among_random[:m, :m]
        own = AnchorRows.of(self._random_rows.take(slice(0, m)), self.positions)
        ridge = share * float(np.linalg.norm(values, 2))
        anchors = Anchors.of(own, own if self._has_sides else None, values, ridge)
        left, right = self._with_random
        a, b = anchors.weights(left[:, :m], "left"), anchors.weights(right[:, :m], "right")
        residual = Residual(self._judged, self._random_rows, self._random_rows, a, b, self._seen)
        pilots = self._pilots
        return Option(m, lambda: residual, lambda stratum: self._summed(pilots, stratum, residual), lambda: anchors)

    @cached_property
    def _pilots(self) -> Pilots:
        return Pilots(_PILOT)

    @cached_property
    def _random_rows(self) -> Rows:
        order = Stream(self.seed).generator("anchors").permutation(len(self.pool))
        return self.pool.take(order[: self.most])

    @cached_property
    def _among_random(self) -> NDArray[np.float64]:
        return self._value(self._random_rows, self._random_rows)

    @cached_property
    def _with_random(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """k(x, R) and k(L, y)' of the judged rows, (rows, landmarks)."""
        rows = self.judged.rows
        return self._value(rows, self._random_rows), self._value(self._random_rows, rows).T

    def _value(self, x: Rows, y: Rows) -> NDArray[np.float64]:
        return kernel_value(self.strata, CompiledPairs(x, y))

    @cached_property
    def _seen(self) -> Seen:
        return Seen()

    @cached_property
    def _judged(self) -> NumericPairs:
        return CompiledPairs(self.judged.rows, self.judged.rows)

    @cached_property
    def _has_sides(self) -> bool:
        """Some sample has two sides, where the kernel is not symmetric."""
        drawn = (stratum.law.draw(Stream(self.seed), 64, stratum.positions) for stratum in self.strata)
        return any(has_sides(batch) for batches in drawn for batch in batches)

    @cached_property
    def is_definite(self) -> bool:
        """Whether the kernel is symmetric, and positive definite as far as the sample shows."""
        if self._has_sides:
            return False
        some = self.sample.take(slice(0, _FOR_SIGNS))
        eigenvalues = np.linalg.eigvalsh(self._value(some, some))
        return bool(eigenvalues.min() >= -_INDEFINITE * np.abs(eigenvalues).max())


def _ladder(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, …, from a 32nd of `most` and below it."""
    powers = [1 << k for k in range(most.bit_length())]
    return sorted(m for m in {*powers, *(3 * power // 2 for power in powers)} if most / _LEAST <= m < most)


MOST_ANCHORS = 2_048
"""Of a plan."""


@dataclass(frozen=True, eq=False)
class AnchorSearches:
    """Searches among rows `others`, judged on a `sample` and more of them; a plan depends on its own budget alone."""

    others: Rows
    sample: Rows
    positions: tuple[int, ...]
    seed: int
    _met: dict[tuple[int, ...], AnchorSearch] = field(default_factory=dict)

    def of(self, strata: tuple[Stratum, ...], most: int) -> AnchorSearch:
        """The search for the kernel of some strata, with at most this many landmarks, rounded up to a power of two."""
        most = min(1 << max(0, most - 1).bit_length(), MOST_ANCHORS)
        key = (most, *(id(stratum.law) for stratum in strata))
        if key not in self._met:
            self._met[key] = AnchorSearch.among(strata, self.others, self.sample, self.positions, most, self.seed)
        return self._met[key]

    def of_all(self, strata: tuple[Stratum, ...], most: int) -> AnchorSearch:
        """The search among all rows for at most this many landmarks, for the kernel of some strata."""
        most = min(most, MOST_ANCHORS)
        return AnchorSearch.among_all(strata, self.others, self.sample, self.positions, most, self.seed)
