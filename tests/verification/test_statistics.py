"""The statistics of many estimates: limits, intervals, and what cannot be judged."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.verification.statistics import Deviations, normal_limit, variance_interval


def test_the_variance_interval_allows_for_heavy_tails():
    generator = np.random.default_rng(3)
    rounding = np.zeros(200)
    for draw, variance in [
        (lambda s: generator.standard_t(6, s), 1.5),
        (lambda s: generator.poisson(0.3, s) - 0.3, 0.3),
    ]:
        kept = Deviations(draw((400, 200)), np.full(200, variance), rounding)
        low, high = variance_interval(kept.degrees_of_freedom(), 1e-3)
        outside = (kept.ratios() < low) | (kept.ratios() > high)
        assert outside.mean() <= 0.02
        normal = variance_interval(np.full(200, 399.0), 1e-3)
        assert ((kept.ratios() < normal[0]) | (kept.ratios() > normal[1])).mean() > outside.mean()


def test_rare_events_are_not_judged():
    errors = np.zeros((200, 2))
    errors[:2, 0] = 1.0
    kept = Deviations(errors, np.full(2, 1e-3), np.zeros(2))
    assert kept.can_judge().tolist() == [False, True]  # no variation at all is evidence, two events are not


def test_limits():
    assert normal_limit(0.05) == pytest.approx(1.959964, abs=1e-6)
    low, high = variance_interval(10.0, 0.05)
    assert (float(low), float(high)) == (pytest.approx(0.324697, abs=1e-5), pytest.approx(2.048318, abs=1e-5))


def test_the_limit_is_wider_for_skewed_estimates():
    generator = np.random.default_rng(0)
    errors = np.column_stack([generator.standard_normal(400), generator.exponential(size=400) - 1])
    kept = Deviations(errors, np.ones(2), np.zeros(2))
    normal, skewed = kept.z_limits(1e-8)
    assert normal_limit(1e-8) <= normal < normal_limit(1e-8) + 0.1
    assert skewed > normal_limit(1e-8) + 0.3


def test_the_pooled_ratio_counts_what_moves_together_once():
    generator = np.random.default_rng(1)
    alone = generator.standard_normal((400, 50))
    together = np.repeat(generator.standard_normal((400, 1)), 50, axis=1)
    free, bound = (Deviations(errors, np.ones(50), np.zeros(50)).pooled_ratio() for errors in (alone, together))
    assert free[0] == pytest.approx(1, abs=0.05)
    assert bound[0] == pytest.approx(1, abs=0.3)
    assert free[1] > 30 * bound[1]
    assert bound[1] == pytest.approx(400, rel=0.4)  # χ² of the 400 maps, whatever the number of pairs


def test_events_that_were_expected_and_not_met() -> None:
    # a variance of 1e-4 from jumps of ±1 among 1,000 maps: a tenth of an event, and most likely none is met
    errors = np.random.default_rng(0).normal(0, 1e-3, (1000, 2))
    kept = Deviations(errors, np.array([1e-4, 0.1]), np.zeros(2))
    assert kept.can_judge().all()
    assert kept.can_judge(np.ones(2)).tolist() == [False, True]
