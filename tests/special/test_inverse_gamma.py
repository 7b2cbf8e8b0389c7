"""Draws of the inverse gamma law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import LARGEST_VARIANCE, draw_inverse_gamma
from kernelspec.testing.laboratory import assert_mean

SEED = 20_251_208
BUDGET = 1e-8


@pytest.mark.parametrize("shape", [0.3, 0.5, 1.0, 4.5, 200.0])
def test_draws_follow_the_law(shape: float) -> None:
    drawn = draw_inverse_gamma(Stream(SEED), "variance", shape, 100_000)
    assert scipy.stats.kstest(drawn, scipy.stats.invgamma(shape, scale=shape).cdf).pvalue > BUDGET
    # 1/V is Gamma(a, 1)/a: mean 1, second moment 1 + 1/a
    assert_mean(np.column_stack([1 / drawn, 1 / drawn**2]), np.array([1.0, 1 + 1 / shape]), budget=BUDGET)


def test_they_mix_gaussians_into_a_cauchy_law() -> None:
    drawn = draw_inverse_gamma(Stream(SEED), "variance", 0.5, 100_000)
    lags = np.array([0.01, 0.3, 1.0, 2.5])
    assert_mean(np.exp(-np.outer(drawn, lags**2 / 2)), np.exp(-lags), budget=BUDGET)


def test_the_largest_are_cut_and_no_draw_is_infinite_or_missing() -> None:
    drawn = draw_inverse_gamma(Stream(SEED), "variance", 1e-3, 10_000)
    assert drawn.max() == LARGEST_VARIANCE == 1e60
    # P(G < a·1e−60) = (a·1e−60)^a / Γ(1 + a) up to 1e−60
    share = np.exp(1e-3 * np.log(1e-63)) / scipy.special.gamma(1.001)
    assert_mean((drawn == LARGEST_VARIANCE)[:, None].astype(float), np.array([share]), budget=BUDGET)
    assert (drawn > 0).all()


def test_streams() -> None:
    few, many = (draw_inverse_gamma(Stream(SEED), "variance", 2.0, (n, 2)) for n in (5, 5000))
    assert np.array_equal(few, many[:5])
    assert not np.isin(few, draw_inverse_gamma(Stream(SEED), "other", 2.0, (5, 2))).any()
    assert not np.isin(few, draw_inverse_gamma(Stream(SEED).child(0), "variance", 2.0, (5, 2))).any()
