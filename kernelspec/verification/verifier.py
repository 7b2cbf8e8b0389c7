"""Verification of a spec's features: independent maps, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from kernelspec.analysis.gram import evaluate_blocks
from kernelspec.catalogue import FaultsNamed
from kernelspec.compilation import map_with, schemes_offered
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.law import Collisions
from kernelspec.loading import suggests_arguments
from kernelspec.maps.feature_map import draw_map
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.options import (
    ALSO_CALLED,
    FORMS,
    LANDMARK_METHODS,
    Budget,
    Draws,
    Keys,
    MapOptions,
    Method,
    Storage,
)
from kernelspec.planning.plan import Plan
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, width_of
from kernelspec.verification.certificate import Certificate, Refused
from kernelspec.verification.judgement import Trials, estimate_fourth_moment, judge

__all__ = ["inner_products", "verify"]

Numbers = NDArray[np.float64]

_CATEGORIES = 3
_NEAR = 8


@dataclass(frozen=True)
class RowPairs:
    """Rows with their places in X and Y, and for their pairs (n, m): the exact kernel, the size of its summands (for
    rounding), which pairs are one row twice, and which are tested (one half, if they mirror each other).
    """

    x: Rows
    y: Rows
    index_x: NDArray[np.intp]
    index_y: NDArray[np.intp]
    kernel: Numbers
    size: Numbers
    identical: NDArray[np.bool_]
    tested: NDArray[np.bool_]

    @classmethod
    def of(cls, spec: Spec, plan: Plan, X: Any, Y: Any, most: int, seed: int) -> RowPairs:
        """The pairs of at most `most` rows of X, or of X and Y, or of standard normal rows if X is None."""
        layout, generator = plan.layout, np.random.default_rng([seed, 1])
        x = reference_rows(layout.mapped, most, generator) if X is None else layout.read(X)
        index_x = chosen_rows(len(x), most if Y is None else _of_two(most), generator)
        x = x.take(index_x)
        y, index_y = x, index_x
        if Y is not None:
            y = layout.read(as_table(Y))
            index_y = chosen_rows(len(y), _of_two(most), generator)
            y = y.take(index_y)
        kernel = spec.kernel(spec.columns(layout.dim, layout.names))
        exact = np.concatenate([block for _, block in evaluate_blocks(kernel, x, y)])
        pairs = NumericPairs(x, y)
        terms = sum(abs(s.weight) * np.abs(np.asarray(s.value(pairs), dtype=float)) for s in plan.strata)
        size = np.maximum(np.sqrt(np.multiply.outer(_diagonal(kernel, x), _diagonal(kernel, y))), terms)
        once = Y is None and kernel.verdict().symmetric is True
        tested = np.triu(np.ones(exact.shape, dtype=bool)) if once else np.ones(exact.shape, dtype=bool)
        return cls(x, y, index_x, index_y, exact, size, _identical(x, y, layout.mapped), tested)


def chosen_rows(n: int, most: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """All n rows, or `most` of them at random, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator.choice(n, most, replace=False))


def reference_rows(layout: Layout, n: int, generator: np.random.Generator) -> Rows:
    """n standard normal rows with three equally likely categories.

    The first few share their categories; of those, all but the first two differ from the first one along one axis only,
    or along the diagonal: bugs invisible on the axes show off them, and vice versa.
    """
    table = generator.standard_normal((n, layout.dim))
    for i in layout.categorical:
        table[:, i] = generator.integers(0, _CATEGORIES, n)
    near = min(_NEAR, n)
    table[1:near, list(layout.categorical)] = table[0, list(layout.categorical)]
    moved = [i for i in layout.numeric if i not in layout.categorical]
    for step, row in enumerate(range(2, near if moved else 0)):
        table[row] = table[0]
        if step % 2:
            table[row, moved] += 0.5 * step / np.sqrt(len(moved))
        else:
            table[row, moved[step % len(moved)]] += 0.5 * (step + 1)
    return replace(layout, by_name=False).read(layout.fitted(table))


def _identical(x: Rows, y: Rows, layout: Layout) -> NDArray[np.bool_]:
    same = np.ones((len(x), len(y)), dtype=bool)
    a, b = x.dense(), y.dense()
    for i in layout.numeric:
        same &= np.equal.outer(a[:, i], b[:, i])
    for i in layout.categorical:
        same &= np.equal.outer(x.codes(i), y.codes(i))
    return same


def _diagonal(kernel: Kernel, rows: Rows) -> Numbers:
    pairs = NumericPairs(rows, rows, grid=False)
    return np.asarray(np.abs(np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), pairs.shape)))


def _of_two(most: int) -> int:
    return max(1, most * 2 // 3)


_FEWEST_MAPS = 50


@FaultsNamed()
@suggests_arguments(ALSO_CALLED)
def verify(
    spec: Spec | str,
    X: Any = None,
    Y: Any = None,
    *,
    dim: int | None = None,
    columns: Sequence[str] | None = None,
    n_features: Budget = 256,
    n_maps: int = 500,
    seed: int = 0,
    method: Method = "auto",
    draws: Draws = "auto",
    keys: Keys = "auto",
    buckets: int = 256,
    bits: int = 8,
    storage: Storage = "auto",
    budget: float = 1e-6,
    max_rows: int = 24,
    advance: Callable[[int, int], None] | None = None,
) -> Certificate:
    """Test that features are unbiased and have the predicted variance; returns a certificate.

    For every estimator (`method`, or all of them), `n_maps` maps with independent seeds estimate the kernel of every
    pair of `max_rows` rows of X (two thirds as many of X and of Y, if Y is given; of standard normal rows without X,
    with `dim` or `columns` as their columns). For each pair, the average estimate is compared with the exact kernel and
    the variance with the prediction, by scores that keep their level for every law with these moments [Catoni 2012],
    including rare events and heavy tails; the average variance ratio is compared with a χ² law matched to its spread
    over maps. Features with hash keys are also tested with the columns of their `keys` (`buckets`, `bits` and `storage`
    as for `ks.compile`; the known categories are those of X). Pairs without variance must agree.

    Coupled samples (`draws`) and landmarks (`method="landmarks"`) have no formula for their variance: their bias is
    judged by the variance over the maps and the limit theorem, unless that depends on rare events, as for the remainder
    of smooth kernels after landmarks. The coupled samples that `compile` uses for X are judged as well.

    `budget` is the probability of any false alarm among all tests, split evenly between the three kinds of test and
    within each by Bonferroni. An estimator passes if nothing is refuted, at least half of the pairs were judged, and a
    bias of 10 % of k would have been found with probability 0.999 at every judged pair whose k is at least 0.3 of its
    size; an estimator that cannot be sampled for these parameters is listed with the reason. `advance` is called with
    the maps done and their total after every map. Raises SpecError, DataError, PlanError.
    """
    if n_maps < _FEWEST_MAPS:
        raise PlanError(f"n_maps must be at least {_FEWEST_MAPS} for the central limit theorem, not {n_maps}")
    if not isinstance(budget, Real) or not 0 < float(budget) < 1:
        raise PlanError(f"budget must be a probability between 0 and 1, not {budget!r:.60}")
    if max_rows < 2:
        raise PlanError(f"max_rows must be at least 2, not {max_rows}")
    if Y is not None and X is None:
        raise PlanError("Y requires X: pass both, or neither")
    spec = as_spec(spec)
    if X is not None and not isinstance(X, Rows):
        X = as_table(X)
        width_of(X)
        spec = spec.fitted(X, columns=columns)
    options = MapOptions(
        n_features=n_features,
        seed=seed,
        method=method,
        draws=draws,
        keys=keys,
        buckets=buckets,
        bits=bits,
        storage=storage,
    )
    plans, refused = _plans(spec, options, dim, columns, X)
    rows = RowPairs.of(spec, plans[0], X, Y, max_rows, seed)
    words = np.random.SeedSequence(seed).generate_state(n_maps, np.uint64)
    seeds = (words >> np.uint64(1)).tolist()
    total, done, trials = len(plans) * n_maps, count(1), []

    def told() -> None:
        if advance is not None:
            advance(next(done), total)

    for plan, name in zip(plans, _names(plans), strict=True):
        trials += _trials(plan, name, rows, seeds, told)
    checks = tuple(judge(trial, len(trials), budget) for trial in trials)
    index = None if X is None else tuple(rows.index_x.tolist())
    other = None if Y is None else tuple(rows.index_y.tolist())
    width = plans[0].layout.dim
    return Certificate(
        str(spec), width, index, other, int(n_features), int(n_maps), int(seed), float(budget), checks, refused
    )


def _plans(
    spec: Spec, options: MapOptions, dim: int | None, columns: Sequence[str] | None, X: Any
) -> tuple[list[Plan], tuple[Refused, ...]]:
    """The plans to judge, and the schemes that the planner refuses for these parameters, with the reason."""

    def plan(method: Method, draws: Draws = "independent") -> Plan:
        own = replace(options, method=method, draws=draws, landmarks="auto" if method in LANDMARK_METHODS else "never")
        return map_with(own, spec, dim=dim, columns=columns, data=X).plan

    method, draws = options.method, options.draws
    if method != "auto" or draws not in ("auto", "independent"):
        return [plan(method, "independent" if draws == "auto" and method not in LANDMARK_METHODS else draws)], ()
    first = plan("paired")
    phasors = any(stratum.law.has_phasor for stratum in first.strata)
    forms = FORMS[1:] if phasors else ()  # without amplitudes all forms agree
    found, refused = [first, *(plan(form) for form in forms)], []
    for scheme in schemes_offered(spec, first.layout):
        try:
            found.append(plan(scheme))
        except PlanError as error:
            refused.append((scheme, str(error)))
    taken = [] if X is None or draws == "independent" else [plan("auto", "auto")]
    return [*found, *(plan for plan in taken if plan.is_measured)], tuple(refused)


def _trials(plan: Plan, name: str, rows: RowPairs, seeds: Sequence[int], told: Callable[[], None]) -> list[Trials]:
    plain, hashed = [], []
    with single_threaded():  # for a few rows, more threads only wait for each other
        for drawn in (replace(plan, seed=seed) for seed in seeds):
            feature_map = draw_map(drawn)
            if not feature_map.has_columns:
                feature_map = feature_map.with_columns_of((rows.x, rows.y))
            plain.append(feature_map.approximate(rows.x, rows.y)[rows.tested])
            if feature_map.has_keys:
                sides = feature_map.left(rows.x), feature_map.right(rows.y)
                hashed.append(inner_products(*sides, feature_map.signs)[rows.tested])
            told()
    places = np.argwhere(rows.tested)
    pairs = np.column_stack([rows.index_x[places[:, 0]], rows.index_y[places[:, 1]]])
    numeric, found = NumericPairs(plan.layout.read(rows.x), plan.layout.read(rows.y)), []
    value, size, same = rows.kernel[rows.tested], rows.size[rows.tested], rows.identical[rows.tested]
    for estimates, is_hashed in ((plain, False), (hashed, True)):
        if estimates:
            errors = np.array(estimates) - value
            predicted = fourth = np.zeros(len(value))
            if not plan.is_measured:
                predicted = feature_map.predicted_variance(rows.x, rows.y, hashed=is_hashed)[rows.tested]
                collisions = plan.collisions or Collisions.none() if is_hashed else None
                fourth = estimate_fourth_moment(plan, numeric, collisions)[rows.tested]
            found.append(Trials(name, is_hashed, errors, predicted, fourth, value, size, same, pairs, plan.is_measured))
    return found


def _names(plans: list[Plan]) -> list[str]:
    """A name for each plan: its method, plus the schemes of some terms and a number if needed to tell them apart."""
    names = [
        ", ".join([" and ".join(dict.fromkeys((plan.method, *plan.chosen.named))), *plan.chosen.joint])
        + " (biased)" * plan.has_biased_draws
        for plan in plans
    ]
    return [f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name for i, name in enumerate(names)]


_SMALL = 1 << 16
"""Entries, including zeros, up to which products of sparse features are faster when dense."""


def inner_products(left: Any, right: Any, signs: Numbers | None = None) -> Numbers:
    """Re left diag(signs) right*, (n, m), for dense or sparse features of two sides."""
    are_sparse = [issparse(own) for own in (left, right)]
    if all(are_sparse) and math.prod(left.shape) <= _SMALL:
        left, right, are_sparse = left.toarray(), right.toarray(), []
    if any(are_sparse):
        sparse = csr_array(left)
        weighted = sparse if signs is None else sparse.multiply(signs).tocsr()
        return np.asarray(np.real((weighted @ csr_array(right).conj().T).toarray()))
    dense = np.asarray(left)
    return np.asarray(np.real((dense if signs is None else dense * signs) @ np.asarray(right).conj().T))
