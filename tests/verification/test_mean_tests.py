"""The test of a mean keeps its level for every law, and finds what it says it finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kernelspec.verification.statistics import detectable_shift, mean_limit, mean_scores, samples_needed

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
