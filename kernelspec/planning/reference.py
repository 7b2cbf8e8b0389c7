"""The rows on which plans are compared, and the variances of samples on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import Collisions, SampleMoments
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.numerics.phasor import Form
from kernelspec.planning.landmarks.landmarks import CompiledPairs
from kernelspec.planning.strata import Stratum, estimate_bias, kernel_value
from kernelspec.random.streams import hash_numbers
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.laws.joint import JointLaw

__all__ = ["FEWEST_ROWS", "PairSums", "Reference", "SampleVariances", "reference_pairs"]

_PAIRS, _FEWEST_PAIRS = 256, 64
_ROW_BYTES = MAX_BLOCK_BYTES // 4
"""Of standard normal rows, at most, on either side of the pairs; beyond a quarter of it pairs are fewer, down to 64."""

_CATEGORIES, _ROWS = 4, 200
"""Equally likely categories of normal rows, and rows of the data in the sample, at most."""

FEWEST_ROWS = 32
"""Of data: from fewer landmarks cannot be chosen and judged."""


@dataclass(frozen=True)
class PairSums:
    """A sum over the pairs of m rows: of each with itself (`own`), and with the others."""

    rows: int
    own: float
    others: float

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> PairSums:
        """The sums of a matrix (m, m), or of a table each of whose rows stands for `weights` rows, as if for m."""
        own = np.diagonal(values)
        if weights is None:
            return cls(len(values), float(own.sum()), float(values.sum()) - float(own.sum()))
        m, rows = len(weights), float(weights.sum())
        others = float(weights @ values @ weights) - float(np.square(weights) @ own)
        pairs = rows**2 - float(np.square(weights).sum())
        return cls(m, m * float(weights @ own) / rows, m * (m - 1) * others / pairs if pairs > 0 else 0.0)

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(self.rows, self.own + other.own, self.others + other.others)

    def scaled(self, factor: float) -> PairSums:
        """The sums times a number."""
        return PairSums(self.rows, self.own * factor, self.others * factor)

    def over_rows(self, n: int) -> float:
        """What the sum over all pairs of n rows would be, over n: a row meets itself once and n - 1 others."""
        return self.own / self.rows + (n - 1) * self.others / (self.rows * (self.rows - 1))

    def relative_to(self, whole: PairSums, n: int) -> float | None:
        """√(Σ / Σ whole) over all pairs of n rows: ‖K̂ − K‖_F / ‖K‖_F, of squares; None where the whole is 0."""
        size = whole.over_rows(n)
        return math.sqrt(self.over_rows(n) / size) if size else None


@dataclass(frozen=True)
class Reference:
    """Pairs of rows to compare plans on, what they are in words, and some rows of the data if there are any."""

    pairs: NumericPairs
    words: str
    sample: Rows | None = None
    n_rows: int = 0
    places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """Where the sample stands in the data."""

    @classmethod
    def of(cls, layout: Layout, data: Rows | None) -> Reference:
        """The reference for these data, or for standard normal rows."""
        pairs, words = reference_pairs(layout.mapped, data)
        if data is None or len(data) < 2:
            return cls(pairs, words)
        # the other rows may be chosen from, where there are enough of them
        some = min(_ROWS, len(data) if len(data) < FEWEST_ROWS else len(data) // 2)
        chosen = np.sort(np.random.default_rng(1).permutation(len(data))[:some])
        return cls(pairs, words, data.take(chosen), len(data), chosen)

    def nonzeros(self, positions: tuple[int, ...]) -> float:
        """Mean number of nonzeros a row has in these columns."""
        numbers = self.pairs.x.select(positions).numbers
        count = np.count_nonzero(numbers) if isinstance(numbers, np.ndarray) else numbers.nnz
        return float(count) / max(1, len(self.pairs.x))

    def pool(self, data: Rows) -> Rows:
        """The rows of the data that are not in the sample."""
        others = np.ones(len(data), dtype=bool)
        others[self.places] = False
        return data.take(np.flatnonzero(others))


def reference_pairs(layout: Layout, data: Rows | None) -> tuple[NumericPairs, str]:
    """256 pairs to compare plans on, and what they are in words; 64 at least where dense rows are long.

    Random pairs of different rows of the data; without data, pairs of independent standard normal rows, which is
    what two rows of standardised columns look like, with four equally likely categories. These hardly differ from each
    other where there are so many columns that memory reaches for fewer pairs. Raises PlanError where it reaches for
    less than 64 of them.
    """
    reached = min(_PAIRS, _ROW_BYTES // (8 * max(1, layout.dim)))
    if reached >= _FEWEST_PAIRS:
        reached = max(_FEWEST_PAIRS, min(reached, _ROW_BYTES // 4 // (8 * max(1, layout.dim))))
    generator = np.random.default_rng(0)
    if data is not None and len(data) > 1:
        count = max(_FEWEST_PAIRS, reached) if isinstance(data.numbers, np.ndarray) else _PAIRS
        first = generator.integers(0, len(data), count)
        second = (first + generator.integers(1, len(data), count)) % len(data)
        return CompiledPairs(data.take(first), data.take(second), grid=False), f"{count} random pairs of rows"
    if reached < _FEWEST_PAIRS:
        raise PlanError(
            f"without data a plan is chosen on {_FEWEST_PAIRS} standard normal rows at least, and those of "
            f"{layout.dim:,} columns take more than {_ROW_BYTES >> 20} MiB: give data= (a sparse matrix will do), or "
            "--plan-on FILE"
        )
    sides = []
    for _ in range(2):
        numbers = layout.fitted(generator.standard_normal((reached, layout.dim)))
        codes = {i: hash_numbers(generator.integers(0, _CATEGORIES, reached)) for i in layout.categorical}
        sides.append(Rows(numbers, codes))
    return CompiledPairs(sides[0], sides[1], grid=False), f"{reached} pairs of standard normal rows (no data given)"


_VALUES, _FEWEST_ROWS = 4_000_000, 64
"""Values of terms, for which there are fewer rows of many terms."""

_REAL_FORMS: tuple[Form, ...] = ("paired", "phase")
"""Forms that are compared with each other unless one is named."""


@dataclass(frozen=True, eq=False)
class SampleVariances:
    """Of one sample of a stratum of a kernel, without its weight: pair by pair, and summed over all pairs of the data.

    `whole` are strata that make up the kernel. Every stratum that was met is held, so that its law stays itself.
    """

    reference: Reference
    collisions: Collisions | None
    whole: tuple[Stratum, ...]
    _moments: dict[tuple[int, tuple[int, ...]], tuple[Stratum, SampleMoments]] = field(default_factory=dict)
    _joint: dict[tuple[int, tuple[int, ...], str], tuple[Stratum, JointLaw | None]] = field(default_factory=dict)
    _means: dict[tuple[int, tuple[int, ...], Form], float] = field(default_factory=dict)
    _summed: dict[tuple[int, tuple[int, ...], bool], tuple[Stratum, dict[Form, PairSums]]] = field(default_factory=dict)

    def mean(self, stratum: Stratum, form: Form) -> float:
        """The mean on the pairs of the reference; the moments of a stratum are computed once for all forms."""
        if stratum.draws is not None:
            pairs = self.reference.pairs.select(stratum.positions)
            return float(stratum.law.variance(pairs, 1, form, self._shared_by(stratum)).mean())
        key = (id(stratum.law), stratum.positions)
        if key not in self._moments:
            pairs = self.reference.pairs.select(stratum.positions)
            self._moments[key] = (stratum, SampleMoments.of(stratum.law, pairs, self._shared_by(stratum)))
        if (*key, form) not in self._means:
            self._means[*key, form] = float(self._moments[key][1].variance(form).mean())
        return self._means[*key, form]

    def joint(self, stratum: Stratum, draws: str) -> JointLaw | None:
        """The law of a stratum with its samples drawn together in this way; None if that changes nothing."""
        from kernelspec.laws.joint import joint

        key = (id(stratum.law), stratum.positions, draws)
        if key not in self._joint:
            self._joint[key] = (stratum, joint(stratum.law, draws, stratum.positions))
        return self._joint[key][1]

    def of_one_pair(self, stratum: Stratum, pairs: NumericPairs) -> float:
        """The mean variance of one sample on pairs of rows made to agree in their categories; 0 where it is exact.

        No pair of rows may agree, and then none of them says how much the samples of rows that do agree vary.
        """
        if stratum.known is None or stratum.law.is_exact:
            return 0.0
        agreeing = pairs.with_equal_categories(stratum.known.positions)
        return float(np.mean(stratum.law.variance(agreeing.select(stratum.positions), 1, "paired")))

    def relative_error(self, parts: Sequence[tuple[Stratum, int]], form: Form) -> float | None:
        """Expected √E‖K̂ − K‖²_F / ‖K‖_F of all rows of the data, from up to 200 of them; None without data.

        The diagonal has its share of 1/n, n the number of rows [Theorems 7 and 8 on random binning].
        """
        if self.reference.sample is None or not parts:
            return None
        error = reduce(add, (self._sums(stratum, form).scaled(stratum.weight**2 / n) for stratum, n in parts))
        strata = [stratum for stratum, _ in parts]
        if any(stratum.law.cuts for stratum in strata):
            error += PairSums.of(np.square(estimate_bias(strata, self._grid)))
        if not (np.isfinite(error.own + error.others) and np.isfinite(self._size.own + self._size.others)):
            return float("inf")
        return error.relative_to(self._size, self.reference.n_rows)

    def _sums(self, stratum: Stratum, form: Form) -> PairSums:
        """Over the pairs of the sample of the data, with all that sharing columns adds there."""
        alone = self._independent_sums(stratum.independent, form, hashed=True)
        if stratum.draws is None:
            return alone
        # offsets and buckets are independent, and add what they always do
        gained = self._independent_sums(stratum.independent, "paired", hashed=False)
        return alone + gained.scaled(stratum.ratio - 1)

    def _independent_sums(self, stratum: Stratum, form: Form, *, hashed: bool) -> PairSums:
        key = (id(stratum.law), stratum.positions, hashed)
        sums = self._summed.setdefault(key, (stratum, {}))[1]
        if form not in sums:  # all forms follow from the same moments
            collisions = stratum.collisions(self._grid, self.collisions if hashed else None)
            moments = SampleMoments.of(stratum.law, self._grid.select(stratum.positions), collisions)
            sums.update((one, PairSums.of(moments.variance(one))) for one in (form, *_REAL_FORMS))
            for one, found in sums.items():
                if not found.own + found.others:  # as if one pair of rows agreed, and so both ways
                    sums[one] = replace(found, others=2 * self.of_one_pair(stratum, self.reference.pairs))
        return sums[form]

    @cached_property
    def _grid(self) -> NumericPairs:
        sample = self.reference.sample
        assert sample is not None
        some = sample.some(max(_FEWEST_ROWS, math.isqrt(_VALUES // max(1, len(self.whole)))))
        return CompiledPairs(some, some)

    @cached_property
    def _size(self) -> PairSums:
        """Σ k(x, y)²: the kernel is the same, however it is sampled."""
        with np.errstate(over="ignore"):  # checked where it divides
            return PairSums.of(np.square(kernel_value(self.whole, self._grid)))

    def _shared_by(self, stratum: Stratum) -> Collisions | None:
        """What sharing columns adds; nothing to categories of the data, which have columns of their own."""
        return None if stratum.known is not None else self.collisions
