"""Products of samples of one-column kernels: many of them at once, and products over sets of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Value
from kernelspec.expressions.elementary import known_number
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.nodes.sums_and_products import Additive, elementary_symmetric
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.compositional.dual import MOST, MOST_DRAWS, MOST_OF_ONE, ONE_BY_ONE, too_many
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.laws.keys import CategoryPhasesLaw, MatchLaw
from kernelspec.laws.law import KernelLaw, Law, Moments, columns_shown, indented, size_on
from kernelspec.laws.rules import OF_SHARES, closed_to, own_law
from kernelspec.laws.sums_and_products import multiply_runs, ones
from kernelspec.loading import scipy
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases, ColumnShapes, LinearForms
from kernelspec.samples.factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.frequencies import ColumnRead, Growth, UnitColumn, in_order
from kernelspec.samples.keys import ChosenKey, ColumnKey, MatchKey, RunKey
from kernelspec.samples.samples import KeyFactor, Phasors, Samples, multiply

if TYPE_CHECKING:
    from kernelspec.laws.compositional.skeleton import Paths

__all__ = ["check_base", "draw_factors", "is_drawn_at_once", "multiply_factors", "multiply_sampled", "on_own_columns"]


def on_own_columns(samples: Samples, chosen: NDArray[np.intp]) -> Samples:
    """Sample j, which reads column 0 of one-column rows, on column `chosen`_j of the table instead.

    The samples stay one batch, with sparse frequencies. Raises PlanError for amplitudes that cannot be moved.
    """
    return replace(
        samples,
        phasors=None if samples.phasors is None else _phasors(samples.phasors, chosen),
        keys=tuple(_key(key, chosen) for key in samples.keys),
        growth=None if samples.growth is None else _growth(samples.growth, chosen),
        amplitudes=tuple(_amplitude(factor, chosen) for factor in samples.amplitudes),
    )


def _phasors(phasors: Phasors, chosen: NDArray[np.intp]) -> Phasors:
    columns, table = _moved(phasors.columns, chosen)
    own = scipy.sparse.csr_array(phasors.frequencies).tocoo()
    places = table[own.col, np.searchsorted(np.unique(chosen), chosen[own.row])]
    frequencies = scipy.sparse.csr_array((own.data, (own.row, places)), shape=(len(chosen), len(columns)))
    frequencies.eliminate_zeros()
    return Phasors(columns, frequencies, phasors.left, phasors.right)


def _key(key: KeyFactor, chosen: NDArray[np.intp]) -> KeyFactor:
    match key:
        case MatchKey() | ChosenKey():
            return ChosenKey(chosen)
        case ColumnKey():
            return ColumnKey(key.factor, chosen)
        case RunKey():
            return RunKey(_key(key.factor, np.repeat(chosen, np.diff(key.starts))), key.starts)
    return ColumnKey(key, chosen)


def _growth(growth: Growth, chosen: NDArray[np.intp]) -> Growth:
    columns, place = np.unique(chosen, return_inverse=True)
    rates = np.zeros((len(chosen), len(columns)))
    rates[np.arange(len(chosen)), place] = growth.rates[:, 0]
    return Growth(tuple(columns.tolist()), rates)


def _amplitude(factor: AmplitudeFactor, chosen: NDArray[np.intp]) -> AmplitudeFactor:
    match factor:
        case LinearForms():
            return _forms(factor, chosen)
        case CategoryPhases():
            return CategoryPhases(factor.words, _key(factor.categories, chosen))
        case ColumnShapes():
            return factor.on(chosen)
        case AmplitudeRuns():
            return AmplitudeRuns(_amplitude(factor.factor, np.repeat(chosen, np.diff(factor.starts))), factor.starts)
    raise PlanError(
        f"samples with {type(factor).__name__.lower()} are on fixed columns, so they cannot be multiplied here"
    )


def _forms(forms: LinearForms, chosen: NDArray[np.intp]) -> LinearForms:
    reads, table = _moved(forms.reads, chosen)
    which = np.repeat(np.searchsorted(np.unique(chosen), chosen), np.diff(forms.starts))
    second = np.where(forms.second >= 0, table[forms.second, which], -1)
    return replace(forms, reads=reads, first=table[forms.first, which], second=second)


def _moved(reads: tuple[ColumnRead, ...], chosen: NDArray[np.intp]) -> tuple[tuple[ColumnRead, ...], NDArray[np.intp]]:
    """Everything that is read on any of the chosen columns, and the place of read i on the t-th of these."""
    columns = np.unique(chosen).tolist()
    moved = [[c if isinstance(read, int) else UnitColumn(c, (c,)) for c in columns] for read in reads]
    found = in_order(column for own in moved for column in own)
    place = {column: i for i, column in enumerate(found)}
    table = [[place[column] for column in own] for own in moved]
    return found, np.array(table, dtype=np.intp).reshape(len(reads), len(columns))


def multiply_sampled(
    base: Law, positions: Sequence[int], stream: Stream, paths: Paths, n: int, *, over: str = "its base"
) -> list[Samples]:
    """∏ p_t for features 0, …, n − 1: the numbers of independent samples of `base` in `paths`, each on its column.

    Samples of a node that occurs often are multiplied in one draw if the distribution of the product is known. The
    first features do not depend on how many follow. Raises PlanError for more factors than can be drawn one by one;
    `over` is the name of the base in errors.
    """
    large = np.flatnonzero(paths.count > ONE_BY_ONE)
    at_once = base.draw_products(stream.child(1), paths.count[large], (0,)) if len(large) else None
    if at_once is None:
        large = large[:0]
    times = paths.count.copy()
    times[large] = 1  # one factor, their product
    _check(over, paths.feature, paths.count, large)
    path = np.repeat(np.arange(len(times)), times)
    products = (np.cumsum(times) - times)[large]
    single = np.setdiff1d(np.arange(len(path)), products)
    factors = [batch.relabelled(single[batch.index]) for batch in base.draw(stream.child(0), len(single), (0,))]
    if at_once is not None:
        factors.append(at_once.relabelled(products[at_once.index]))
    column = np.array(positions, dtype=np.intp)[paths.node[path]]
    moved = [on_own_columns(batch, column[batch.index]) for batch in factors if len(batch)]
    return multiply_runs(moved, paths.feature[path], n)


def _check(over: str, feature: NDArray[np.intp], count: NDArray[np.int64], at_once: NDArray[np.intp]) -> None:
    drawn = count.astype(float)
    drawn[at_once] = 0
    met = too_many(np.bincount(feature, drawn))
    if met is not None:
        raise PlanError(
            f"the features of a skeleton over {over} need {met}, more than can be drawn one by one "
            f"({MOST_OF_ONE:,} in a sample, {MOST:,} in a block): their number has a heavy-tailed distribution. "
            "Use fewer features, simpler activations, such as relu instead of step, or a base with "
            "frequencies such as gaussian(), which are drawn at once"
        )


_ROUNDING = 1e-9


def check_base(base: Kernel, law: Law) -> None:
    """Raise PlanError for a base kernel whose samples cannot be multiplied: larger than 1, or sums of terms."""
    size = known_number(law.magnitude()) if base.has_constant_diagonal else None
    if size is None or abs(size - 1) > _ROUNDING:
        raise PlanError(
            f"features of a skeleton over {base} cannot be drawn: the samples of its base must be of at most 1, as "
            "those of a positive definite kernel with k(x, x) = 1 are, and not of a difference of kernels"
        )
    if law.n_terms > 1:
        raise PlanError(
            f"features of a skeleton over {base} cannot be drawn: its samples are sums of terms, whose powers have too "
            "many"
        )


def is_drawn_at_once(base: Law) -> bool:
    """Whether many factors of one column combine into one number: a frequency, a word, or a count."""
    signs = isinstance(base, CoordinateLaw) and base.kernel.of_signs
    return base.fourier_kernel() is not None or signs or isinstance(base, MatchLaw | CategoryPhasesLaw)


def draw_factors(base: Law, stream: Stream, counts: NDArray[np.int64]) -> NDArray[Any]:
    """The combination of counts_j independent samples of `base` on one column, for a base drawn at once, (n,).

    The sum of frequencies; for random phases one word, since their product is one too; else the number of factors.
    Raises PlanError for more frequencies than can be drawn.
    """
    if isinstance(base, CategoryPhasesLaw):
        return stream.words("category", counts.shape)
    kernel = base.fourier_kernel()
    if kernel is None:
        return counts.astype(np.float64)
    drawn = kernel.draw_sums(stream, counts) if isinstance(kernel, Stationary) else None
    if drawn is not None:
        return np.asarray(drawn[:, 0])
    total = int(counts.sum())
    if total > MOST_DRAWS:
        raise PlanError(
            f"a batch of features has {total:,} base factors, but at most {MOST_DRAWS:,} frequencies of {kernel} can "
            "be drawn: use circle() or gaussian(), which are drawn at once"
        )
    if not total:
        return np.zeros(0)
    return np.asarray(np.add.reduceat(measure_of(kernel).sample(stream, total)[:, 0], np.cumsum(counts) - counts))


def multiply_factors(
    base: Law, positions: Sequence[int], node: NDArray[np.intp], values: NDArray[Any], starts: NDArray[np.intp]
) -> Samples:
    """Samples that are the products of the factors `values` from each of `starts` to the next.

    Each is on the column that its `node` has in `positions`. No run is empty. Frequencies of a column add up, in one
    sparse matrix for all samples; categories are mixed into one key, or their phases multiplied; signs are a product of
    columns.
    """
    whole, read = ones(np.arange(len(starts) - 1)), np.array(positions, dtype=np.intp)[node]
    if isinstance(base, MatchLaw):  # repeated factors of one category are one factor
        return replace(whole, keys=(RunKey(ChosenKey(read), starts),))
    if isinstance(base, CategoryPhasesLaw):
        return replace(whole, amplitudes=(AmplitudeRuns(CategoryPhases(values, ChosenKey(read)), starts),))
    unique, place = np.unique(np.array(positions, dtype=np.intp), return_inverse=True)
    columns, places = tuple(unique.tolist()), place[node]
    if base.fourier_kernel() is not None:
        frequencies = scipy.sparse.csr_array((values, places, starts), shape=(len(whole), len(columns)))
        frequencies.sum_duplicates()
        frequencies.eliminate_zeros()
        return replace(whole, phasors=Phasors.symmetric(columns, frequencies))
    odd = values % 2 == 1  # x² = 1
    kept = np.concatenate([[0], np.cumsum(odd)])[starts].astype(np.intp)
    one = np.ones(int(odd.sum()))
    forms = LinearForms(columns, kept, places[odd], np.full(len(one), -1), one, one)
    return replace(whole, amplitudes=(forms,))


_MOST_COMPARED = 64  # most sets of columns whose joint categories are keys


@dataclass(frozen=True)
class AdditiveLaw(KernelLaw, Derived):
    """p = ∏_{i∈S} p_i on a random set S of columns, p_i independent samples of `base`, each on its column.

    A is the average over all sets of the products of the A of their columns, and likewise B: elementary symmetric
    polynomials, as k is.
    """

    kernel: Additive

    def validate(self) -> None:
        super().validate()
        if self.base.dim not in (None, 1):
            raise ValueError(f"a law on {self.base.dim} columns is applied to every column of a set")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        order = self.kernel.order
        chosen = np.array(columns)[_sets(stream.uniform("set", (n, order)), len(columns))]
        factors = (
            [on_own_columns(batch, chosen[batch.index, i]) for batch in self.base.draw(stream.child(i), n, (0,))]
            for i in range(order)
        )
        return reduce(multiply, factors)

    def mean(self, pairs: Pairs) -> Value:
        own = (self.base.mean(pairs.select((i,))) for i in range(int(self.kernel.dim)))
        return self.kernel.average(own, 1) if self.base.cuts else self.value(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        own = (self.base.moments(pairs.select((i,))) for i in range(int(self.kernel.dim)))
        total = elementary_symmetric(own, self.kernel.order, Moments(1, 1, 1))
        assert total is not None
        return total.scaled(size_on(pairs, Fraction(1, self.kernel.n_sets)))

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        if not self.has_key:
            return super().compared(columns)
        own = self.base.compared((0,))
        if own != frozenset({(0,)}) or self.kernel.n_sets > _MOST_COMPARED:
            return None
        return frozenset(tuple(sorted(chosen)) for chosen in combinations(columns, self.kernel.order))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        first, *rest = self.base.lines((0,), ["each"])
        what = "one column" if self.kernel.order == 1 else f"a product over {self.kernel.order} columns"
        return [f"{what} at random of the columns {columns_shown(columns, names)}, of", *indented([first, *rest])]


def _sets(uniform: NDArray[np.float64], size: int) -> NDArray[np.intp]:
    """For every row of q numbers in [0, 1), a set of q of the numbers below `size`, in order: Floyd's algorithm."""
    order, chosen = uniform.shape[1], np.empty(uniform.shape, dtype=np.intp)
    for i in range(order):
        most = size - order + i
        own = np.minimum((uniform[:, i] * (most + 1)).astype(np.intp), most)
        is_taken = (chosen[:, :i] == own[:, None]).any(axis=1)
        chosen[:, i] = np.where(is_taken, most, own)
    return np.sort(chosen, axis=1)


own_law.register(Additive, lambda kernel, below: AdditiveLaw(below(kernel.base), kernel))
closed_to.register(Additive, lambda kernel: OF_SHARES)
