"""The statistics of many estimates: scores, ratios, and what cannot be judged."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.verification.statistics import Deviations, mean_limit, variance_interval, varies_often

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
