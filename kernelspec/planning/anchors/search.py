"""Anchors of several numbers for one kernel, each with what it leaves on rows that did not choose it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.anchors.anchor_rows import AnchorRows
from kernelspec.planning.anchors.anchors import Anchors
from kernelspec.planning.anchors.pivots import Pivots, choose_pivots, solved
from kernelspec.planning.anchors.residual import Residual
from kernelspec.planning.anchors.seen import Seen
from kernelspec.planning.pair_sums import PairSums
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitude_values import has_sides
from kernelspec.tables.rows import Rows

__all__ = ["AnchorSearch", "Option"]

_POOL = 20_000
"""Rows that anchors are chosen from, at most."""

_MOST = 2_048
"""Anchors, at most."""

_PRODUCTS, _DIFFERENCES = 40_000_000_000, 2_000_000_000
"""The most work while choosing: rows times anchors squared, and rows times anchors (or rows) times columns."""

_JUDGED = 800
"""Rows to judge on, besides those of the reference: a few rows far from all others decide about the error."""

_FEW = 4
"""Numbers of anchors, beyond which every other one is tried with every ridge."""

_RIDGES = (1e-6, 1e-3, 1e-1)
"""Of the largest singular value, to be compared where the kernel is not positive definite."""

_FOR_SIGNS = 200
"""Rows whose kernel matrix has eigenvalues of both signs, where the kernel is not positive definite:"""

_INDEFINITE = 1e-9
"""Of the largest eigenvalue: a negative one beyond it is no rounding."""


@dataclass(frozen=True, eq=False)
class Option:
    """So many anchors, what they leave, and how to make them."""

    size: int
    residual: Residual
    make: Callable[[], Anchors]

    @cached_property
    def anchors(self) -> Anchors:
        """The anchors: of at most `size` columns, fewer where some say nothing new."""
        return self.make()


@dataclass(frozen=True, eq=False)
class AnchorSearch:
    """The kernel Σ w_i k_i of some strata, a `pool` of rows to choose from, and a `sample` of others to judge on.

    At most `most` anchors keep the columns `positions` of their rows. For a positive definite kernel they are pivots,
    the first m of which are the best m; else they are random rows, under several ridges.
    """

    strata: tuple[Stratum, ...]
    pool: Rows
    sample: Rows
    positions: tuple[int, ...]
    most: int
    seed: int

    @classmethod
    def among(
        cls, strata: tuple[Stratum, ...], others: Rows, sample: Rows, positions: tuple[int, ...], most: int, seed: int
    ) -> AnchorSearch:
        """Among 20,000 of the rows that are not in the sample, or all; up to 800 more rows are for judging only.

        Of many columns, or for many anchors, fewer: the work is bounded.
        """
        most = min(most, _MOST)
        columns = max(1, sum(len(stratum.positions) for stratum in strata))
        judging = max(0, math.isqrt(_DIFFERENCES // columns) - len(sample))
        choosing = min(_POOL, _PRODUCTS // most**2, _DIFFERENCES // (most * columns))
        order = Stream(seed).generator("pool").permutation(len(others))
        judged, chosen = np.split(order, [min(_JUDGED, len(others) // 4, judging)])
        more, pool = (others.take(np.sort(places)) for places in (judged, chosen[:choosing]))
        return cls(strata, pool, sample.followed_by(more), positions, min(most, len(pool)), seed)

    def options(self, sizes: Sequence[int]) -> list[Option]:
        """For all of these numbers of anchors that there are."""
        if self.is_definite:
            return [self._of_pivots(m) for m in sorted({min(size, len(self.pivots)) for size in sizes}) if m > 0]
        numbers = sorted({min(size, len(self._random_rows)) for size in sizes} - {0})
        return [self._of_random_rows(m, ridge) for m in numbers[:: 1 + (len(numbers) > _FEW)] for ridge in _RIDGES]

    def relative(self, squares: PairSums, n_rows: int) -> float | None:
        """‖K̂ − K‖_F / ‖K‖_F over all of n rows, from squared errors summed over the sample; None if K is 0."""
        return squares.relative_to(self._size, n_rows)

    @cached_property
    def _size(self) -> PairSums:
        return PairSums.of(np.square(self._value(self.sample, self.sample)))

    @cached_property
    def pivots(self) -> Pivots:
        """The rows of the pool, in the order in which they are chosen."""
        pairs = NumericPairs(self.pool, self.pool, grid=False)
        diagonal = kernel_value(self.strata, pairs)
        return choose_pivots(self._value, diagonal, self.pool, self.most, Stream(self.seed).generator("anchors"))

    def _of_pivots(self, m: int) -> Option:
        """The first m pivots: a = k(x, L) k(L, L)⁻¹."""
        a = solved(self.pivots.triangle[:m, :m], self._whitened[:m], transposed=True).T

        def make() -> Anchors:
            rows = self._pivot_rows.take(slice(0, m))
            return Anchors.of(AnchorRows.of(rows, self.positions), None, self._value(rows, rows), 0.0)

        return Option(m, Residual(self._judged, self._pivot_rows, self._pivot_rows, a, a, self._seen), make)

    @cached_property
    def _pivot_rows(self) -> Rows:
        return self.pool.take(self.pivots.chosen)

    @cached_property
    def _whitened(self) -> NDArray[np.float64]:
        """C⁻¹ k(L, x) of the sample, (pivots, rows): its first m rows are those of the first m pivots."""
        return solved(self.pivots.triangle, self._value(self._pivot_rows, self.sample))

    def _of_random_rows(self, m: int, share: float) -> Option:
        values = self._among_random[:m, :m]
        own = AnchorRows.of(self._random_rows.take(slice(0, m)), self.positions)
        ridge = share * float(np.linalg.norm(values, 2))
        anchors = Anchors.of(own, own if self._has_sides else None, values, ridge)
        left, right = self._with_random
        a, b = anchors.weights(left[:, :m], "left"), anchors.weights(right[:, :m], "right")
        residual = Residual(self._judged, self._random_rows, self._random_rows, a, b, self._seen)
        return Option(m, residual, lambda: anchors)

    @cached_property
    def _random_rows(self) -> Rows:
        order = Stream(self.seed).generator("anchors").permutation(len(self.pool))
        return self.pool.take(order[: self.most])

    @cached_property
    def _among_random(self) -> NDArray[np.float64]:
        return self._value(self._random_rows, self._random_rows)

    @cached_property
    def _with_random(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """k(x, R) and k(L, y)' of the sample, (rows, anchors)."""
        return self._value(self.sample, self._random_rows), self._value(self._random_rows, self.sample).T

    def _value(self, x: Rows, y: Rows) -> NDArray[np.float64]:
        return kernel_value(self.strata, NumericPairs(x, y))

    @cached_property
    def _seen(self) -> Seen:
        return Seen()

    @cached_property
    def _judged(self) -> NumericPairs:
        return NumericPairs(self.sample, self.sample)

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
