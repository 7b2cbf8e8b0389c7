"""Values for the parameters of a spec from a table and a target: marginal likelihood or leave-one-out error."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.valued_program import MEDIAN
from kernelspec.errors import ParameterError, PlanError
from kernelspec.exchange.adjoints import gradient
from kernelspec.exchange.to_sklearn import Bounds, Hyperparameter, compiled_kernel, hyperparameters_of
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.models.given import Observations, Table
from kernelspec.models.state import classes_of, targets_of, weights_of
from kernelspec.numerics.threads import single_threaded
from kernelspec.spec import Spec, as_spec

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.tables.column_types import Missing

__all__ = ["By", "Change", "Problem", "Tuned", "tune"]

Numbers = NDArray[np.float64]
By = Literal["likelihood", "loo", "median"]

_ROWS = 800
"""Distinct rows that parameters are tuned on."""

_NOISE = (1e-6, 10.0)
"""The range of the noise variance, relative to the mean of k(x, x)."""

_SPREAD = 3.0
"""p of the prior: the logarithms of parameters move by N(μ, p²) from their start, μ common to all and free."""

_STARTS = (1.0, 0.5, 0.25, 0.1, 3.0)
"""What all parameters are multiplied by at the start; the best end counts."""

_STEPS, _ENOUGH = 60, 1e-6
"""Iterations, at most, and the relative gain that ends them."""

_FEW = 250
"""Distinct rows on which starts are compared."""


@dataclass(frozen=True)
class Change:
    """A parameter before and after, and what its change alone is worth: the loss with the old value, less the loss."""

    name: str
    before: float
    after: float
    gain: float
    at_bound: bool


@dataclass(frozen=True)
class Tuned:
    """What `tune` found: `str(result.spec)` is the complete text, with the values of the parameters.

    `score` is the log likelihood, or minus the root mean square leave-one-out error in units of the target's standard
    deviation, on the rows that were tuned on; `score_before` the same of the spec as it was given, and
    `linear_score` of a linear model. `noise` is the noise variance relative to k.
    """

    spec: Spec
    by: By
    score: float
    score_before: float
    linear_score: float
    noise: float
    changes: tuple[Change, ...]
    n_rows: int

    def __str__(self) -> str:
        """The changes as a table, and the scores."""
        width = max((len(change.name) for change in self.changes), default=9)
        lines = [f"{'parameter':<{width}}  before     after      gain"]
        for own in self.changes:
            bound = "  at a bound" if own.at_bound else ""
            lines.append(f"{own.name:<{width}}  {own.before:<9.4g}  {own.after:<9.4g}  {own.gain:.3g}{bound}")
        name = "log likelihood" if self.by == "likelihood" else "-leave-one-out error"
        lines.append(
            f"{name} on {self.n_rows} rows: {self.score_before:.4g} before, {self.score:.4g} after; "
            f"a linear model has {self.linear_score:.4g}"
        )
        return "\n".join(lines)


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
    missing: Missing = "refuse",
    seed: int = 0,
) -> Tuned:
    """Values for the parameters of a spec that suit a table X (n, d) and a target y.

    `by="likelihood"` maximises the marginal likelihood of a Gaussian process, `by="loo"` minimises the squared
    leave-one-out error; "auto" is the likelihood for numbers and leave-one-out for classes (text, or `bool`), which are
    turned into indicators. `by="median"` sets every parameter that is a length to the median distance, and leaves the
    others. At most 800 distinct rows are used; equal rows are merged. Intercept, amplitude and noise are fitted along.
    Parameters in `fixed` keep their values; `bounds` are (low, high) by name. A parameter without a value starts at the
    median distance, if it is a length, else at 1. Logarithms of the parameters have a prior: they move by N(μ, 3²)
    from where they start, with a common μ.

    Raises SpecError, DataError, and ParameterError for unknown names and bounds that do not hold the start.
    """
    spec = as_spec(spec)
    if by not in ("auto", "likelihood", "loo", "median"):
        raise PlanError(f"by must be 'auto', 'likelihood', 'loo' or 'median', not {by!r}")
    table = Table.of(X, columns)
    is_classes = np.asarray(y).dtype.kind not in "fiu"
    if is_classes:
        classes, codes = classes_of(y)
        targets = np.eye(len(classes))[codes]
    else:
        targets = targets_of(y)
        targets = targets[:, None] if targets.ndim == 1 else targets
    way: By = ("loo" if is_classes else "likelihood") if by == "auto" else by
    started = _started(spec, table, columns, text, missing, medians=way == "median", fixed=fixed)
    read = table.under(started, columns, text, missing)
    observations = Observations.of(read.rows, targets, weights_of(sample_weight, len(read.rows)))
    limits: dict[str, Bounds] = {**(bounds or {}), **dict.fromkeys(fixed, "fixed")}
    with single_threaded():  # the matrices are small: more threads wait for each other
        most, few = (
            Problem.of(read.smooth, read.columns, _some(observations, count, seed), way, limits)
            for count in (_ROWS, _FEW)
        )
        return most.solved(started, few)


def _started(
    spec: Spec,
    table: Table,
    columns: Sequence[str] | None,
    text: Sequence[str | int],
    missing: Missing,
    *,
    medians: bool,
    fixed: Sequence[str],
) -> Spec:
    """The spec with a value for every parameter."""
    unknown = [name for name in fixed if name not in spec.params]
    if unknown:
        raise ParameterError(f"fixed names '{unknown[0]}', but the spec has {list(spec.params) or 'no parameters'}")
    free = [name for name, value in spec.params.items() if (value is None or medians) and name not in fixed]
    found = spec.with_params({name: 1 for name in free if spec.params[name] is None})
    for name in free:
        try:
            found = found.with_params({name: MEDIAN}, data=table.data, columns=columns, text=text, missing=missing)
        except ParameterError:  # not a length
            continue
    return found


def _some(observations: Observations, count: int, seed: int) -> Observations:
    """Observations on at most `count` distinct rows, drawn at random."""
    n = len(observations.rows)
    if n <= count:
        return observations
    chosen = np.sort(np.random.default_rng(seed).permutation(n)[:count])
    place = np.full(n, -1)
    place[chosen] = np.arange(count)
    kept = place[observations.place] >= 0
    own = observations
    return Observations(own.rows.take(chosen), place[own.place[kept]], own.targets[kept], own.weights[kept])


@dataclass(frozen=True, eq=False)
class Problem:
    """What is minimised: a function of the logarithm of the noise and the coordinates of the parameters."""

    observations: Observations
    parameters: tuple[Hyperparameter, ...]
    matrix: Callable[[Sequence[float]], tuple[Any, NumericPairs, Any]]
    """From values to the symbolic kernel, the pairs of rows, and the numbers of the tree."""
    by: By
    weights: Numbers
    means: Numbers
    within: Numbers

    @classmethod
    def of(
        cls, spec: Spec, columns: Columns, observations: Observations, by: By, bounds: Mapping[str, Bounds]
    ) -> Problem:
        """The problem of a spec on observations. Raises ParameterError."""
        parameters = tuple(hyperparameters_of(spec, bounds))
        kernel, numbers = compiled_kernel(spec, list(parameters), columns)
        pairs = NumericPairs(observations.rows, observations.rows)

        def matrix(values: Sequence[float]) -> tuple[Any, NumericPairs, Any]:
            return kernel, pairs, numbers(values)

        return cls(observations, parameters, matrix, by, observations.totals, observations.means, observations.within)

    def solved(self, spec: Spec, few: Problem) -> Tuned:
        """The end of the best of several starts, which are compared on `few` of the rows."""
        start = np.array([own.coordinate for own in self.parameters])
        limits = np.array([np.log(_NOISE), *(own.coordinate_bounds for own in self.parameters)])
        noise = np.array([math.log(0.1)])
        before = np.concatenate([self._descended(noise, start, limits, start)[0], start])
        best = before
        if self.by != "median" and self.parameters:
            logarithmic = np.array([own.is_logarithmic for own in self.parameters])
            ends = []
            for factor in _STARTS:
                moved = np.clip(start + math.log(factor) * logarithmic, *limits[1:].T)
                own_noise = few._descended(noise, start, limits, moved)[0]
                ends.append(few._descended(np.concatenate([own_noise, moved]), start, limits))
            first = min(ends, key=lambda end: end[1])[0]
            found, loss = self._descended(first, start, limits)
            if loss < self._penalized(before, start)[0]:
                best = found
        return self._result(spec, before, best, start, limits)

    def _descended(
        self, first: Numbers, start: Numbers, limits: Numbers, rest: Numbers | None = None
    ) -> tuple[Numbers, float]:
        """Where L-BFGS-B ends, and the penalized loss there; with `rest`, only the first coordinate moves."""
        from scipy.optimize import minimize

        def moved(place: Numbers) -> tuple[float, Numbers]:
            loss, slope = self._penalized(place if rest is None else np.concatenate([place, rest]), start)
            return loss, slope[: len(place)]

        found = minimize(
            moved,
            first,
            jac=True,
            method="L-BFGS-B",
            bounds=[(float(low), float(high)) for low, high in limits[: len(first)]],
            options={"maxiter": _STEPS, "ftol": _ENOUGH, "gtol": 1e-3},
        )
        return np.asarray(found.x), float(found.fun)

    def _penalized(self, place: Numbers, start: Numbers) -> tuple[float, Numbers]:
        """The loss and its gradient, with the prior of the coordinates; a very large one where it has no number."""
        loss, slope = self.loss(place)
        moved = place[1:] - start
        logarithmic = np.array([own.is_logarithmic for own in self.parameters], dtype=bool)
        if logarithmic.any():
            centred = np.where(logarithmic, moved - moved[logarithmic].mean(), 0.0)
            loss += float(centred @ centred) / (2 * _SPREAD**2)
            slope = slope + np.concatenate([[0.0], centred / _SPREAD**2])
        return (loss, slope) if np.isfinite(loss) and np.isfinite(slope).all() else (1e25, np.zeros_like(place))

    def loss(self, place: Numbers) -> tuple[float, Numbers]:
        """−log likelihood, or n/2 log of the mean squared leave-one-out error, and its gradient."""
        values = [
            own.within(math.exp(x) if own.is_logarithmic else x)
            for own, x in zip(self.parameters, place[1:], strict=True)
        ]
        with np.errstate(all="ignore"):
            kernel, pairs, numbers = self.matrix(values)
            gram = np.broadcast_to(np.asarray(numbers.numeric(kernel).value(pairs), dtype=float), pairs.shape)
            size = float(np.mean(np.diagonal(gram)))
            if not (np.isfinite(gram).all() and size > 0):
                return math.inf, np.zeros_like(place)
            noise = math.exp(place[0])
            found = (self._leave_one_out if self.by == "loo" else self._likelihood)(gram / size, noise)
            if found is None:
                return math.inf, np.zeros_like(place)
            loss, adjoint, by_noise = found
            # the amplitude is free, so the kernel is divided by its mean on the diagonal
            own = adjoint / size
            own[np.diag_indices_from(own)] -= float(np.vdot(adjoint, gram)) / size**2 / len(gram)
            slopes = gradient(kernel, pairs, numbers, own)
        scaled = [
            slope * (value if parameter.is_logarithmic else 1.0)
            for parameter, value, slope in zip(self.parameters, values, slopes, strict=True)
        ]
        return loss, np.array([by_noise * noise, *scaled])

    def _inverse(self, gram: Numbers, noise: float) -> tuple[Numbers, float, float] | None:
        """P, log det A and log 1'A⁻¹1 of A = K + λW⁻¹; None if A is singular."""
        from scipy.linalg import cho_factor, cho_solve

        try:
            factor = cho_factor(gram + np.diag(noise / self.weights), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        inverse = cho_solve(factor, np.eye(len(gram)), check_finite=False)
        ones = inverse.sum(axis=1)
        total = float(ones.sum())
        return inverse - np.outer(ones, ones) / total, 2 * float(np.log(np.diagonal(factor[0])).sum()), math.log(total)

    def _likelihood(self, gram: Numbers, noise: float) -> tuple[float, Numbers, float] | None:
        """The restricted likelihood with the best amplitude of each target, summed over the targets."""
        found = self._inverse(gram, noise)
        if found is None:
            return None
        projected, determinant, constant = found
        n, u, n_targets = float(self.weights.sum()), len(gram), self.means.shape[1]
        dual = projected @ self.means
        quadratic = (self.means * dual).sum(axis=0) + self.within / noise
        degrees = n - 1
        rest = determinant + constant + (n - u) * math.log(noise) + float(np.log(self.weights).sum())
        loss = (degrees * (np.log(2 * np.pi * quadratic / degrees) + 1).sum() + n_targets * rest) / 2
        adjoint = (n_targets * projected - (dual * (degrees / quadratic)) @ dual.T) / 2
        by_noise = float(np.diagonal(adjoint) @ (1 / self.weights))
        by_noise += n_targets * (n - u) / noise / 2 - float((degrees * self.within / quadratic).sum()) / noise**2 / 2
        return float(loss), adjoint, by_noise

    def _leave_one_out(self, gram: Numbers, noise: float) -> tuple[float, Numbers, float] | None:
        """n/2 log S, S the sum of squared errors of the distinct rows left out, each with all of its observations."""
        found = self._inverse(gram, noise)
        if found is None:
            return None
        projected, _, _ = found
        diagonal = np.diagonal(projected)
        dual = projected @ self.means
        errors = dual / diagonal[:, None]
        weighted = self.weights[:, None] * errors
        total, n = float((weighted * errors).sum()), float(self.weights.sum())
        share = n / (2 * total)
        loss = n / 2 * math.log(total / n)
        outer = (projected @ (weighted / diagonal[:, None])) @ dual.T
        own = (weighted * dual).sum(axis=1) / np.square(diagonal)
        adjoint = share * (2 * (projected * own) @ projected - outer - outer.T)
        return loss, adjoint, float(np.diagonal(adjoint) @ (1 / self.weights))

    def _score(self, loss: float) -> float:
        if self.by == "loo":
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
            found = (self._leave_one_out if self.by == "loo" else self._likelihood)(gram, float(noise))
            losses.append(math.inf if found is None else found[0])
        return self._score(min(losses))

    def _result(self, spec: Spec, before: Numbers, best: Numbers, start: Numbers, limits: Numbers) -> Tuned:
        loss, changes, values = self.loss(best)[0], [], {}
        for i, own in enumerate(self.parameters, 1):
            value = own.within(float(f"{math.exp(best[i]) if own.is_logarithmic else best[i]:.4g}"))
            values[own.name] = value
            other = best.copy()
            other[i] = start[i - 1]
            at_bound = bool(min(best[i] - limits[i, 0], limits[i, 1] - best[i]) < 1e-6 * max(1.0, abs(best[i])))
            changes.append(Change(own.name, own.value, value, self.loss(other)[0] - loss, at_bound))
        return Tuned(
            spec.with_params(values),
            self.by,
            self._score(loss),
            self._score(self.loss(before)[0]),
            self._linear(),
            math.exp(best[0]),
            tuple(changes),
            len(self.observations.rows),
        )
