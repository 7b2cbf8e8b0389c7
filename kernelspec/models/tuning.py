"""Parameter values of a spec from a table and a target: marginal likelihood, or the error of rows left out."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from kernelspec.catalogue import FaultsNamed
from kernelspec.elaboration.data_columns import on_table
from kernelspec.elaboration.medians import NO_LENGTH
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DataError, NoCounterpartError, ParameterError, PlanError
from kernelspec.exchange.adjoints import PairsOnce, gradient
from kernelspec.exchange.to_sklearn import (
    Bounds,
    Hyperparameter,
    accepted_bounds,
    compiled,
    hyperparameters_of,
    proportional_waves,
    values_of,
)
from kernelspec.kernels.kernel import Kernel
from kernelspec.language.nodes import Param
from kernelspec.loading import caller_level
from kernelspec.models.exact import size_of
from kernelspec.models.given import Observations, Table, check_definite
from kernelspec.models.ridge import LEAST_GIVEN
from kernelspec.models.state import By, Task, numbers_or_indicators, weights_of
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.options import MapOptions
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.column_types import Missing
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["Tuned", "problems_of", "tune", "with_all_classes"]

Numbers = NDArray[np.float64]
_Scored = tuple[float, Callable[[], tuple[Numbers, float]]]
"""A loss, and a function for its slopes by the kernel matrix and by the noise."""

_ROWS = 800
"""Distinct rows used for tuning."""

_NOISE, _MOST_NOISE = (1e-6, 10.0), 1e4
"""The range of the noise variance, relative to the average of k(x, x), or to the smallest term; and its end where the
best is the largest.
"""

_SPREAD = 3.0
"""p of the prior: the logarithms of parameters move by N(μ, p²) from their start, with a free common μ."""

_STARTS = (1.0, 0.5, 0.25, 0.1, 3.0)
"""Initial multiples of all parameters."""

_FIRST_STEPS, _SECOND_STEPS, _STEPS, _ENOUGH = 6, 15, 60, 1e-6
"""Iterations from every start, from the two best ends, and from the better of these; the gain that ends them."""

_STEPS_OF_FREQUENCY, _PART_OF_CHANGE = 2.0 ** np.arange(-30, 31), 0.5
"""Steps between frequencies, in units of the first one; the step taken is half of the smallest that changes the kernel
matrix by this share of the largest change.
"""

_STEPS_OF_ROW, _PEAKS, _NOISE_OF_PEAKS = 3, 3, 0.3
"""Frequencies tried per row, those from which the search continues, and the noise with which they are compared."""

_NOISES = 13
"""Noise variances tried for given parameters, before one is refined."""

_FEW = 250
"""Distinct rows on which starts are compared."""

_DIFFERENCE = 1e-4
"""The step of differences, for parameters without a derivative."""

_FOLDS = 5
"""Parts of the rows in cross-validation."""

_OF_A_CLASS = 10
"""Rows of every class among those chosen, if it has as many."""


@dataclass(frozen=True)
class Change:
    """A parameter before and after, and the gain from its change alone: the loss with the old value, minus the loss.

    Gains are NaN if Ctrl-C came after the search.
    """

    name: str
    before: float
    after: float
    gain: float
    at_bound: bool


@dataclass(frozen=True)
class Tuned:
    """The result of `tune`: `str(result.spec)` is the complete text, with the values of the parameters.

    `is_interrupted` means that Ctrl-C ended the search, and these are the best values so far. `score` is the log
    likelihood, or minus the root mean square error of rows left out in units of the target's standard deviation, on the
    rows used for tuning; `score_before` is the same for the original spec, and `linear_score` for a linear model.
    `noise` is the noise variance relative to k.
    """

    spec: Spec
    by: By
    score: float
    score_before: float
    linear_score: float
    noise: float
    changes: tuple[Change, ...]
    n_rows: int
    is_interrupted: bool = False

    def __str__(self) -> str:
        """The changes as a table, and the scores."""
        width = max((len(change.name) for change in self.changes), default=9)
        lines = [f"{'parameter':<{width}}  before     after      gain"]
        for own in self.changes:
            bound = "  at a bound" if own.at_bound else ""
            lines.append(f"{own.name:<{width}}  {own.before:<9.4g}  {own.after:<9.4g}  {own.gain:.3g}{bound}")
        name = {"loo": "-leave-one-out error", "cv": "-cross-validation error"}.get(self.by, "log likelihood")
        lines.append(
            f"{name} on {self.n_rows} rows: {self.score_before:.4g} before, {self.score:.4g} after; "
            f"a linear model has {self.linear_score:.4g}"
        )
        if self.is_interrupted:
            lines.append("interrupted: these are the best values so far")
        return "\n".join(lines)


@FaultsNamed()
def tune(
    spec: Spec | str,
    X: Any,
    y: Any,
    *,
    by: By | Literal["auto"] = "auto",
    fixed: Sequence[str] = (),
    bounds: Mapping[str, Bounds] | None = None,
    sample_weight: Any = None,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "category",
    seed: int = 0,
    task: Task = "auto",
) -> Tuned:
    """Fit the parameters of a spec to a table X (n, d) and a target y.

    `by="likelihood"` maximizes the marginal likelihood of a Gaussian process, `by="loo"` minimizes the squared
    leave-one-out error, `by="cv"` that of five random parts of the rows, each predicted by the others; "auto" uses the
    likelihood for numbers and leave-one-out for classes (text, or `bool`; of numbers with `task="classes"`), which
    become indicators. `by="median"` sets every length parameter to the median distance, and leaves the others, with
    a warning for a length that has several medians, or one that is 0 or outside its bounds; numbers in a written
    list are none, but a vector, as in param s[d], is. At most 800 distinct rows are used; equal rows are merged,
    and copies, which also have equal targets, count as one observation with less noise. Intercept, amplitude and
    noise are fitted too; of numbers, a term v*noise() is the noise, relative to the kernel, and v may be a
    parameter. Parameters in `fixed` keep their values; `bounds` are (low, high) by name. A parameter without a
    value starts at the median distance if it is a length, else at 1. Logarithms of the parameters have a prior:
    they move by N(μ, 3²) from their start, with a common μ. Many values of a period, or of a frequency as in
    cosine(by=w), are tried, since each has many local optima. Ctrl-C ends the search and returns the best values so
    far. Slopes by parameters without a derivative, such as nu of matern(), are differences.

    Raises SpecError; DataError, also for a column of a data frame that equals y; ParameterError for unknown names and
    bounds that do not contain the start; PlanError if the kernel of the best values is not positive definite.
    """
    rest = fixed, bounds or {}, sample_weight, columns, text, missing, seed
    started, (most, few) = problems_of(spec, X, y, by, *rest, task=task)
    Table.of(X, columns).refuse_target(most.layout, y)
    with single_threaded():  # the matrices are small: more threads wait for each other
        found = original = most.solved(few)
        if most.by == "median":  # where the search starts
            original = replace(problems_of(spec, X, y, "auto", *rest, task=task)[1][0], by="median").search
        try:
            tuned = most.described(started, found, original)
        except KeyboardInterrupt:
            found.is_interrupted = True
            tuned = most.described(started, found, original, with_gains=False)
    try:
        check_definite(tuned.spec, on_table(tuned.spec, most.columns)[0].kernel, most.columns)
    except PlanError as error:
        values = ", ".join(f"{own.name} = {own.after}" for own in tuned.changes)
        raise PlanError(
            f"the best values found, {values}, give a kernel that is not positive definite: limit a parameter, as in "
            "param w = 0.3 in [0, 0.4]"
        ) from error
    return tuned


def problems_of(
    spec: Spec | str,
    X: Any,
    y: Any,
    by: By | Literal["auto"],
    fixed: Sequence[str] = (),
    bounds: Mapping[str, Bounds] = MappingProxyType({}),
    sample_weight: Any = None,
    columns: Sequence[str] | None = None,
    text: Sequence[str | int] = (),
    missing: Missing = "category",
    seed: int = 0,
    rows: Sequence[int] = (_ROWS, _FEW),
    *,
    task: Task = "auto",
    has_small_terms: bool = True,
) -> tuple[Spec, list[Problem]]:
    """The spec with a value for every parameter, and the objectives of `tune` on these numbers of distinct rows.

    With `has_small_terms` the noise may be as small as those need; `suggest` scales all columns, and a term that its
    tuning made small is none.
    """
    spec = as_spec(spec)
    if by not in ("auto", *get_args(By)):
        raise PlanError(f"by must be 'auto', 'likelihood', 'loo', 'cv' or 'median', not {by!r}")
    MapOptions(seed=seed)  # raises PlanError for an invalid seed
    if not isinstance(bounds, Mapping):
        raise ParameterError(f"bounds must be a mapping from names to (low, high), not {bounds!r:.60}")
    fixed = (fixed,) if isinstance(fixed, str) else fixed
    weigh = partial(weights_of, sample_weight)
    table, (targets, is_classes) = Table.of(X, columns, text, missing, weigh), numbers_or_indicators(y, task)
    if not is_classes:
        same: Sequence[int] = np.flatnonzero((targets == targets[:1]).all(axis=0)).tolist() if len(targets) else []
        if len(same) and (by not in ("loo", "cv") or len(same) == targets.shape[1]):
            which = f" {same[0]}" if targets.shape[1] > 1 else ""
            raise DataError(f"the target{which} is constant: it is {targets[0, same[0]] + 0.0:g} in all rows")
    way: By = ("loo" if is_classes else "likelihood") if by == "auto" else by
    started = _started(table.fitted(spec), table, fixed, sets_medians=way == "median")
    read = table.under(started)
    parameters = hyperparameters_of(read.spec, {**bounds, **dict.fromkeys(fixed, "fixed")})
    kernel, numbers, moving, noise_at = compiled(read.spec, parameters, read.columns)
    # functions of the columns may change with the parameters
    inputs = read.rows if moving is None else read.layout.read(table.data, mapped=False)
    observations = Observations.of(inputs, targets, weights_of(sample_weight, len(inputs)))
    observations.check_two()
    if len(observations.rows) < 2:
        raise DataError("all rows are equal in the columns that the spec reads: no parameter can be tuned")
    has_noise = read.noise is not None and not is_classes  # models of classes ignore it
    share = size_of(read.kernel, read.rows).smallest_share if has_small_terms else 1.0
    parameters = accepted_bounds(read.spec, parameters)
    problems = []
    for own in (_some(observations, count, seed) for count in rows):
        inputs = own.rows
        own = own if moving is None else replace(own, rows=read.layout.map_rows(inputs))  # noqa: PLW2901
        parts = own, inputs, parameters, kernel, numbers, moving, way, read.columns, read.layout
        problems.append(Problem(*parts, noise_at if has_noise else None, share))
    return started, problems


def _started(spec: Spec, table: Table, fixed: Sequence[str], *, sets_medians: bool) -> Spec:
    """The spec with a value for every parameter."""
    unknown = [name for name in fixed if name not in spec.params]
    if unknown:
        raise ParameterError(f"fixed names '{unknown[0]}', but the spec has {list(spec.params) or 'no parameters'}")
    formulas = {line.name for line in spec.program.statements if isinstance(line, Param) and line.default is not None}
    without = [name for name, value in spec.params.items() if value is None and name not in {*formulas, *fixed}]
    given = [name for name, value in spec.params.items() if value is not None and name not in fixed]
    free = [*without, *given] if sets_medians else without
    found = spec.with_params(dict.fromkeys(without, 1))
    lengths = found.lengths(table.columns_of(found))
    values = found.params
    constant = {name: [values[name]] * n for name, (n, _) in lengths.items() if isinstance(values[name], float)}
    found = found.with_params(constant)
    for name in free:
        try:
            found = table.with_medians(found, [name])
        except ParameterError as error:
            if sets_medians and NO_LENGTH not in error.message:
                kept = f"by='median' keeps {name} = {found.params[name]}: {error.message}"
                warnings.warn(kept, UserWarning, stacklevel=caller_level())
    return found


def _some(observations: Observations, count: int, seed: int) -> Observations:
    """Observations on at most `count` random distinct rows."""
    n = len(observations.rows)
    if n <= count:
        return observations
    of_row = np.zeros((n, observations.targets.shape[1]))
    of_row[observations.place] = observations.targets
    chosen = np.sort(with_all_classes(np.random.default_rng(seed).permutation(n), of_row, count)[:count])
    place = np.full(n, -1)
    place[chosen] = np.arange(count)
    kept = place[observations.place] >= 0
    own = observations
    return Observations(own.rows.take(chosen), place[own.place[kept]], own.targets[kept], own.weights[kept])


def with_all_classes(order: NDArray[np.intp], targets: Numbers, count: int) -> NDArray[np.intp]:
    """The order with some rows of each class first, for indicators (n, T), so that `count` rows have all of them; for
    one target (n, 1), with some rows whose number is the most frequent one, and others.
    """
    if targets.shape[1] == 1:
        values, counts = np.unique(targets, return_counts=True)
        is_most = targets[:, 0] == values[np.argmax(counts)]
        indicators = np.stack([is_most, ~is_most], axis=1)
    elif np.isin(targets, (0.0, 1.0)).all():
        indicators = targets > 0
    else:
        return order
    each = max(1, min(_OF_A_CLASS, count // (2 * indicators.shape[1])))
    indicators = indicators[order]
    first = (indicators & (np.cumsum(indicators, axis=0) <= each)).any(axis=1)
    return np.concatenate([order[first], order[~first]])


@dataclass(frozen=True, eq=False)
class Problem:
    """The objective: a function of the logarithm of the noise and the coordinates of the parameters."""

    observations: Observations
    inputs: Rows
    """The distinct rows, before functions of the columns are applied, if these depend on parameters."""
    parameters: tuple[Hyperparameter, ...]
    kernel: Kernel
    """In symbols."""
    numbers: Callable[[Sequence[float]], Any]
    """A function from values to the numbers of the kernel."""
    moving: Any
    """The functions of columns that depend on parameters; None without any."""
    by: By
    columns: Columns
    layout: Layout
    variance: Callable[..., list[float]] | None = None
    """A function from values to the variance of v*noise() and its derivatives; None without that term: then the noise
    is fitted.
    """
    smallest_share: float = 1.0
    """That of the smallest term of the kernel, which needs as much less noise."""
    counted: dict[tuple[int, ...], Numbers] = field(default_factory=dict)
    """Counts of equal categories, which parameters do not change."""

    @cached_property
    def weights(self) -> Numbers:
        """Σ w of each distinct row."""
        return self.observations.totals

    @cached_property
    def means(self) -> Numbers:
        """Targets less their mean, (u, T)."""
        return self.observations.means - self.observations.center

    @cached_property
    def within(self) -> Numbers:
        return self.observations.within

    @cached_property
    def copies(self) -> Numbers:
        """Σ w of what counts in the likelihood: copies, equal in row and target, would make it unbounded."""
        return self.observations.weights_of_copies

    @property
    def noises(self) -> tuple[float, float]:
        """The range of the noise variance, relative to the average of k(x, x)."""
        return _NOISE[0] * self.smallest_share, _MOST_NOISE

    @property
    def search(self) -> Search:
        """A search from the values that the parameters have."""
        start = np.array([own.coordinate for own in self.parameters])
        return Search(self, start, np.concatenate([[self._best_noise(start)], start]))

    def solved(self, few: Problem) -> Search:
        """The best of several starts, which are compared on the rows of `few`; Ctrl-C ends the search."""
        found = self.search
        start = found.start
        if self.by == "median" or not self.parameters:
            return found
        logarithmic = np.array([own.is_logarithmic for own in self.parameters])
        ends: list[Search] = []
        try:
            for factor in _STARTS:
                moved = np.clip(start + math.log(factor) * logarithmic, *found.limits[1:].T)
                first = np.concatenate([[few._best_noise(moved)], moved])
                ends.append(Search(few, start, first).descended(_FIRST_STEPS))
            place = start
            for i, exponent in proportional_waves(few.kernel, few.parameters):
                if logarithmic[i]:
                    ends += few._from_peaks(i, exponent, place, start)
                    place = min(ends, key=lambda end: end.loss).place[1:]
            for likely in sorted(ends, key=lambda end: end.loss)[:2]:
                likely.descended(_SECOND_STEPS)
            found.try_place(min(ends, key=lambda end: end.loss).place)  # few rows may mislead: the start may be better
            found.descended(_STEPS)
        except KeyboardInterrupt:
            found.is_interrupted = True
            if ends and not found.has_moved:
                found.try_place(min(ends, key=lambda end: end.loss).place)
        return found

    def _from_peaks(self, i: int, exponent: int, base: Numbers, start: Numbers) -> list[Search]:
        """Searches from the best of many values of a parameter, to whose power ±1 a frequency is proportional.

        The loss has about one local minimum for every wave that fits between the rows, and slopes lead to the next one.
        """
        low, high = self.parameters[i].coordinate_bounds

        def moved(frequency: float) -> Numbers:
            """The place with a multiple of the frequency."""
            place = base.copy()
            place[i] += math.log(frequency) / exponent
            return place

        first, others = self._relative(base), map(self._relative, map(moved, 1 + _STEPS_OF_FREQUENCY))
        if first is None:
            return []
        changes = np.array([0.0 if own is None else np.linalg.norm(own[0] - first[0]) for own in others])
        if not changes.any():
            return []
        step = _STEPS_OF_FREQUENCY[changes >= _PART_OF_CHANGE * changes.max()].min() / 2
        places = [moved(n * step) for n in range(1, _STEPS_OF_ROW * len(self.means) + 1)]
        places = [place for place in places if low <= place[i] <= high]
        losses = np.array([self.value(np.concatenate([[math.log(_NOISE_OF_PEAKS)], place])) for place in places])
        sides = np.concatenate([[math.inf], losses, [math.inf]])
        best = np.flatnonzero((losses <= sides[:-2]) & (losses < sides[2:]))
        firsts = [places[k] for k in best[np.argsort(losses[best])][:_PEAKS]]
        noises = [self._best_noise(place) for place in firsts]
        starts = [np.concatenate([[noise], place]) for noise, place in zip(noises, firsts, strict=True)]
        return [Search(self, start, own).descended(_SECOND_STEPS) for own in starts]

    def _best_noise(self, coordinates: Numbers) -> float:
        """The logarithm of the best noise for the parameters, which share one kernel matrix."""
        from scipy.optimize import minimize_scalar

        relative = self._relative(coordinates)
        if relative is None or self.variance is not None:
            return math.log(0.1)

        def loss(noise: float) -> float:
            found = self._scored(relative[0], math.exp(noise))
            return math.inf if found is None else found[0]

        low, high = math.log(self.noises[0]), math.log(_NOISE[1])
        tried = np.linspace(low, high, round(_NOISES * (high - low) / math.log(_NOISE[1] / _NOISE[0])))
        losses = [loss(noise) for noise in tried]
        while losses[-1] < min(losses[:-1]) and tried[-1] < math.log(_MOST_NOISE):
            tried = np.append(tried, min(2 * tried[-1] - tried[-2], math.log(_MOST_NOISE)))
            losses.append(loss(tried[-1]))
        best = int(np.argmin(losses))
        ends = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
        return float(minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 0.05}).x)

    def _penalized(self, place: Numbers, start: Numbers) -> tuple[float, Numbers]:
        """The loss and its gradient, including the prior of the coordinates; a very large value if it is undefined."""
        loss, slope = self.loss(place)
        moved = place[1:] - start
        logarithmic = np.array([own.is_logarithmic for own in self.parameters], dtype=bool)
        if logarithmic.any():
            centred = np.where(logarithmic, moved - moved[logarithmic].mean(), 0.0)
            loss += float(centred @ centred) / (2 * _SPREAD**2)
            slope = slope + np.concatenate([[0.0], centred / _SPREAD**2])
        return (loss, slope) if np.isfinite(loss) and np.isfinite(slope).all() else (1e25, np.zeros_like(place))

    def _relative(self, coordinates: Numbers) -> tuple[Numbers, float, PairsOnce, Any, Sequence[Any]] | None:
        """K divided by its average diagonal, that average, and the pairs of rows, numbers and derivatives of rows that
        K comes from; None if it is not finite.
        """
        with np.errstate(all="ignore"):
            values, rows, changes = self._values(coordinates), self.observations.rows, ()
            if self.moving is not None:
                rows, changes = self.moving.at(values, self.inputs, rows)
            pairs = PairsOnce(rows, rows, counted=self.counted if self.moving is None else None)
            numbers = self.numbers(values)
            gram = np.broadcast_to(np.asarray(numbers.numeric(self.kernel).value(pairs), dtype=float), pairs.shape)
            size = float(np.mean(np.diagonal(gram)))
        return (gram / size, size, pairs, numbers, changes) if np.isfinite(gram).all() and size > 0 else None

    def _values(self, coordinates: Numbers) -> list[float]:
        pairs = zip(self.parameters, coordinates, strict=True)
        return [own.within(math.exp(x) if own.is_logarithmic else x) for own, x in pairs]

    def _noise(self, place: Numbers, size: float) -> tuple[float, list[float] | None]:
        """λ, relative to the average k(x, x), and the derivatives of v*noise() by the parameters, if there is that."""
        if self.variance is None:
            return math.exp(place[0]), None
        variance, *slopes = self.variance(*self._values(place[1:]))
        return max(variance / size, LEAST_GIVEN * self.smallest_share), slopes

    def noise(self, place: Numbers) -> float:
        """λ at a place."""
        relative = self._relative(place[1:])
        return math.nan if relative is None else self._noise(place, relative[1])[0]

    def value(self, place: Numbers) -> float:
        """−log likelihood, or n/2 log of the mean squared error of rows left out."""
        relative = self._relative(place[1:])
        found = None if relative is None else self._scored(relative[0], self._noise(place, relative[1])[0])
        return math.inf if found is None else found[0]

    def loss(self, place: Numbers) -> tuple[float, Numbers]:
        """The same and its gradient."""
        relative = self._relative(place[1:])
        if relative is None:
            return math.inf, np.zeros_like(place)
        gram, size, pairs, numbers, changes = relative
        noise, of_variance = self._noise(place, size)
        with np.errstate(all="ignore"):
            found = self._scored(gram, noise)
            if found is None:
                return math.inf, np.zeros_like(place)
            loss, slope_of = found
            adjoint, by_noise = slope_of()
            # the amplitude is free, so the kernel, and a noise of its own, are divided by its average diagonal
            own, by_scale = adjoint / size, float(np.vdot(adjoint, gram))
            if of_variance is not None:
                by_scale += by_noise * noise
            own[np.diag_indices_from(own)] -= by_scale / size / len(gram)
            try:
                slopes = list(gradient(self.kernel, pairs, numbers, own, changes))
            except NoCounterpartError:  # a parameter without a derivative, such as nu of matern()
                return loss, self._differences(place)
        if of_variance is not None:
            slopes = [slope + by_noise / size * other for slope, other in zip(slopes, of_variance, strict=True)]
            by_noise = 0.0
        scaled = [
            slope * (parameter.within(math.exp(x)) if parameter.is_logarithmic else 1.0)
            for parameter, x, slope in zip(self.parameters, place[1:], slopes, strict=True)
        ]
        return loss, np.array([by_noise * noise, *scaled])

    def _differences(self, place: Numbers) -> Numbers:
        """The gradient by central differences."""
        steps = _DIFFERENCE * np.eye(len(place))
        return np.array([self.value(place + step) - self.value(place - step) for step in steps]) / (2 * _DIFFERENCE)

    def _scored(self, gram: Numbers, noise: float) -> _Scored | None:
        """By the factor of K + λW⁻¹; None if it is singular."""
        from scipy.linalg.lapack import dpotrf

        matrix = np.array(gram.T, order="F")
        matrix[np.diag_indices_from(matrix)] += noise / self.weights
        lower, fault = dpotrf(matrix, lower=True, overwrite_a=True)
        factor = None if fault else _Factor(lower)
        if factor is None or not factor.total > 0:
            return None
        if self.by in ("loo", "cv"):
            return (self._leave_one_out if self.by == "loo" else self._cross_validation)(factor)
        return self._likelihood(factor, noise)

    def _likelihood(self, factor: _Factor, noise: float) -> _Scored:
        """The restricted likelihood with the best amplitude of each target, summed over the targets.

        Copies of an observation count as one with less noise.
        """
        n, (u, n_targets) = len(self.copies), self.means.shape
        dual = factor.projected(self.means)
        quadratic = (self.means * dual).sum(axis=0) + self.within / noise
        degrees = n - 1
        of_weights = float(np.log(self.weights).sum() - np.log(self.copies).sum())
        rest = factor.determinant + math.log(factor.total) + (n - u) * math.log(noise) + of_weights
        loss = (degrees * (np.log(2 * np.pi * quadratic / degrees) + 1).sum() + n_targets * rest) / 2

        def slopes() -> tuple[Numbers, float]:
            adjoint = (n_targets * factor.projection() - (dual * (degrees / quadratic)) @ dual.T) / 2
            by_noise = float(np.diagonal(adjoint) @ (1 / self.weights)) + n_targets * (n - u) / noise / 2
            return adjoint, by_noise - float((degrees * self.within / quadratic).sum()) / noise**2 / 2

        return float(loss), slopes

    def _leave_one_out(self, factor: _Factor) -> _Scored:
        """n/2 log S, S the sum of squared errors of the distinct rows left out, each with all of its observations."""
        diagonal, dual = factor.diagonal, factor.projected(self.means)
        errors = dual / diagonal[:, None]
        weighted = self.weights[:, None] * errors
        total, n = float((weighted * errors).sum()), float(self.weights.sum())

        def slopes() -> tuple[Numbers, float]:
            projected = factor.projection()
            outer = (projected @ (weighted / diagonal[:, None])) @ dual.T
            root = projected * np.sqrt((weighted * dual).sum(axis=1) / np.square(diagonal))
            adjoint = n / (2 * total) * (2 * (root @ root.T) - outer - outer.T)  # BLAS makes one triangle of R R'
            return adjoint, float(np.diagonal(adjoint) @ (1 / self.weights))

        return n / 2 * math.log(total / n), slopes

    def _cross_validation(self, factor: _Factor) -> _Scored:
        """n/2 log S, S the sum of squared errors e_B = P_BB⁻¹(Py)_B of the distinct rows of each part B left out."""
        projected, dual = factor.projection(), factor.projected(self.means)
        errors, moved = np.empty_like(dual), np.empty_like(dual)
        for part in self._folds:
            block = projected[np.ix_(part, part)]
            errors[part] = np.linalg.solve(block, dual[part])
            moved[part] = np.linalg.solve(block, self.weights[part, None] * errors[part])
        weighted = self.weights[:, None] * errors
        total, n = float((weighted * errors).sum()), float(self.weights.sum())

        def slopes() -> tuple[Numbers, float]:
            outer = -(dual @ moved.T) @ projected
            for part in self._folds:
                columns = projected[:, part]
                outer += (columns @ errors[part]) @ (columns @ moved[part]).T
            adjoint = n / (2 * total) * (outer + outer.T)
            return adjoint, float(np.diagonal(adjoint) @ (1 / self.weights))

        return n / 2 * math.log(total / n), slopes

    @cached_property
    def _folds(self) -> list[NDArray[np.intp]]:
        """The numbers of the distinct rows in each random part."""
        n = len(self.means)
        return list(np.array_split(np.random.default_rng(0).permutation(n), min(_FOLDS, n)))

    def _score(self, loss: float) -> float:
        if self.by in ("loo", "cv"):
            n, spread = float(self.weights.sum()), self._spread
            return -math.sqrt(math.exp(2 * loss / n) / spread) if spread else 0.0
        return -loss

    @property
    def _spread(self) -> float:
        """Σ over the targets of their variances."""
        mean = self.weights @ self.means / self.weights.sum()
        return float((self.weights @ np.square(self.means - mean)).sum() / self.weights.sum())

    def _linear(self) -> float:
        """The score of a linear model on the columns of numbers."""
        rows = self.observations.rows.dense()
        mean = self.weights @ rows / self.weights.sum()
        spread = np.sqrt(self.weights @ np.square(rows - mean) / self.weights.sum())
        scaled = (rows - mean) / np.where(spread > 0, spread, 1.0)
        gram = scaled @ scaled.T
        gram /= max(float(np.mean(np.diagonal(gram))), 1e-300)
        losses = []
        for noise in np.geomspace(*_NOISE, 15):
            found = self._scored(gram, float(noise))
            losses.append(math.inf if found is None else found[0])
        return self._score(min(losses))

    def described(self, spec: Spec, found: Search, original: Search, *, with_gains: bool = True) -> Tuned:
        """The result of a search, parameter by parameter, beside the values of the original spec."""
        loss, changes = self.value(found.place), []
        for i, (own, value) in enumerate(zip(original.problem.parameters, found.values, strict=True), 1):
            other = found.place.copy()
            other[i] = original.start[i - 1]
            if self.by == "median":  # the noise is that of the medians, and other values need another
                other[0] = self._best_noise(other[1:])
            low, high = found.limits[i]
            at_bound = bool(min(found.place[i] - low, high - found.place[i]) < 1e-6 * max(1.0, abs(found.place[i])))
            gain = self.value(other) - loss if with_gains else math.nan
            changes.append(Change(own.name, own.value, value, gain, at_bound))
        return Tuned(
            found.spec(spec),
            self.by,
            self._score(loss),
            self._score(original.problem.value(original.before)),
            self._linear(),
            self.noise(found.place),
            tuple(changes),
            len(self.observations.rows),
            found.is_interrupted,
        )


@dataclass(frozen=True, eq=False)
class _Factor:
    """L of A = LL', and P = A⁻¹ − aa'/1'a with a = A⁻¹1, which projects constants out.

    A loss needs P on the targets and its diagonal at most; P itself, for slopes, takes as long again.
    """

    lower: Numbers

    @cached_property
    def _root(self) -> Numbers:
        """L⁻¹."""
        from scipy.linalg.lapack import dtrtri

        return np.asarray(dtrtri(self.lower, lower=True)[0])

    def _solved(self, right: Numbers) -> Numbers:
        """A⁻¹B."""
        from scipy.linalg.lapack import dpotrs

        return np.asarray(dpotrs(self.lower, right, lower=True)[0])

    @cached_property
    def _ones(self) -> Numbers:
        """a."""
        return self._solved(np.ones(len(self.lower)))

    @property
    def total(self) -> float:
        """1'A⁻¹1."""
        return float(self._ones.sum())

    @property
    def determinant(self) -> float:
        """log det A."""
        return 2 * float(np.log(np.diagonal(self.lower)).sum())

    @cached_property
    def diagonal(self) -> Numbers:
        """Of P."""
        root = self._root
        return np.asarray(np.einsum("ij,ij->j", root, root) - np.square(self._ones) / self.total)

    def projected(self, right: Numbers) -> Numbers:
        """PB for B of any number of columns."""
        return np.asarray(self._solved(right) - np.outer(self._ones, self._ones @ right) / self.total)

    def projection(self) -> Numbers:
        """P."""
        from scipy.linalg.blas import dger
        from scipy.linalg.lapack import dlauum

        inverse = dlauum(self._root, lower=True)[0]
        _mirror(inverse)
        return np.asarray(dger(-1.0 / self.total, self._ones, self._ones, a=inverse, overwrite_a=True))


def _mirror(matrix: Numbers) -> None:
    """Copy the lower triangle to the upper one, in place and in blocks that stay in the cache."""
    n, size = len(matrix), 64
    for start in range(0, n, size):
        stop = min(start + size, n)
        block = matrix[start:stop, start:stop]
        block[...] = np.tril(block) + np.tril(block, -1).T
        matrix[start:stop, stop:] = matrix[stop:, start:stop].T


@dataclass(eq=False)
class Search:
    """The best place tried, with its penalized loss; places are logarithms of the noise, then coordinates."""

    problem: Problem
    start: Numbers
    """Coordinates at the center of the prior."""
    before: Numbers
    place: Numbers = field(init=False)
    loss: float = field(init=False)
    is_interrupted: bool = False

    def __post_init__(self) -> None:
        self.place, self.loss = self.before, self.problem._penalized(self.before, self.start)[0]

    @property
    def has_moved(self) -> bool:
        """Whether a better place than the first was found."""
        return self.place is not self.before

    @property
    def limits(self) -> Numbers:
        """Smallest and largest coordinates, (1 + p, 2)."""
        return np.array([np.log(self.problem.noises), *(own.coordinate_bounds for own in self.problem.parameters)])

    def try_place(self, place: Numbers) -> tuple[float, Numbers]:
        """The penalized loss and its gradient at a place, which is kept if it is the best."""
        loss, slope = self.problem._penalized(place, self.start)
        if loss < self.loss:
            self.place, self.loss = np.array(place), loss
        return loss, slope

    def descended(self, steps: int) -> Self:
        """The search after L-BFGS-B from the best place."""
        from scipy.optimize import minimize

        minimize(
            self.try_place,
            self.place,
            jac=True,
            method="L-BFGS-B",
            bounds=[(float(low), float(high)) for low, high in self.limits],
            options={"maxiter": steps, "ftol": _ENOUGH, "gtol": 1e-3},
        )
        return self

    @property
    def values(self) -> list[float]:
        """The parameters at the best place, to four digits."""
        pairs = zip(self.problem.parameters, self.place[1:], strict=True)
        return [own.within(float(f"{math.exp(x) if own.is_logarithmic else x:.4g}")) for own, x in pairs]

    def spec(self, spec: Spec) -> Spec:
        """The spec with these values."""
        return spec.with_params(values_of(self.problem.parameters, self.values))
