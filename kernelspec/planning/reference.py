"""The rows on which plans are compared and judged, sample variances on them, and the effect of choosing rows."""

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

__all__ = [
    "FEWEST_ROWS",
    "STEPS",
    "TABLES",
    "JudgedRows",
    "PairSums",
    "PairWeights",
    "Reference",
    "RowsScatter",
    "SampleVariances",
    "reference_pairs",
    "relative_error",
    "rows_beyond",
]

_PAIRS, _FEWEST_PAIRS = 256, 64
_ROW_BYTES = MAX_BLOCK_BYTES // 4
"""Most standard normal rows on either side of the pairs; beyond a quarter of it there are fewer pairs, down to 64."""

_CATEGORIES, _ROWS = 4, 200
"""Equally likely categories of normal rows, and most rows of the data in the sample."""

FEWEST_ROWS = 32
"""Fewer rows of data are not enough to choose and judge landmarks."""


@dataclass(frozen=True)
class PairSums:
    """A sum over the pairs of m rows: of each with itself (`own`), and with the others."""

    rows: int
    own: float
    others: float

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> PairSums:
        """The sums of a matrix (m, m), or of a table whose rows stand for `weights` rows, normalised to m rows."""
        diagonal = np.diagonal(values)
        if weights is None:
            return cls(len(values), float(diagonal.sum()), float(values.sum()) - float(diagonal.sum()))
        m, rows = len(weights), float(weights.sum())
        others = float(weights @ values @ weights) - float(np.square(weights) @ diagonal)
        pairs = rows**2 - float(np.square(weights).sum())
        return cls(m, m * float(weights @ diagonal) / rows, m * (m - 1) * others / pairs if pairs > 0 else 0.0)

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(self.rows, self.own + other.own, self.others + other.others)

    def scaled(self, factor: float) -> PairSums:
        """The sums times a number."""
        return PairSums(self.rows, self.own * factor, self.others * factor)

    def over_rows(self, n: int) -> float:
        """The sum over all pairs of n rows, divided by n: each row is paired with itself once and with n - 1 others."""
        return self.own / self.rows + (n - 1) * self.others / (self.rows * (self.rows - 1))

    def relative_to(self, whole: PairSums, n: int) -> float | None:
        """√(Σ / Σ whole) over all pairs of n rows: ‖K̂ − K‖_F / ‖K‖_F; infinite if K is 0, None if both are."""
        return relative_error(self.over_rows(n), whole.over_rows(n))


def relative_error(squares: float, size: float) -> float | None:
    """√(squares / size), of errors and of a kernel; infinite if only K is 0 or one overflows, None for 0/0."""
    if not math.isfinite(squares + size):
        return math.inf
    return math.sqrt(squares / size) if size else math.inf if squares > 0 else None


@dataclass(frozen=True)
class Reference:
    """Pairs of rows for comparing plans, their description, and some rows of the data if there are any."""

    pairs: NumericPairs
    words: str
    sample: Rows | None = None
    n_rows: int = 0
    places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """The positions of the sample in the data."""

    @classmethod
    def of(cls, layout: Layout, data: Rows | None) -> Reference:
        """The reference for these data, or for standard normal rows."""
        pairs, words = reference_pairs(layout.mapped, data)
        if data is None or len(data) < 2:
            return cls(pairs, words)
        # the other rows are candidates for landmarks, if there are enough
        some = min(_ROWS, len(data) if len(data) < FEWEST_ROWS else len(data) // 2)
        chosen = np.sort(np.random.default_rng(1).permutation(len(data))[:some])
        return cls(pairs, words, data.take(chosen), len(data), chosen)

    def nonzeros(self, positions: tuple[int, ...]) -> float:
        """Mean number of nonzeros per row in these columns."""
        numbers = self.pairs.x.select(positions).numbers
        count = np.count_nonzero(numbers) if isinstance(numbers, np.ndarray) else numbers.nnz
        return float(count) / max(1, len(self.pairs.x))

    def pool(self, data: Rows) -> Rows:
        """The rows of the data that are not in the sample."""
        others = np.ones(len(data), dtype=bool)
        others[self.places] = False
        return data.take(np.flatnonzero(others))


def reference_pairs(layout: Layout, data: Rows | None) -> tuple[NumericPairs, str]:
    """256 pairs for comparing plans, and their description; at least 64 if dense rows are long.

    Random pairs of different rows of the data; without data, pairs of independent standard normal rows, like two rows
    of standardised columns, with four equally likely categories. If the columns are so numerous that memory allows only
    a few pairs, pairs hardly differ. Raises PlanError if memory allows fewer than 64.
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
            f"without data, a plan needs at least {_FEWEST_PAIRS} standard normal rows, but those with "
            f"{layout.dim:,} columns need more than {_ROW_BYTES >> 20} MiB: use data= (a sparse matrix is enough), or "
            "--plan-on FILE"
        )
    sides = []
    for _ in range(2):
        numbers = layout.fitted(generator.standard_normal((reached, layout.dim)))
        codes = {i: hash_numbers(generator.integers(0, _CATEGORIES, reached)) for i in layout.categorical}
        sides.append(Rows(numbers, codes))
    return CompiledPairs(sides[0], sides[1], grid=False), f"{reached} pairs of standard normal rows (no data given)"


_VALUES, _FEWEST_ROWS = 4_000_000, 64
"""Values of all terms together; for many terms, fewer rows are used."""

_REAL_FORMS: tuple[Form, ...] = ("paired", "phase")
"""Forms to compare unless one is named."""


@dataclass(frozen=True, eq=False)
class SampleVariances:
    """Variances of one sample of a stratum, without its weight: pair by pair, and summed over all pairs of the data.

    `whole` are strata that make up the kernel. Strata seen so far are kept, so that their laws keep their identity.
    """

    reference: Reference
    collisions: Collisions | None
    whole: tuple[Stratum, ...]
    _moments: dict[tuple[int, tuple[int, ...]], tuple[Stratum, SampleMoments]] = field(default_factory=dict)
    _joint: dict[tuple[int, tuple[int, ...], str], tuple[Stratum, JointLaw | None]] = field(default_factory=dict)
    _means: dict[tuple[int, tuple[int, ...], Form], float] = field(default_factory=dict)
    _summed: dict[tuple[int, tuple[int, ...], bool], tuple[Stratum, dict[Form, PairSums]]] = field(default_factory=dict)

    def mean(self, stratum: Stratum, form: Form) -> float:
        """The mean on the reference pairs; moments of a stratum are computed once for all forms."""
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
        """The law of a stratum with its samples coupled in this way; None if coupling has no effect."""
        from kernelspec.laws.joint import joint

        key = (id(stratum.law), stratum.positions, draws)
        if key not in self._joint:
            self._joint[key] = (stratum, joint(stratum.law, draws, stratum.positions))
        return self._joint[key][1]

    def of_one_pair(self, stratum: Stratum, pairs: NumericPairs) -> float:
        """The mean variance of one sample on pairs of rows forced to agree in their categories; 0 if exact.

        Possibly no two rows agree, and then the data do not show how much samples of agreeing rows vary.
        """
        if stratum.known is None or stratum.law.is_exact:
            return 0.0
        agreeing = pairs.with_equal_categories(stratum.known.positions)
        return float(np.mean(stratum.law.variance(agreeing.select(stratum.positions), 1, "paired")))

    def relative_error(self, parts: Sequence[tuple[Stratum, int]], form: Form) -> float | None:
        """Expected √E‖K̂ − K‖²_F / ‖K‖_F over all rows of the data, from up to 200 of them; None without data.

        The diagonal has a share of 1/n, n the number of rows [Theorems 7 and 8 on random binning].
        """
        if self.reference.sample is None or not parts:
            return None
        if all(stratum.law.is_exact and not stratum.law.cuts for stratum, _ in parts) and not self._size_is_finite:
            return 0.0  # squares of k overflow, k does not
        error = reduce(add, (self._sums(stratum, form).scaled(stratum.weight**2 / n) for stratum, n in parts))
        strata = [stratum for stratum, _ in parts]
        if any(stratum.law.cuts for stratum in strata):
            error += PairSums.of(np.square(estimate_bias(strata, self._grid)))
        if not (np.isfinite(error.own + error.others) and self._size_is_finite):
            return float("inf")
        return error.relative_to(self._size, self.reference.n_rows)

    @property
    def _size_is_finite(self) -> bool:
        return bool(np.isfinite(self._size.own + self._size.others))

    def _sums(self, stratum: Stratum, form: Form) -> PairSums:
        """Sums over the pairs of the data sample, including the effect of shared columns."""
        alone = self._independent_sums(stratum.independent, form, hashed=True)
        if stratum.draws is None:
            return alone
        # offsets and buckets are independent, and add the same as always
        gained = self._independent_sums(stratum.independent, "paired", hashed=False)
        return alone + gained.scaled(stratum.ratio - 1)

    def _independent_sums(self, stratum: Stratum, form: Form, *, hashed: bool) -> PairSums:
        key = (id(stratum.law), stratum.positions, hashed)
        sums = self._summed.setdefault(key, (stratum, {}))[1]
        if form not in sums:  # all forms use the same moments
            collisions = stratum.collisions(self._grid, self.collisions if hashed else None)
            moments = SampleMoments.of(stratum.law, self._grid.select(stratum.positions), collisions)
            sums.update((one, PairSums.of(moments.variance(one))) for one in (form, *_REAL_FORMS))
            for one, one_sum in sums.items():
                if not one_sum.own + one_sum.others:  # act as if one pair of rows agreed, in both orders
                    sums[one] = replace(one_sum, others=2 * self.of_one_pair(stratum, self.reference.pairs))
        return sums[form]

    @cached_property
    def _grid(self) -> NumericPairs:
        sample = self.reference.sample
        assert sample is not None
        some = sample.some(max(_FEWEST_ROWS, math.isqrt(_VALUES // max(1, len(self.whole)))))
        return CompiledPairs(some, some)

    @cached_property
    def _size(self) -> PairSums:
        """Σ k(x, y)², the same for all sampling schemes."""
        with np.errstate(over="ignore"):  # checked where it divides
            return PairSums.of(np.square(kernel_value(self.whole, self._grid)))

    def _shared_by(self, stratum: Stratum) -> Collisions | None:
        """The effect of shared columns; none for categories of the data, which have their own columns."""
        return None if stratum.known is not None else self.collisions


TABLES = 200
"""Resampled tables for an interval."""

_TAIL = 0.1
"""Share of the rows with the largest errors, whose distribution is extrapolated beyond the largest one."""

_RESAMPLED = 10_000
"""Most rows of such a table."""


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Some rows of a table, each of which stands for `weights` rows."""

    rows: Rows
    weights: NDArray[np.float64]
    places: NDArray[np.intp]

    @classmethod
    def among(cls, rows: Rows, most: int, left: NDArray[np.float64] | None = None) -> JudgedRows:
        """At most this many rows: half uniformly at random, half in proportion to what landmarks leave of k(x, x).

        A systematic sample: rows far from all landmarks, which can have most of the error, are included for certain,
        with weight 1.
        """
        if len(rows) <= most:
            return cls(rows, np.ones(len(rows)), np.arange(len(rows)))
        chances = np.full(len(rows), 1 / len(rows))
        if left is not None and 0 < float(left.sum()) < np.inf:
            chances = 0.5 * chances + 0.5 * left / left.sum()
        included = np.minimum(1.0, most * chances)
        for _ in range(8):  # what certain rows do not use goes to the others
            free = included < 1
            included[free] = np.minimum(1.0, included[free] * (most - np.count_nonzero(~free)) / included[free].sum())
        generator = np.random.default_rng(2)
        order = generator.permutation(len(rows))
        ends = np.cumsum(included[order])
        places = np.sort(order[np.flatnonzero(np.diff(np.floor(ends + generator.random()), prepend=0.0))])
        return cls(rows.take(places), 1 / included[places], places)

    def of_pairs(self, n_rows: int) -> PairWeights:
        """The weights W for which Σ W f(x, y) estimates the sum over all pairs of n rows."""
        shares = self.weights / self.weights.sum()
        others = 1 - float(np.square(shares).sum())
        scale = n_rows * (n_rows - 1) / others if others > 0 else 0.0
        sides = math.sqrt(scale) * shares
        return PairWeights(sides, sides, n_rows * shares - np.square(sides))


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Weights W = x y' + diag(own) of pairs of rows."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    own: NDArray[np.float64] | None = None

    def total(self, values: NDArray[np.float64]) -> float:
        """Σ W f of a matrix f."""
        total = float(self.x @ values @ self.y)
        return total if self.own is None else total + float(self.own @ np.diagonal(values))


STEPS = 8
"""Rows beyond all known ones, for each column."""

_FARTHEST, _FAR_COLUMNS = 0.02, 16
"""Share of the rows that show the tail of a column, and the most columns."""


def rows_beyond(rows: Rows, columns: Sequence[int]) -> Rows:
    """Rows farther out in one column than all of these, as tables from the same source may have: `STEPS` for a column.

    The farthest row, moved out in this column alone: distances from the median follow a Pareto distribution (Hill's
    estimate of the exponent, with its scatter). On average one of n new rows is beyond n known ones.
    """
    if not columns or not isinstance(rows.numbers, np.ndarray):
        return rows.take(slice(0, 0))
    numbers = rows.numbers[:, list(columns)]
    middle = np.median(numbers, axis=0)
    distances, last = np.abs(numbers - middle), max(3, math.ceil(_FARTHEST * len(rows)))
    top = np.sort(distances, axis=0)[-last - 1 :]
    exponents = np.zeros(len(columns))
    for place, (least, *others) in enumerate(top.T.tolist()):
        if others[-1] > 0:
            exponents[place] = np.mean(np.log(np.array(others) / least)) if least > 0 else 1.0
    heavy = np.argsort(-exponents, kind="stable")[: min(_FAR_COLUMNS, np.count_nonzero(exponents))]
    farthest, generator = np.argmax(distances, axis=0)[heavy], np.random.default_rng(5)
    powers = exponents[heavy, None] * last / generator.gamma(last, size=(len(heavy), STEPS))
    factors = np.minimum(generator.random((len(heavy), STEPS)) ** -powers, 1e3)
    moved = rows.take(np.repeat(farthest, STEPS))
    values = moved.numbers.copy()
    places = np.asarray(columns)[heavy]
    away = (numbers[farthest, heavy] - middle[heavy])[:, None] * factors
    values[np.arange(len(values)), np.repeat(places, STEPS)] = (middle[heavy, None] + away).ravel()
    return replace(moved, numbers=values)


@dataclass(frozen=True, eq=False)
class RowsScatter:
    """The scatter due to the choice of rows: the judged ones come from `known` rows, and there may be `new` others.

    `size` is k(x, y)² of the judged rows, `samples` the number of all samples of the plan. `beyond` are the errors of
    k(x, x) in rows farther out than all known ones, (m,), of which new tables have `chance` each.
    """

    judged: JudgedRows
    size: NDArray[np.float64]
    samples: int
    known: int
    new: int = 0
    beyond: NDArray[np.float64] | None = None
    chance: float = 0.0

    def scattered(self, squares: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
        """Logarithms of the relative squared error on new rows, or on all, over that on the judged ones.

        Tables are resampled. Beyond their largest tenth, squared errors of rows follow a Pareto distribution (Hill's
        estimate of the exponent, with its own scatter), because a new row may be farther from all landmarks than any
        seen row.
        """
        chances = self.judged.weights / self.judged.weights.sum()
        logarithms = np.zeros(TABLES)
        for rows, sign in ((self.new, 1), (self.known, -1)):
            if not rows:
                continue
            number = min(rows, _RESAMPLED)
            tables = generator.multinomial(number, chances, size=TABLES).astype(float)
            expected = number * chances[None]
            if self.new:
                errors = self._with_tail(tables, squares, chances, generator)
            else:
                errors = _sums(squares, tables) / _sums(squares, expected)
            sizes = _sums(self.size, tables) / _sums(self.size, expected)
            logarithms += sign * np.log(np.maximum(errors / np.maximum(sizes, 1e-12), 1e-12))
        return logarithms

    def of_rows_beyond(self, squares: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
        """Squared errors of rows beyond all known ones over the expected one of the others, for new tables.

        Errors of different rows are taken to be fully correlated. Half of the tables have no such rows: few columns
        have tails as heavy as that.
        """
        if self.beyond is None:
            return np.zeros(TABLES)
        chances, number = self.judged.weights / self.judged.weights.sum(), min(self.new, _RESAMPLED)
        there = generator.poisson(self.chance * number / self.new, (TABLES, len(self.beyond)))
        there[::2] = 0
        left = there @ self.beyond
        beside = 2 * number * left * float(chances @ np.sqrt(np.maximum(np.diagonal(squares), 0.0)))
        expected = np.maximum(_sums(squares, number * chances[None]), np.finfo(float).tiny)
        return np.asarray((np.square(left) + beside) / expected)

    def _with_tail(
        self,
        tables: NDArray[np.float64],
        squares: NDArray[np.float64],
        chances: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Squared errors of resampled tables (tables, rows) over the expected one, with new rows in the tail."""
        others, diagonal = float(tables[0].sum()) - 1, np.diagonal(squares)
        beside = others * (squares @ chances - diagonal * chances)
        shares = diagonal + beside  # shares of the error with this row
        order = np.argsort(-shares, kind="stable")
        last = max(2, int(np.searchsorted(np.cumsum(chances[order]), _TAIL)))
        if last >= len(order) or not 0 < shares[order[last]] < np.inf:
            return np.asarray(_sums(squares, tables) / _sums(squares, (others + 1) * chances[None]))
        tail, least = order[:last], shares[order[last]]
        # for a row that landmarks do not explain: k² / n, and k √S(y, y) / √n with another row y
        k, root = math.sqrt(float(np.diagonal(self.size).max())), math.sqrt(self.samples)
        most = max(float(shares.max()), (k / root) ** 2 + others * k / root * float(chances @ np.sqrt(diagonal)))
        of_tail = chances[tail] / chances[tail].sum()
        exponent = float(of_tail @ np.log(shares[tail] / least))
        rows = 1 / float(np.square(of_tail).sum())  # Hill's estimate from m rows scatters like Gamma(m)
        exponents = exponent * rows / generator.gamma(rows, size=len(tables))
        drawn = tables[:, tail].sum(axis=1).astype(int)
        table = np.repeat(np.arange(len(tables)), drawn)
        values = np.minimum(least * generator.random(len(table)) ** -exponents[table], most)
        of_far_rows = np.bincount(table, values, len(tables))
        near, expected = tables.copy(), (others + 1) * chances[None]
        mean = float(expected[0, tail] @ shares[tail])
        near[:, tail] = expected[:, tail] = 0.0
        both = 1 + float(of_tail @ beside[tail]) / float(of_tail @ shares[tail])  # pairs with near rows count twice
        errors = _sums(squares, near) + both * of_far_rows
        return np.asarray(errors / (_sums(squares, expected) + both * mean))


def _sums(values: NDArray[np.float64], tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over all pairs of rows of tables in which row x occurs this often (tables, rows)."""
    diagonal = np.diagonal(values)
    return np.asarray(tables @ diagonal + ((tables @ values) * tables - np.square(tables) * diagonal).sum(axis=1))
