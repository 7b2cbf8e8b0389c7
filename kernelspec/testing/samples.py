"""Every way to sample a spec, judged sample by sample against values straight from the definition.

Slow and plain on purpose: it shares no code with the evaluation of maps, the merging of equal samples, or the
combination of strata.

For laws with independent samples. Coupled draws are judged by independent maps instead, as in `assert_unbiased`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.compilation import compile_spec, schemes_offered
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import sample_variance
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics.phasor import Form
from kernelspec.planning.options import FORMS, Method
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import numbers_on, phasors
from kernelspec.samples.samples import Samples, Side
from kernelspec.spec import Spec, as_spec
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_deviations, assert_exact
from kernelspec.testing.laboratory import BUDGET, granted, seed_of_the_run
from kernelspec.testing.subjects import OfSpec
from kernelspec.verification.judgement import sample_fourth_moment
from kernelspec.verification.statistics import ROUNDING, Deviations

__all__ = ["assert_samples", "methods_of", "sample_values"]

Numbers = NDArray[np.float64]

_DOUBLE = np.dtype(np.float64)


def sample_values(
    stratum: Stratum, form: Form, n: int, stream: Stream, x: Rows, y: Rows, pairs: tuple[NDArray[Any], ...]
) -> Numbers:
    """p_j(x_a, y_b) of n independent samples of a stratum, without the weight, for pairs (a, b): (n, P).

    p = weight·sign·1[key_L(x) = key_R(y)]·Re z_L(x) conj z_R(y); for samples with complex amplitudes and a random
    offset, 2 Re(z_L(x) e^{ib}) Re(z_R(y) e^{ib}) in place of the last factor.
    """
    first, second = pairs
    offsets = stream.generator("offset").random(n) * 2 * np.pi
    total, every = np.zeros((n, len(first))), np.arange(n)
    for batch in stratum.law.draw(stream, n, stratum.positions):
        left, right = _amplitudes(batch, x, "left"), _amplitudes(batch, y, "right")
        a, b = left[first], right[second]
        if form == "phase" and batch.is_complex:
            turn = phasors(offsets[batch.index])
            products = 2 * (a * turn).real * (b * turn).real
        else:
            products = (a * b.conj()).real
        products = products * (batch.weight * batch.sign) * _agreements(batch, x, y, first, second)
        if np.array_equal(batch.index, every):
            total += products.T
        else:
            np.add.at(total, batch.index, products.T)
    return total


def _amplitudes(batch: Samples, rows: Rows, side: Side) -> NDArray[np.complex128]:
    values = np.ones((len(rows), len(batch)), dtype=np.complex128)
    if batch.phasors is not None:
        numbers, frequencies = numbers_on(rows, batch.phasors.columns), batch.phasors.frequencies
        phases = batch.phasors.left if side == "left" else batch.phasors.right
        values *= phasors(_plain(numbers) @ _plain(frequencies).T + phases)
    if batch.growth is not None:
        rates = batch.growth.rates if side == "left" else -batch.growth.rates
        values *= np.exp(_plain(rows.numbers)[:, list(batch.growth.columns)] @ rates.T)
    for factor in batch.amplitudes:
        values *= factor.values(rows, side)
    return values


def _agreements(batch: Samples, x: Rows, y: Rows, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    agree = np.ones((len(first), len(batch)), dtype=bool)
    for factor in batch.keys:
        left = factor.keys(x, "left")
        right = left if y is x and not factor.has_sides else factor.keys(y, "right")
        agree &= left[first] == right[second]
    return agree


def _plain(table: Any) -> Numbers:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray(), dtype=_DOUBLE)


_ONE_MAP = 48
"""Nonzeros of maps that are compared with their own samples."""

_HASHED_MAPS, _BUCKETS = 30, 3
_MOST_VALUES = 2_000_000


@dataclass(frozen=True)
class Judged:
    """What one method was judged by: the numbers of means and variances, over all terms, and of infinite variances.

    All are zero for a scheme that the planner refuses for these parameters. `hashed` tells whether inner products of
    hashed features were judged too.
    """

    method: str
    n_means: int
    n_variances: int
    n_infinite: int
    hashed: bool


def methods_of(spec: Spec | str, X: Any) -> tuple[Method, ...]:
    """The forms and schemes of a spec for the columns of X, without `complex`, whose samples are those of `paired`."""
    spec = as_spec(spec)
    first = compile_spec(spec, n_features=_ONE_MAP, method="paired", draws="independent", data=X).plan
    phasors = any(stratum.law.has_phasor for stratum in first.strata)
    return ("paired", *(("phase",) if phasors else ()), *schemes_offered(spec, first.layout))


def assert_samples(
    spec: Spec | str,
    X: Any,
    *,
    methods: Sequence[Method] | None = None,
    n: int = 2000,
    budget: float = BUDGET,
    seed: int = 0,
) -> tuple[Judged, ...]:
    """All methods of a spec are unbiased and vary as predicted on the rows of X; returns what was judged.

    For every method (all, unless some are named): the terms add up to the kernel; n samples of every term have its mean
    and their predicted variance, for all pairs of rows in both orders; a map drawn from the same numbers is the sum of
    its samples, and so are the inner products of its features, dense, with exact columns, and in single precision
    within a few standard deviations; and thirty maps with keys hashed into three columns have the predicted mean and
    variance. The probability of any false alarm is at most `budget`. Raises AssertionError with the method and the
    worst pair; SpecError, DataError, PlanError as `compile`.
    """
    seed = seed_of_the_run(seed)
    spec = as_spec(spec)
    X, own = np.asarray(X, dtype=float), methods or methods_of(spec, X)
    share, found = granted(budget) / len(own), []
    for method in own:
        try:
            found.append(_judged(spec, X, method, n, share, seed))
        except PlanError:
            if methods is not None or method in FORMS:
                raise
            found.append(Judged(method, 0, 0, 0, False))
    return tuple(found)


def _judged(spec: Spec, X: Numbers, method: Method, n: int, budget: float, seed: int) -> Judged:
    feature_map = _small_map(spec, X, method, seed)
    plan = feature_map.plan
    rows, what = plan.layout.read(X), f"{spec} as {plan.chosen.describe()}".replace("\n", "; ")
    places = tuple(np.indices((len(X), len(X))).reshape(2, -1))
    pairs = NumericPairs(rows, rows)
    exact = spec.gram(X).ravel()
    terms = [np.broadcast_to(np.asarray(s.value(pairs), dtype=float), pairs.shape).ravel() for s in plan.strata]
    size = np.maximum(
        sum((abs(s.weight) * np.abs(term) for s, term in zip(plan.strata, terms, strict=True)), np.zeros(len(exact))),
        np.abs(exact).max(),
    )
    total = sum((s.weight * term for s, term in zip(plan.strata, terms, strict=True)), np.zeros(len(exact)))
    assert_exact((total - exact)[None], size, f"the sum of the terms of {what}")
    found, infinite = [0, 0], 0
    for number, (stratum, term) in enumerate(zip(plan.strata, terms, strict=True)):
        second = sample_variance(stratum.law, pairs.select(stratum.positions), plan.form).ravel()
        fourth = np.broadcast_to(sample_fourth_moment(stratum, pairs, plan.form), pairs.shape).ravel()
        finite = np.isfinite(second)
        infinite += int((~finite).sum())
        if not finite.any():
            continue
        values = _many_values(stratum, plan.form, n, Stream(seed, (1, number)), rows, places)
        own = np.maximum(np.abs(term), float(stratum.law.magnitude()))
        kept = Deviations(values - term, second, ROUNDING * own**2, fourth).take(finite)
        name = what if len(plan.strata) == 1 else f"term {number} of {what}"
        found[1] += assert_deviations(kept, term[finite], own[finite], budget=budget / 2 / len(plan.strata), what=name)
        found[0] += int(finite.sum())
    _assert_map(feature_map, X, rows, places, size, what)
    hashed = feature_map.has_keys and method in FORMS and not infinite
    if hashed:
        _assert_hashed(spec, X, feature_map, exact, size, budget / 2, seed)
    return Judged(method, found[0], found[1], infinite, hashed)


def _small_map(spec: Spec, X: Numbers, method: Method, seed: int) -> FeatureMap:
    """A map of few features, or the smallest if one sample of each term takes more."""
    for entries in (_ONE_MAP, 32 * _ONE_MAP):
        try:
            return compile_spec(
                spec,
                n_features=entries,
                seed=seed,
                method=method,
                draws="independent",
                landmarks="never",
                data=X,
                keys="hashed",
                buckets=_BUCKETS,
            )
        except PlanError as error:
            refused = error
    raise refused


def _many_values(
    stratum: Stratum, form: Form, n: int, stream: Stream, rows: Any, places: tuple[NDArray[Any], ...]
) -> Numbers:
    most = max(100, _MOST_VALUES // len(places[0]))
    parts = [
        sample_values(stratum, form, min(most, n - start), stream.child(start), rows, rows, places)
        for start in range(0, n, most)
    ]
    return np.concatenate(parts)


def _assert_map(
    feature_map: FeatureMap, X: Numbers, rows: Any, places: tuple[NDArray[Any], ...], size: Numbers, what: str
) -> None:
    """The map is the average of its samples, and so are the inner products of its features."""
    plan = feature_map.plan
    total = np.zeros(len(places[0]))
    for number, (stratum, count) in enumerate(plan.parts):
        values = sample_values(stratum, plan.form, count, Stream(plan.seed).child(number), rows, rows, places)
        total += stratum.weight * values.mean(axis=0)
    estimate = feature_map.approximate(X).ravel()
    scale = np.maximum(size, np.abs(total).max(initial=0.0))
    assert_exact((estimate - total)[None], scale, f"a map of {what} against its samples")
    subject = OfSpec(Spec.parsed(plan.text, plan.values), feature_map.with_columns(X), hashed=True)
    assert_exact((subject.products(X).ravel() - total)[None], scale, f"features of {what} against their samples")
    single = X.astype(np.float32)
    subject = OfSpec(Spec.parsed(plan.text, plan.values), feature_map.with_columns(single), hashed=True)
    double = feature_map.approximate(single.astype(float)).ravel()
    deviation = np.sqrt(feature_map.predicted_variance(X, hashed=False).ravel())
    allowed = np.where(np.isfinite(deviation), 10 * deviation, np.inf) + 1e-3 * scale
    off = np.abs(subject.products(single).ravel() - double)
    if not (off <= allowed).all():
        worst = int(np.argmax(off / allowed))
        raise AssertionError(f"features of {what} in single precision: off by {off[worst]:.3g} at entry {worst}")


def _assert_hashed(
    spec: Spec, X: Numbers, feature_map: FeatureMap, exact: Numbers, size: Numbers, budget: float, seed: int
) -> None:
    subject = OfSpec(spec, replace(feature_map, occupied=None), hashed=True)
    estimates = np.stack([subject.estimate(X, seed + m).ravel() for m in range(_HASHED_MAPS)])
    predicted, fourth = subject.variance(X).ravel(), subject.fourth_moment(X).ravel()
    kept = Deviations(estimates - exact, predicted, ROUNDING * size**2, fourth)
    assert_deviations(kept, exact, size, budget=budget, what=f"{subject.name}, hashed", of="maps")
