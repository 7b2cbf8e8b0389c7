"""Tests of `verification/statistics.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import sample_values
from kernelspec.verification.statistics import (
    Deviations,
    detectable_shift,
    largest_sample,
    mean_limit,
    mean_scores,
    samples_needed,
    variance_interval,
    varies_often,
)

N = 60

LAWS: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], np.ndarray], float]] = {
    "normal": (lambda g, shape: g.standard_normal(shape), 1.0),
    "skewed": (lambda g, shape: g.exponential(1, shape) - 1, 1.0),
    "no third moment": (lambda g, shape: g.standard_t(2.5, shape), 5.0),
    "a tenth of an event": (lambda g, shape: (g.random(shape) < 0.1 / N) - 0.1 / N, 0.1 / N * (1 - 0.1 / N)),
    "three events": (lambda g, shape: (g.random(shape) < 3 / N) - 3 / N, 3 / N * (1 - 3 / N)),
}


@pytest.mark.parametrize("level", [0.1, 1e-3])
@pytest.mark.parametrize("name", LAWS)
def test_the_level_is_kept_by_every_law(name: str, level: float) -> None:
    draw, variance = LAWS[name]
    scores = mean_scores(draw(np.random.default_rng(5), (N, 40_000)), np.full(40_000, variance), level)
    alarms = int((np.abs(scores) > mean_limit(N, level)).sum())
    # P(more than this) < 1e-6 for a binomial count of that level
    assert alarms <= 40_000 * level + 5 * np.sqrt(40_000 * level)


def test_small_deviations_score_as_z_does() -> None:
    errors = np.random.default_rng(0).standard_normal((4000, 3))
    np.testing.assert_allclose(mean_scores(errors, np.ones(3), 0.05), errors.mean(axis=0) * np.sqrt(4000), atol=0.05)


@pytest.mark.parametrize("level", [1e-3, 1e-9])
@pytest.mark.parametrize("n", [200, 2000])
def test_the_power_is_that_stated(n: int, level: float) -> None:
    shift = detectable_shift(n, level)
    errors = np.random.default_rng(1).standard_normal((n, 4000)) + shift
    found = (mean_scores(errors, np.ones(4000), level) > mean_limit(n, level)).sum()
    assert found >= 4000 - 18  # 4 are expected to be missed
    assert samples_needed(shift, level) == pytest.approx(n, rel=0.12)


def test_the_limit_is_not_much_wider_than_the_normal_one() -> None:
    assert mean_limit(400, 1e-6) < 1.12 * 4.8916  # the normal limit at 1e-6


X = np.array([[0.3, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0]])

BOUNDED = {
    "gaussian()": 1.5,
    "tilt(laplace(), by=[0.3, -0.2, 0.5])": 1.5,
    "tilt(gaussian(), by=0.4) * linear()": 4.0,
    "(0.5 * tilt(laplace(), by=0.5) + linear()[0:2]) ** 2 * match()[2]": 30.0,
    "linear()": 4.0,
    "normalize(linear())": 4.0,
    "stretch(shift(tilt(cauchy(), by=0.3), by=0.5), 2)": 1.5,
    "gaussian() - 0.5 * laplace()": 1.5,
}
"""Kernels, and how much larger than the largest of many samples the bound may be."""


@pytest.mark.parametrize("text", BOUNDED)
def test_the_bound_holds_and_is_of_use(text: str) -> None:
    places = tuple(np.indices((4, 4)).reshape(2, -1))
    for method in ("paired", "binning") if "laplace" in text else ("paired",):
        plan = ks.compile(text, dim=3, n_features=64, method=method).plan  # type: ignore[arg-type]
        rows = plan.layout.read(X)
        for stratum in plan.strata:
            bound = largest_sample(stratum.law, NumericPairs(rows, rows).select(stratum.positions)).ravel()
            values = sample_values(stratum, "paired", 4000, Stream(1), rows, rows, places)
            met = np.abs(values).max(axis=0)
            assert (met <= bound * (1 + 1e-9)).all()
            assert (bound[met > 0] <= BOUNDED[text] * met.max()).any()


def test_normal_neurons_have_no_bound() -> None:
    plan = ks.compile("dual(relu, normalize(linear()))", dim=3, n_features=8, method="neurons").plan
    rows = plan.layout.read(X)
    assert np.isinf(largest_sample(plan.strata[0].law, NumericPairs(rows, rows))).all()


UNKNOWN = np.inf


def deviations(errors: np.ndarray, predicted: float, fourth: float = UNKNOWN) -> Deviations:
    """Estimates that all have one predicted variance."""
    n = errors.shape[1]
    return Deviations(errors, np.full(n, predicted), np.zeros(n), np.full(n, fourth))


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_the_variance_is_judged_by_the_tails(known: bool) -> None:
    generator = np.random.default_rng(3)
    for draw, variance, fourth in [
        (lambda s: generator.standard_t(9, s), 9 / 7, 3 * 81 / (7 * 5)),
        (lambda s: generator.poisson(0.3, s) - 0.3, 0.3, 0.3 + 3 * 0.09),
    ]:
        kept = deviations(draw((2000, 300)), variance, fourth if known else UNKNOWN)
        assert kept.can_judge_variance(1e-3).mean() > 0.9
        outside = np.abs(kept.ratios(1e-3) - 1) > kept.reach(1e-3)
        assert outside.mean() <= 0.01
        wide = deviations(1.6 * draw((2000, 300)), variance, fourth if known else UNKNOWN)
        assert (np.abs(wide.ratios(1e-3) - 1) > wide.reach(1e-3)).mean() > 0.95


def test_variances_that_hang_on_rare_events_are_not_judged() -> None:
    errors = np.zeros((200, 2))
    errors[:2, 0] = 1.0
    kept = deviations(errors, 1e-3)
    assert kept.can_judge_variance(1e-3).tolist() == [False, True]  # no variation is evidence, two events are not
    # events of size 1 with probability 1e-4 have a fourth moment of 1e-4: met or not, 200 maps cannot say
    assert not deviations(np.zeros((200, 2)), 1e-4, 1e-4).can_judge_variance(1e-3).any()


@pytest.mark.slow
def test_means_that_hang_on_rare_events_are_judged_within_the_budget() -> None:
    """A tenth of an event is expected among all maps; most often there is none, now and then there are two."""
    generator = np.random.default_rng(0)
    chance, level = 1e-4, 0.01
    errors = (generator.random((1000, 5000)) < chance) - chance
    kept = deviations(errors, chance * (1 - chance))
    assert (errors > 0.5).sum(axis=0).max() >= 2
    assert (np.abs(kept.z_scores(level)) > mean_limit(1000, level)).mean() <= level


def test_intervals() -> None:
    low, high = variance_interval(10.0, 0.05)
    assert (float(low), float(high)) == (pytest.approx(0.324697, abs=1e-5), pytest.approx(2.048318, abs=1e-5))


def test_the_pooled_ratio_counts_what_moves_together_once() -> None:
    generator = np.random.default_rng(1)
    alone = generator.standard_normal((400, 50))
    together = np.repeat(generator.standard_normal((400, 1)), 50, axis=1)
    free, bound = (deviations(errors, 1.0).pooled_ratio() for errors in (alone, together))
    assert free[0] == pytest.approx(1, abs=0.05)
    assert bound[0] == pytest.approx(1, abs=0.3)
    assert free[1] > 30 * bound[1]
    assert bound[1] == pytest.approx(400, rel=0.4)  # χ² of the 400 maps, whatever the number of pairs


def test_what_hangs_on_a_few_events():
    rare = np.zeros((400, 1))
    rare[:3] = 1.0
    normal = np.random.default_rng(0).standard_normal((400, 1))
    assert varies_often(np.hstack([rare, normal, np.ones((400, 1))])).tolist() == [False, True, True]
