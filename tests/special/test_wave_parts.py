"""Tests of `special/wave_parts.py`."""

from __future__ import annotations

from math import sqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest, kstest

from kernelspec.errors import PlanError
from kernelspec.random.streams import Stream
from kernelspec.special.wave_integrals import wave_mass, wave_second_moment
from kernelspec.special.wave_parts import (
    LARGEST_INVERTED,
    WavePart,
    arc_moment,
    draw_wave,
    draw_wave_by_rejection,
    wave_quantile,
)
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_characteristic_function
from tests.special.wave_oracles import NAMES, PARTS, exact_arcs, exact_integral, exact_moment, grid

FREQUENCIES = [1e-6, 1e-3, 0.0423, 0.05, 0.132, 0.3, 0.7, 1.0, 1.499, 2.5]
SMALLEST_NORMAL = 2.3e-308


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("power", [0, 2])
def test_moments(part: WavePart, power: int) -> None:
    tiny = 0
    for a in FREQUENCIES:
        with mpmath.workdps(20):
            expected = exact_moment(part, a, power)
            found = mpmath.mpf(arc_moment(part, a, power))
            if expected < SMALLEST_NORMAL:
                assert found == 0
            else:
                tiny += expected < 1e-200
                assert abs(found / expected - 1) < 1e-12, (a, found, expected)
    assert tiny == 2 * (part is WavePart.NEGATIVE_COSINE)  # a mass of 1e-217 and one of 1e-303 were compared


def test_first_moments_of_the_sine() -> None:
    """E |Z| |sin aZ| ≥ E Z sin aZ = a e^{−a²/2}, equal to first order in a."""
    assert arc_moment(WavePart.ABSOLUTE_SINE, 1e-8, 1) == pytest.approx(1e-8, rel=1e-14)
    assert arc_moment(WavePart.ABSOLUTE_SINE, 1e-40, 0) == pytest.approx(1e-40 * sqrt(2 / np.pi), rel=1e-14)
    assert arc_moment(WavePart.POSITIVE_SINE, 1e-85, 2) == pytest.approx(1e-85 * sqrt(2 / np.pi), rel=1e-14)


def test_zero() -> None:
    assert arc_moment(WavePart.POSITIVE_COSINE, 0.0) == pytest.approx(1, rel=1e-14)
    assert arc_moment(WavePart.ABSOLUTE_COSINE, 0.0, 2) == pytest.approx(1, rel=1e-14)
    for part in (WavePart.NEGATIVE_COSINE, WavePart.POSITIVE_SINE, WavePart.NEGATIVE_SINE, WavePart.ABSOLUTE_SINE):
        assert arc_moment(part, 0.0) == 0


SEED = 20_251_208
BUDGET = 1e-8
FREQUENCIES_OF_WAVE_DRAWS = [1e-3, 0.132, 0.5, 1.5, 3.0, 20.0, 100.0]
SYMMETRIC = [part for part in PARTS if part.symmetric]
DRAWS = 40_000


@pytest.mark.long
@pytest.mark.parametrize("part", [p for p in PARTS if p.symmetric], ids=[p.name.lower() for p in SYMMETRIC])
@pytest.mark.parametrize("a", [1e-3, 0.132, 0.5, 1.5, 3.0])
def test_the_distribution_function_of_a_quantile_is_its_level(part: WavePart, a: float) -> None:
    u = np.array([1e-13, 0.003, 0.04, 0.29, 0.4999, 0.5 + 1e-9, 0.51, 0.6, 0.75, 0.873, 0.99, 1 - 1e-6, 1 - 1e-12])
    points = wave_quantile(part, a, u)
    with mpmath.workdps(28):
        arcs = exact_arcs(part, a)
        first = arcs[0][0]
        masses = [exact_integral(part, a, low, high, first) for low, high in arcs]
        for point, level in zip(points, u, strict=True):
            below = mpmath.mpf(0)
            for (low, high), mass in zip(arcs, masses, strict=True):
                if abs(point) >= high:
                    below += mass
                elif abs(point) > low:
                    below += exact_integral(part, a, low, mpmath.mpf(float(abs(point))), first)
            found = (1 + np.sign(point) * below / mpmath.fsum(masses)) / 2
            # a point near s₀ = π/2a is known to a rounding only, which moves its level by up to s₀² ε
            assert abs(found - level) < 1e-12 + 1e-16 * (float(first) ** 2), (point, level)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", FREQUENCIES_OF_WAVE_DRAWS)
def test_draws_follow_the_law(part: WavePart, a: float) -> None:
    drawn = draw_wave(Stream(SEED), part, a, DRAWS)
    z, weights = grid(part, a)
    assert kstest(drawn, lambda x: np.interp(x, z, np.cumsum(weights))).pvalue > BUDGET
    assert part.values(a * drawn).min() >= 0
    assert (part.values(a * drawn) > 0).mean() > 0.9999  # a rounding of az may carry a point over a zero
    if part.symmetric:
        assert binomtest(int((drawn > 0).sum()), DRAWS).pvalue > BUDGET


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", FREQUENCIES_OF_WAVE_DRAWS)
def test_characteristic_function_and_second_moment(part: WavePart, a: float) -> None:
    drawn = draw_wave(Stream(SEED + 1), part, a, DRAWS)
    lags = np.array([0.0, 0.3, 1.0, 2.2, 0.7 * a, a + 0.4, 2 * a])
    z, weights = grid(part, a)
    expected = weights @ np.cos(np.outer(z, lags))
    if part.symmetric:
        assert_characteristic_function(drawn[:, None], lags[:, None], expected, budget=BUDGET)
    else:
        # E sin tZ max(± sin aZ, 0) = ± ½ E sin tZ sin aZ
        odd = (np.exp(-((lags - a) ** 2) / 2) - np.exp(-((lags + a) ** 2) / 2)) / (4 * wave_mass(part, a))
        assert_mean(np.cos(np.outer(drawn, lags)), expected, budget=BUDGET)
        assert_mean(np.sin(np.outer(drawn, lags)), part.sign * odd, budget=BUDGET)
    mass = wave_mass(part, a)
    if mass > 0:
        assert_mean(drawn**2, wave_second_moment(part, a) / mass, budget=BUDGET)


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [0.132, 3.0, 50.0, 2 * LARGEST_INVERTED])
def test_the_first_draws_do_not_depend_on_how_many_follow(part: WavePart, a: float) -> None:
    few, many = draw_wave(Stream(SEED), part, a, 7), draw_wave(Stream(SEED), part, a, 5003)
    assert np.array_equal(few, many[:7])
    assert not np.array_equal(few, draw_wave(Stream(SEED + 1), part, a, 7))
    assert draw_wave(Stream(SEED), part, a, 0).shape == (0,)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [LARGEST_INVERTED, 2 * LARGEST_INVERTED, 1e6])
def test_many_arcs(part: WavePart, a: float) -> None:
    """At high frequencies the law is the Gaussian, and the wave's own law that of a biased angle."""
    drawn = draw_wave(Stream(SEED), part, a, DRAWS)
    assert kstest(drawn, "norm").pvalue > BUDGET
    waves = part.values(a * drawn)
    assert kstest(np.sqrt(np.maximum(0, 1 - waves**2)), "uniform").pvalue > BUDGET


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [0.7, 3.0])
def test_rejection_draws_the_same_law(part: WavePart, a: float) -> None:
    drawn = draw_wave_by_rejection(Stream(SEED + 2), part, a, DRAWS)
    mass = wave_mass(part, a)
    assert (part.values(a * drawn) > 0).all()
    assert_mean(drawn**2, wave_second_moment(part, a) / mass, budget=BUDGET)
    z, weights = grid(part, a)
    assert kstest(drawn, lambda x: np.interp(x, z, np.cumsum(weights))).pvalue > BUDGET


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [1e-80, 1e-9, 0.01, 0.7, 2.0, 30.0, 1000.0])
def test_extreme_levels_have_points(part: WavePart, a: float) -> None:
    powers = 10.0 ** -np.arange(1, 17)
    u = np.concatenate([[2.0**-53], powers, [0.5], (1 - powers)[:-1], [1 - 2.0**-53], np.arange(1, 64) / 64])
    points = wave_quantile(part, a, u)
    assert np.isfinite(points).all()
    if part.symmetric:
        assert (np.diff(points[np.argsort(u)]) >= 0).all()


@pytest.mark.long
def test_small_frequencies() -> None:
    """As a → 0: the Gaussian, a Rayleigh law on both sides, and z − π/2a of Gamma law far out."""
    a = 1e-7
    assert kstest(draw_wave(Stream(SEED), WavePart.POSITIVE_COSINE, 0.0, DRAWS), "norm").pvalue > BUDGET
    assert kstest(np.abs(draw_wave(Stream(SEED), WavePart.ABSOLUTE_SINE, a, DRAWS)), "rayleigh").pvalue > BUDGET
    assert kstest(draw_wave(Stream(SEED), WavePart.POSITIVE_SINE, a, DRAWS), "rayleigh").pvalue > BUDGET
    assert kstest(-draw_wave(Stream(SEED), WavePart.NEGATIVE_SINE, a, DRAWS), "rayleigh").pvalue > BUDGET
    first = np.pi / (2 * 1e-3)
    beyond = np.abs(draw_wave(Stream(SEED), WavePart.NEGATIVE_COSINE, 1e-3, DRAWS)) - first
    assert kstest(beyond * first, "gamma", args=(2,)).pvalue > BUDGET


def test_laws_without_mass_are_refused() -> None:
    for part in (WavePart.NEGATIVE_COSINE, WavePart.POSITIVE_SINE, WavePart.NEGATIVE_SINE, WavePart.ABSOLUTE_SINE):
        with pytest.raises(PlanError, match="no mass at a = 0"):
            draw_wave(Stream(SEED), part, 0.0, 5)


ANGLES = np.concatenate([np.linspace(-10, 10, 2001), [0.0]])


def test_parts_make_up_the_wave() -> None:
    for wave, positive, negative, absolute in (
        (np.cos, WavePart.POSITIVE_COSINE, WavePart.NEGATIVE_COSINE, WavePart.ABSOLUTE_COSINE),
        (np.sin, WavePart.POSITIVE_SINE, WavePart.NEGATIVE_SINE, WavePart.ABSOLUTE_SINE),
    ):
        plus, minus = positive.values(ANGLES), negative.values(ANGLES)
        assert min(plus.min(), minus.min()) == 0
        np.testing.assert_array_equal(plus - minus, wave(ANGLES))
        np.testing.assert_array_equal(plus + minus, absolute.values(ANGLES))
