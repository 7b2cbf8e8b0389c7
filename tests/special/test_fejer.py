"""The Fejér law: its density by mpmath, its draws by distribution function and characteristic function."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.special import sici
from scipy.stats import kstest

from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import draw_fejer, fejer_density
from kernelspec.testing.laboratory import assert_mean

SEED = 20_251_207
BUDGET = 1e-8


def distribution_function(x: np.ndarray) -> np.ndarray:
    """½ + (Si x − (1 − cos x)/x)/π, by parts."""
    return 0.5 + (sici(x)[0] - (1 - np.cos(x)) / x) / np.pi


def test_density() -> None:
    x = np.concatenate([np.geomspace(1e-9, 1e8, 300), -np.geomspace(1e-9, 1e8, 30), 2 * np.pi * np.arange(1.0, 9.0)])
    with mpmath.workdps(60):
        expected = [float((1 - mpmath.cos(mpmath.mpf(v))) / (mpmath.pi * mpmath.mpf(v) ** 2)) for v in x]
    np.testing.assert_allclose(fejer_density(x), expected, rtol=1e-14)
    assert fejer_density(np.zeros(1))[0] == pytest.approx(1 / (2 * np.pi), rel=1e-15)


def test_the_density_is_that_of_the_triangle() -> None:
    """max(0, 1 − |t|) is sampled at whole t by 1 at zero alone: Σ_k 2π p(x + 2πk) = 1 for every x [Poisson]."""
    x, most = np.linspace(0.1, 6.2, 9), 20_000
    shifts = 2 * np.pi * np.arange(-most, most + 1)
    left_out = (1 - np.cos(x)) / (np.pi**2 * (most + 0.5))  # Σ 1/k² beyond N is 1/(N + ½), up to N^{−3}
    total = 2 * np.pi * np.array([fejer_density(v + shifts).sum() for v in x])
    np.testing.assert_allclose(total + left_out, 1, rtol=1e-11)


def test_draws_follow_the_law() -> None:
    drawn = draw_fejer(Stream(SEED), (100_000,))
    assert np.isfinite(drawn).all()
    assert kstest(drawn, distribution_function).pvalue > BUDGET
    lags = np.array([0.0, 0.2, 0.5, 0.9, 1.0, 1.7, 5.0])
    assert_mean(np.cos(np.outer(drawn, lags)), np.maximum(0, 1 - lags), budget=BUDGET)
    assert_mean(np.sin(np.outer(drawn, lags)), np.zeros(7), budget=BUDGET)


def test_the_first_draws_do_not_depend_on_how_many_follow() -> None:
    few, many = draw_fejer(Stream(SEED), (7, 3)), draw_fejer(Stream(SEED), (5000, 3))
    assert np.array_equal(few, many[:7])
    assert not np.array_equal(few, draw_fejer(Stream(SEED + 1), (7, 3)))
    assert draw_fejer(Stream(SEED), (0, 3)).shape == (0, 3)
