"""Choose landmarks: each row with probability proportional to what the others leave of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.planning.known_rows import numbered
from kernelspec.planning.landmarks.landmarks import (
    ChosenLandmarks,
    CompiledPairs,
    LandmarkRows,
    Residual,
    Seen,
    have_sides,
    rounding_of,
)
from kernelspec.planning.landmarks.pilot import Pilots
from kernelspec.planning.landmarks.pivots import GrowingPivots, NestedRemainders, SampleColumns, solved
from kernelspec.planning.reference import STEPS, JudgedRows, PairSums, relative_error, rows_beyond
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

__all__ = ["LandmarkSearch", "LandmarkSearches", "Option", "eligible"]

_PROPOSED = 64
"""At least this many landmarks are chosen from all rows: the first block of proposals."""

_POOL = 20_000
"""Most rows to choose landmarks from."""

_PRODUCTS, _DIFFERENCES, _VALUES = 4_000_000_000, 2_000_000_000, 20_000_000
"""The most work while choosing: rows times landmarks squared, rows times landmarks (or rows) times columns, and values
of single terms.
"""

_POOL_ALONE, _PRODUCTS_ALONE = 100_000, 20_000_000_000
"""The same rows, and rows times landmarks squared, for landmarks alone: half a second."""

_CHOOSING = 8_000_000
"""Values of single terms while choosing, unless that leaves fewer than four rows per landmark."""

_FEWEST = 4
"""Fewest rows per landmark, whatever the number of products."""

_OTHERS = 800
"""Rows for judging besides the reference: a few rows far from all others determine the error."""

_JUDGED, _FEWEST_JUDGED = 256, 96
"""Rows used for judging: a sample of these, with the far ones."""

_PILOT, _OF_SEVERAL, _FEWEST_SAMPLES = 128, (1536, 160), 16
"""Samples for comparing numbers of landmarks: of one term; of several together, and the most of each; and the fewest of
each.
"""

_FEW = 8
"""Numbers of random landmarks from an eighth of the most are tried with every ridge, but at most about this many."""

_LEAST = 32
"""Smallest number of landmarks, relative to the most."""

_RIDGES = (1e-6, 1e-3, 1e-1)
"""Ridges relative to the largest singular value, to compare if the kernel is not positive definite."""

_FOR_SIGNS = 200
"""Rows to check for eigenvalues of both signs, which show that the kernel is not positive definite."""

_INDEFINITE = 1e-9
"""A negative eigenvalue beyond this, relative to the largest, is not rounding."""


@dataclass(frozen=True, eq=False)
class Option:
    """A number of landmarks, what they leave, how samples of a stratum then vary, and how to make them."""

    size: int
    leave: Callable[[], Residual]
    variance: Callable[[Stratum], PairSums]
    make: Callable[[], ChosenLandmarks]

    @cached_property
    def residual(self) -> Residual:
        """What they leave on the judged rows."""
        return self.leave()

    @cached_property
    def landmarks(self) -> ChosenLandmarks:
        """The landmarks: at most `size` columns, fewer if some add nothing new."""
        return self.make()


@dataclass(frozen=True, eq=False)
class Ground:
    """The kernel Σ w_i k_i of some strata, a `pool` of rows to choose landmarks from, and a `sample` of others.

    The searches of all budgets share what is computed here. Landmarks keep the columns `positions`. Given the `kernel`
    of all strata, its values do not need a pass over the rows for each of them.
    """

    strata: tuple[Stratum, ...]
    pool: Rows
    sample: Rows
    positions: tuple[int, ...]
    seed: int
    eligible: Callable[[int], int]
    """The number of rows of the pool that the m-th landmark is chosen from."""
    kernel: Kernel | None = None

    @classmethod
    def among(
        cls, strata: tuple[Stratum, ...], others: Rows, sample: Rows, positions: tuple[int, ...], seed: int
    ) -> Ground:
        """Up to 20,000 rows outside the sample, and up to 800 more for judging; fewer for many columns."""
        judging = max(0, math.isqrt(min(_DIFFERENCES // _width(strata), _VALUES // max(1, len(strata)))) - len(sample))
        order = Stream(seed).generator("pool").permutation(len(others))
        judged, chosen = np.split(order, [min(_OTHERS, len(others) // 4, judging)])
        more, pool = others.take(np.sort(judged)), others.take(chosen[: eligible(strata, 1)])
        sample, pool = numbered(sample.followed_by(more), pool)
        return cls(strata, pool, sample, positions, seed, partial(eligible, strata))

    @classmethod
    def of_all(
        cls,
        strata: tuple[Stratum, ...],
        others: Rows,
        sample: Rows,
        positions: tuple[int, ...],
        seed: int,
        kernel: Kernel,
    ) -> Ground:
        """All rows, including the sample, for landmarks alone, whose error includes them.

        With many rows, the last landmarks are chosen from fewer rows, to bound the work.
        """
        sample, pool = numbered(sample, sample.followed_by(others).some(_POOL_ALONE))

        def limit(m: int) -> int:
            top = max(_PROPOSED, 1 << (m - 1).bit_length())
            return max(_PRODUCTS_ALONE // top**2, _FEWEST * top)

        return cls(strata, pool, sample, positions, seed, limit, kernel)

    @cached_property
    def pivots(self) -> GrowingPivots:
        """The rows of the pool in the order in which they are chosen."""
        return GrowingPivots(
            self.value,
            self._of_pool,
            self.pool,
            self.sample,
            Stream(self.seed).generator("anchors"),
            self.eligible,
            self.rounding,
        )

    @cached_property
    def rounding(self) -> float:
        """The share of the kernel that counts as rounding."""
        return rounding_of(self.strata, self.sample)

    @cached_property
    def of_sample(self) -> NDArray[np.float64]:
        """k(x, x) of the sample."""
        return self._values(NumericPairs(self.sample, self.sample, grid=False))

    @cached_property
    def _of_pool(self) -> NDArray[np.float64]:
        return self._values(NumericPairs(self.pool, self.pool, grid=False))

    @cached_property
    def is_finite(self) -> bool:
        """Whether the sum of k(x, x) over all rows is a float."""
        with np.errstate(over="ignore"):
            return math.isfinite(self.of_sample.sum() + self._of_pool.sum())

    def value(self, x: Rows, y: Rows) -> NDArray[np.float64]:
        """k(x, y) of all pairs."""
        return self._values(CompiledPairs(x, y))

    def _values(self, pairs: NumericPairs) -> NDArray[np.float64]:
        if self.kernel is None:
            return kernel_value(self.strata, pairs)
        values = np.asarray(self.kernel.value(pairs), dtype=float)
        return values if values.shape == pairs.shape else np.full(pairs.shape, values)

    @cached_property
    def has_sides(self) -> bool:
        """Whether some sample has two sides, because the kernel is not symmetric."""
        return have_sides(self.strata, self.seed)

    @cached_property
    def is_definite(self) -> bool:
        """Whether the kernel is symmetric, and positive definite as far as the sample shows."""
        if self.has_sides:
            return False
        some = self.sample.take(slice(0, _FOR_SIGNS))
        eigenvalues = np.linalg.eigvalsh(self.value(some, some))
        return bool(eigenvalues.min() >= -_INDEFINITE * np.abs(eigenvalues).max())


def eligible(strata: Sequence[Stratum], m: int) -> int:
    """The number of rows that the m-th landmark is chosen from."""
    top = max(_PROPOSED, 1 << (m - 1).bit_length())
    terms, products = max(1, len(strata)), max(_PRODUCTS // top**2, _FEWEST * top)
    values = max(_CHOOSING // (top * terms), min(_VALUES // (top * terms), _FEWEST * top))
    return min(_POOL, products, _DIFFERENCES // (top * _width(strata)), values)


def _width(strata: Sequence[Stratum]) -> int:
    return max(1, sum(len(stratum.positions) for stratum in strata))


@dataclass(frozen=True, eq=False)
class LandmarkSearch:
    """The search for at most `most` landmarks, judged on some rows of the sample.

    For a positive definite kernel they are pivots, whose first m are the best m; else random rows with several ridges.
    """

    ground: Ground
    most: int
    _nested: dict[tuple[int, int], PairSums] = field(default_factory=dict)
    _sizes_of_tables: dict[int, float] = field(default_factory=dict)
    _options: dict[int, Option] = field(default_factory=dict)
    _pilots: Pilots = field(default_factory=lambda: Pilots(_PILOT))
    _seen: Seen = field(default_factory=Seen)

    @classmethod
    def of(cls, ground: Ground, most: int) -> LandmarkSearch:
        """The search with at most `most` landmarks; fewer for many terms or a small pool."""
        most = min(most, max(_LEAST, math.isqrt(_VALUES // (2 * max(1, len(ground.strata))))))
        return cls(ground, min(most, len(ground.pool)))

    @property
    def most_compared(self) -> int:
        """The largest number of pivots to compare, if that many exist."""
        return max(_ladder(self.most), default=0)

    def options(self, most: int) -> list[Option]:
        """Numbers of landmarks up to `most`: powers of two and the numbers halfway between them."""
        if self.ground.is_definite:
            return [self.pivoted(m) for m in self._sizes if m <= most]
        limit = min(most, len(self._random_rows))
        numbers = [m for m in _ladder(self.most) if limit / _FEW <= m <= limit] or [limit] * (limit > 0)
        return [self._of_random_rows(m, ridge) for m in numbers[:: 1 + (len(numbers) > _FEW // 2)] for ridge in _RIDGES]

    @cached_property
    def judged(self) -> JudgedRows:
        """The rows for judging options, always including far ones."""
        sample = self.ground.sample
        if not self.ground.is_definite or not self.most:
            return JudgedRows.among(sample, self._most_judged)
        middle = self.ground.pivots.whitened((self.most + 1) // 2)
        left = np.maximum(self.ground.of_sample - np.square(middle).sum(axis=0), 0.0)
        return JudgedRows.among(sample, self._most_judged, left)

    @property
    def _most_judged(self) -> int:
        """Fewer for many terms."""
        return min(_JUDGED, max(_FEWEST_JUDGED, math.isqrt(_VALUES // (4 * max(1, len(self.ground.strata))))))

    def relative(self, squares: float, n_rows: int) -> float | None:
        """‖K̂ − K‖_F / ‖K‖_F over all of n rows, from the sum of squared errors."""
        if n_rows not in self._sizes_of_tables:
            self._sizes_of_tables[n_rows] = self.judged.of_pairs(n_rows).total(self.size)
        return relative_error(squares, self._sizes_of_tables[n_rows])

    @cached_property
    def size(self) -> NDArray[np.float64]:
        """k(x, y)² for all pairs of the judged rows."""
        return np.square(self.ground.value(self.judged.rows, self.judged.rows))

    def pivoted(self, m: int) -> Option:
        """The first m pivots, or all: a = k(x, L) k(L, L)⁻¹."""
        if m in self._options:
            return self._options[m]
        pivots = self.ground.pivots.first(min(m, self.most))
        m = len(pivots)

        def leave() -> Residual:
            a = solved(pivots.triangle, self._whitened(m), transposed=True).T
            return Residual(self._judged, self._pivot_rows(m), self._pivot_rows(m), a, a, self._seen)

        def make() -> ChosenLandmarks:
            kept = LandmarkRows.of(self._pivot_rows(m).take(slice(0, m)), self.ground.positions)
            return ChosenLandmarks.of(kept, None, pivots.triangle @ pivots.triangle.T, 0.0, self.ground.rounding)

        return self._options.setdefault(m, Option(m, leave, lambda stratum: self._variance(stratum, m), make))

    def of_random_rows(self, m: int) -> list[Option]:
        """At most m random rows, under each ridge."""
        return [self._of_random_rows(min(m, len(self._random_rows)), ridge) for ridge in _RIDGES]

    def left_alone(self, m: int) -> NDArray[np.float64]:
        """What the first m pivots leave of the kernel on the judged rows, (rows, rows): r(x) on the diagonal."""
        whitened, rows = self._whitened(m), self.judged.rows
        return self.ground.value(rows, rows) - whitened.T @ whitened

    def beyond(self, m: int, counts: Sequence[int]) -> tuple[NDArray[np.float64], float]:
        """Errors of k(x, x) in rows beyond all known ones, √Σ r²/n, and how many of these a new row is.

        r is what the first m pivots leave of a stratum, a'k(L, L)a − 2a'k(L, x) + k(x, x) with a = k(L, L)⁻¹ k(L, x);
        n is the number of its samples.
        """
        ground = self.ground
        known = ground.sample.followed_by(ground.pool)
        far = rows_beyond(known, ground.positions)
        if not len(far):
            return np.zeros(0), 0.0
        pivots = ground.pivots.first(m)
        kept, triangle = ground.pool.take(pivots.chosen), pivots.triangle
        a = solved(triangle, solved(triangle, ground.value(kept, far)), transposed=True)
        squares = np.zeros(len(far))
        for stratum, n in zip(ground.strata, counts, strict=True):
            beside, among = (kernel_value([stratum], CompiledPairs(kept, rows)) for rows in (far, kept))
            own = kernel_value([stratum], NumericPairs(far, far, grid=False))
            left = own + np.sum(a * (among @ a - 2 * beside), axis=0)
            squares += np.square(np.maximum(left, 0.0)) / max(1, n)
        return np.sqrt(squares), 1 / STEPS / len(known)

    @cached_property
    def _sizes(self) -> list[int]:
        """Numbers of pivots to compare."""
        ladder, small_pool = _ladder(self.most), self.most == len(self.ground.pool) > 0
        there_are = len(self.ground.pivots.first(self.most if small_pool else max(ladder, default=0)))
        sizes = [m for m in ladder if m < there_are or (m == there_are and not small_pool)]
        return sizes if not there_are or there_are in sizes else [*sizes, there_are]

    def _variance(self, stratum: Stratum, m: int) -> PairSums:
        """The variance of one sample's remainder, summed over the judged rows, with the first m pivots."""
        key = id(stratum.independent.law), m
        if key not in self._nested:
            self._compare()
        return self._nested[key]

    def _compare(self) -> None:
        """The variances for all terms and numbers of pivots, from the same few samples."""
        # more for several terms, which share the budget, and whose remainders may be rare
        terms, (of_all, of_each) = len(self.ground.strata), _OF_SEVERAL
        share = max(_FEWEST_SAMPLES, min(of_each, of_all // terms)) if terms > 1 else _PILOT
        columns: list[SampleColumns] = []
        kept: list[Stratum] = []
        for stratum in (one.independent for one in self.ground.strata):
            n = max(_FEWEST_SAMPLES, min(share, 4 * _PILOT // (1 + stratum.law.n_terms)))
            samples = None if stratum.law.n_terms > _PILOT else SampleColumns.drawn(stratum, n, self.ground.sample)
            if samples is not None:
                kept.append(stratum)
                columns.append(samples)
                continue
            pilots = Pilots(share)
            for m in self._sizes:
                self._nested[id(stratum.law), m] = self._summed(pilots, stratum, self.pivoted(m).residual)
        if not kept:
            return
        most = self._sizes[-1]
        remainders = NestedRemainders(
            self.ground.pivots.first(most),
            self._compared_rows,
            self.judged.rows,
            self.judged.weights,
            self._whitened(most),
        )
        for m, sums in zip(self._sizes, remainders.variances(columns, self._sizes), strict=True):
            self._nested.update({(id(stratum.law), m): one_sum for stratum, one_sum in zip(kept, sums, strict=True)})

    def _summed(self, pilots: Pilots, stratum: Stratum, residual: Residual) -> PairSums:
        return PairSums.of(pilots.variance(stratum, residual), self.judged.weights)

    def _pivot_rows(self, m: int) -> Rows:
        """At least the first m pivots: the same rows for all numbers compared, so that values are cached."""
        if self._sizes and m <= self._sizes[-1]:
            return self._compared_rows
        return self.ground.pool.take(self.ground.pivots.first(m).chosen)

    @cached_property
    def _compared_rows(self) -> Rows:
        return self.ground.pool.take(self.ground.pivots.first(self._sizes[-1]).chosen)

    def _whitened(self, m: int) -> NDArray[np.float64]:
        """C⁻¹ k(L, x) of the judged rows, (pivots, rows)."""
        return self.ground.pivots.whitened(m)[:, self.judged.places]

    def _of_random_rows(self, m: int, share: float) -> Option:
        values = self._among_random[:m, :m]
        kept = LandmarkRows.of(self._random_rows.take(slice(0, m)), self.ground.positions)
        ridge = share * float(np.linalg.norm(values, 2))
        landmarks = ChosenLandmarks.of(kept, kept if self.ground.has_sides else None, values, ridge)
        left, right = self._with_random
        a, b = landmarks.weights(left[:, :m], "left"), landmarks.weights(right[:, :m], "right")
        residual = Residual(self._judged, self._random_rows, self._random_rows, a, b, self._seen)
        pilots = self._pilots
        return Option(m, lambda: residual, lambda stratum: self._summed(pilots, stratum, residual), lambda: landmarks)

    @cached_property
    def _random_rows(self) -> Rows:
        order = Stream(self.ground.seed).generator("anchors").permutation(len(self.ground.pool))
        return self.ground.pool.take(order[: self.most])

    @cached_property
    def _among_random(self) -> NDArray[np.float64]:
        return self.ground.value(self._random_rows, self._random_rows)

    @cached_property
    def _with_random(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """k(x, R) and k(L, y)' of the judged rows, (rows, landmarks)."""
        rows = self.judged.rows
        return self.ground.value(rows, self._random_rows), self.ground.value(self._random_rows, rows).T

    @cached_property
    def _judged(self) -> NumericPairs:
        return CompiledPairs(self.judged.rows, self.judged.rows)


def _ladder(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, …, from a 32nd of `most` down."""
    powers = [1 << k for k in range(most.bit_length())]
    return sorted(m for m in {*powers, *(3 * power // 2 for power in powers)} if most / _LEAST <= m < most)


MOST_LANDMARKS = 2_048
"""Of a plan."""

_SIMILAR = 8
"""The largest ratio of budgets for which a rough plan reuses a search."""


@dataclass(frozen=True, eq=False)
class LandmarkSearches:
    """Searches among the rows `others`, judged on a `sample` and more of them, kept for all budgets."""

    others: Rows
    sample: Rows
    positions: tuple[int, ...]
    seed: int
    _grounds: dict[tuple[int, ...], Ground] = field(default_factory=dict)
    _whole: dict[tuple[int, ...], Ground] = field(default_factory=dict)
    _met: dict[tuple[int, ...], LandmarkSearch] = field(default_factory=dict)

    def of(self, strata: tuple[Stratum, ...], most: int, *, rough: bool = False) -> LandmarkSearch:
        """The search for the kernel of some strata, with at most this many landmarks, rounded up to a power of two.

        For a `rough` plan, one made for a somewhat larger budget if there is any.
        """
        laws = tuple(id(stratum.law) for stratum in strata)
        most = min(1 << max(0, most - 1).bit_length(), MOST_LANDMARKS)
        if rough:
            sizes = [size for size, *others in self._met if tuple(others) == laws]
            most = max(size for size in (most, *sizes) if size <= _SIMILAR * most)
        if laws not in self._grounds:
            self._grounds[laws] = Ground.among(strata, self.others, self.sample, self.positions, self.seed)
        if (most, *laws) not in self._met:
            self._met[most, *laws] = LandmarkSearch.of(self._grounds[laws], most)
        return self._met[most, *laws]

    def of_all(self, strata: tuple[Stratum, ...], most: int, kernel: Kernel) -> LandmarkSearch:
        """The search among all rows for at most this many landmarks, for the kernel of all strata."""
        most, laws = min(most, MOST_LANDMARKS), tuple(id(stratum.law) for stratum in strata)
        if laws not in self._whole:
            self._whole[laws] = Ground.of_all(strata, self.others, self.sample, self.positions, self.seed, kernel)
        return LandmarkSearch(self._whole[laws], min(most, len(self._whole[laws].pool)))
