"""Tests of `special/exact_draws.py`."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.stats
from scipy.special import sici
from scipy.stats import kstest

from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import (
    LARGEST_VARIANCE,
    draw_by_rejection,
    draw_fejer,
    draw_inverse_gamma,
    fejer_density,
    log_stable_mixture,
)
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


SEED_OF_INVERSE_GAMMA = 20_251_208


@pytest.mark.parametrize("shape", [0.3, 0.5, 1.0, 4.5, 200.0])
def test_draws_follow_the_law_inverse_gamma(shape: float) -> None:
    drawn = draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA), "variance", shape, 100_000)
    assert scipy.stats.kstest(drawn, scipy.stats.invgamma(shape, scale=shape).cdf).pvalue > BUDGET
    # 1/V is Gamma(a, 1)/a: mean 1, second moment 1 + 1/a
    assert_mean(np.column_stack([1 / drawn, 1 / drawn**2]), np.array([1.0, 1 + 1 / shape]), budget=BUDGET)


def test_they_mix_gaussians_into_a_cauchy_law() -> None:
    drawn = draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA), "variance", 0.5, 100_000)
    lags = np.array([0.01, 0.3, 1.0, 2.5])
    assert_mean(np.exp(-np.outer(drawn, lags**2 / 2)), np.exp(-lags), budget=BUDGET)


def test_the_largest_are_cut_and_no_draw_is_infinite_or_missing() -> None:
    drawn = draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA), "variance", 1e-3, 10_000)
    assert drawn.max() == LARGEST_VARIANCE == 1e60
    # P(G < a·1e−60) = (a·1e−60)^a / Γ(1 + a) up to 1e−60
    share = np.exp(1e-3 * np.log(1e-63)) / scipy.special.gamma(1.001)
    assert_mean((drawn == LARGEST_VARIANCE)[:, None].astype(float), np.array([share]), budget=BUDGET)
    assert (drawn > 0).all()


def test_streams() -> None:
    few, many = (draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA), "variance", 2.0, (n, 2)) for n in (5, 5000))
    assert np.array_equal(few, many[:5])
    assert not np.isin(few, draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA), "other", 2.0, (5, 2))).any()
    assert not np.isin(few, draw_inverse_gamma(Stream(SEED_OF_INVERSE_GAMMA).child(0), "variance", 2.0, (5, 2))).any()


def triangular(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Density 2x on (0, 1), proposed uniformly."""
    return u[:, 0], u[:, 0]


def test_the_law() -> None:
    drawn = draw_by_rejection(Stream(3), 50_000, 1, triangular)
    assert kstest(drawn, np.square).pvalue > BUDGET


def test_the_first_draws_do_not_depend_on_how_many_follow_rejection() -> None:
    few, many = (draw_by_rejection(Stream(3), n, 1, triangular) for n in (9, 4000))
    assert np.array_equal(few, many[:9])
    assert not np.array_equal(few, draw_by_rejection(Stream(4), 9, 1, triangular))
    assert draw_by_rejection(Stream(3), 0, 1, triangular).shape == (0,)


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 400])
def test_the_levy_law(dim: int) -> None:
    """For index ½, A is Lévy's law, and the mixture Γ((d+1)/2) (¼ + c)^{−(d+1)/2} / 2√π: a Cauchy density."""
    c = np.array([0.0, 1e-12, 1e-3, 0.2, 0.25, 1.0, 17.0, 1e4, 1e12])
    with mpmath.workdps(40):
        half = mpmath.mpf(dim + 1) / 2
        constant = mpmath.loggamma(half) - mpmath.log(2 * mpmath.sqrt(mpmath.pi))
        expected = [float(constant - half * mpmath.log(mpmath.mpf(v) + 0.25)) for v in c]
    np.testing.assert_allclose(log_stable_mixture(0.5, c, dim), expected, rtol=2e-13, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("index", [0.3, 0.45, 0.6, 0.75, 0.9, 0.97])
@pytest.mark.parametrize("frequency", [0.1, 0.9, 2.0, 6.0])
def test_it_is_the_density_whose_transform_is_stated(index: float, frequency: float) -> None:
    """p(ω) = (4π)^{−d/2} E[A^{−d/2} exp(−ω²/4A)] has the transform exp(−r^{2a}): inverted for d = 1 and d = 3.

    The integrals ∫ cos(ωr) exp(−r^{2a}) dr / π and ∫ r sin(ωr) exp(−r^{2a}) dr / 2π²ω run along the ray of
    angle φ, where both factors fall.
    """
    with mpmath.workdps(25):
        alpha, w = 2 * mpmath.mpf(index), mpmath.mpf(frequency)
        turn = mpmath.expj(min(mpmath.mpf(1), mpmath.pi / (4 * alpha)))
        ends = [0, 0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 2**14]

        def along(power: int) -> mpmath.mpc:
            return mpmath.quad(
                lambda s: turn * (s * turn) ** power * mpmath.exp(1j * w * s * turn - (s * turn) ** alpha), ends
            )

        line = float(along(0).real / mpmath.pi)
        space = float(along(1).imag / (2 * mpmath.pi**2 * w))
    c = np.array([frequency**2 / 4])
    assert np.exp(log_stable_mixture(index, c, 1))[0] / np.sqrt(4 * np.pi) == pytest.approx(line, rel=1e-11)
    assert np.exp(log_stable_mixture(index, c, 3))[0] / (4 * np.pi) ** 1.5 == pytest.approx(space, rel=1e-11)


@pytest.mark.parametrize("index", [0.1, 0.4, 0.8, 0.99])
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_at_zero_it_is_a_moment_and_it_starts_there(index: float, dim: int) -> None:
    """E A^{−w} = Γ(1 + w/a) / Γ(1 + w): the value for w = d/2, the slope for w + 1."""
    value, slope = (mpmath.gamma(1 + w / index) / mpmath.gamma(1 + w) for w in (dim / 2, dim / 2 + 1))
    near = 1e-3 * float(value / slope)
    found = log_stable_mixture(index, np.array([0.0, 1e-9 * near, 1e-3 * near]), dim)
    np.testing.assert_allclose(found, float(mpmath.log(value)), rtol=1e-12, atol=2e-6)
    assert found[:2] == pytest.approx(float(mpmath.log(value)), rel=1e-11, abs=1e-11)
    assert found[0] - found[2] == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("index", [0.05, 0.2, 0.5, 0.85, 0.999])
def test_more_dimensions_are_derivatives(index: float) -> None:
    """−d/dc of the mixture in d dimensions is the one in d + 2."""
    c, step = np.geomspace(1e-2, 30, 12), 1e-3
    points = c[:, None] * np.exp(step * np.array([-2, -1, 1, 2]))
    logs = log_stable_mixture(index, points.ravel(), 2).reshape(points.shape)
    slope = logs @ np.array([1, -8, 8, -1]) / (12 * step) / c
    ratio = np.exp(log_stable_mixture(index, c, 4) - log_stable_mixture(index, c, 2))
    np.testing.assert_allclose(-slope, ratio, rtol=1e-7)


def test_the_tail_is_a_power() -> None:
    """The leading residue: a sin(πa)/π · Γ(d/2 + a) Γ(a) c^{−d/2−a}, to a relative c^{−a}."""
    a, dim, c = 0.6, 3, np.array([1e20, 1e40])
    leading = np.log(a * np.sin(np.pi * a) / np.pi) + float(mpmath.loggamma(dim / 2 + a) + mpmath.loggamma(a))
    np.testing.assert_allclose(log_stable_mixture(a, c, dim), leading - (dim / 2 + a) * np.log(c), rtol=1e-12)


def test_shapes_are_kept() -> None:
    assert log_stable_mixture(0.7, np.ones((2, 3)), 2).shape == (2, 3)
    assert log_stable_mixture(0.7, np.array(1.0), 2).shape == ()
    assert log_stable_mixture(0.7, np.zeros((0, 3)), 2).shape == (0, 3)
