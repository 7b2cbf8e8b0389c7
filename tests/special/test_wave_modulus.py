"""The modulus √(1 + c² sin² aZ): mpmath between the kinks, elliptic integrals, bounds; draws by grid and moments."""

from __future__ import annotations

from math import pi, sqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import kstest

from kernelspec.random.streams import Stream
from kernelspec.special.wave_integrals import (
    draw_modulus,
    modulus_mass,
    modulus_second_moment,
    wave_mass,
    wave_second_moment,
)
from kernelspec.special.wave_parts import LARGEST_INVERTED, WavePart
from kernelspec.testing.laboratory import assert_characteristic_function, assert_mean

SEED = 20_251_209
BUDGET = 1e-8
DRAWS = 40_000
CASES = [(1e-6, 1e6), (1e-3, 0.01), (0.132, 1.0), (0.5, 1.13), (0.5, 1e6), (1.4, 30.0), (1.6, 30.0), (2.2, 90.0)]


def exact(frequency: float, amplitude: float, power: int) -> mpmath.mpf:
    """Between points that crowd geometrically around every zero of the sine."""
    a, c = mpmath.mpf(frequency), mpmath.mpf(amplitude)
    steps = [mpmath.mpf(0), *(mpmath.mpf(4) ** -k for k in range(14))]
    zeros = [mpmath.pi * k / a for k in range(int(13 * a / mpmath.pi) + 2)]
    points = {z + side * step / (2 * a) for z in zeros for step in steps for side in (-1, 1)}
    points |= {mpmath.mpf(k) for k in range(14)}
    edges = sorted(z for z in points if 0 <= z <= 13)
    total = mpmath.quad(
        lambda z: z**power * mpmath.sqrt(1 + (c * mpmath.sin(a * z)) ** 2) * mpmath.exp(-(z**2) / 2),
        edges,
        maxdegree=5,
    )
    return 2 * total / mpmath.sqrt(2 * mpmath.pi)


@pytest.mark.long
@pytest.mark.parametrize(("a", "c"), CASES)
def test_against_quadrature(a: float, c: float) -> None:
    with mpmath.workdps(22):
        assert abs(modulus_mass(a, c) / exact(a, c, 0) - 1) < 1e-13
        assert abs(modulus_second_moment(a, c) / exact(a, c, 2) - 1) < 1e-13


@pytest.mark.parametrize("c", [1e-9, 0.3, 1.0, 7.0, 1e3, 1e6, 1e12, 1e100])
def test_elliptic_integral_at_high_frequencies(c: float) -> None:
    """(2/π) E(−c²): the angle is uniform."""
    with mpmath.workdps(30):
        expected = 2 * mpmath.ellipe(-(mpmath.mpf(c) ** 2)) / mpmath.pi
        for a in (20.0, 1e5, 1e200):
            assert abs(modulus_mass(a, c) / expected - 1) < 1e-13
            assert abs(modulus_second_moment(a, c) / expected - 1) < 1e-13


@pytest.mark.parametrize("a", [1e-6, 1e-3, 0.132, 1.0, 1.49, 1.51, 4.0])
def test_bounds(a: float) -> None:
    """max(1, c m) ≤ √(1 + c²m²) ≤ E √(1 + c²s²) ≤ 1 + c m, m = E|s| (Jensen; triangle)."""
    for moment, sine in ((modulus_mass, wave_mass), (modulus_second_moment, wave_second_moment)):
        m = sine(WavePart.ABSOLUTE_SINE, a)
        for c in (0.0, 1e-8, 0.5, 3.0, 1e4, 1e9):
            assert sqrt(1 + (c * m) ** 2) * (1 - 1e-13) <= moment(a, c) <= (1 + c * m) * (1 + 1e-13)
        assert moment(a, 1e25 / a) == pytest.approx(1e25 / a * m, rel=1e-12)
        assert moment(a, 1e-5) == pytest.approx(
            1 + 0.25e-10 * _one_minus_cosine(a, moment is not modulus_mass), rel=1e-14
        )


def _one_minus_cosine(a: float, second: bool) -> float:
    """E Z^p (1 − cos 2aZ) = 2 E Z^p sin² aZ."""
    return 1 - (1 - 4 * a**2 if second else 1) * float(np.exp(-2 * a**2))


def test_no_wave() -> None:
    assert modulus_mass(0.0, 5.0) == modulus_second_moment(0.0, 5.0) == 1
    assert modulus_mass(2.0, 0.0) == modulus_second_moment(2.0, 0.0) == 1
    for a, c in ((0.0, 5.0), (2.0, 0.0)):
        assert kstest(draw_modulus(Stream(SEED), a, c, DRAWS), "norm").pvalue > BUDGET


@pytest.mark.long
@pytest.mark.parametrize("c", [0.5, 3.0, 1e6])
@pytest.mark.parametrize("a", [1e-3, 0.132, 0.5, 1.5, 3.0, 20.0, 100.0])
def test_draws(a: float, c: float) -> None:
    drawn = draw_modulus(Stream(SEED), a, c, DRAWS)
    z = np.linspace(-9.6, 9.6, 100_001)
    weights = np.sqrt(1 + np.square(c * np.sin(a * z))) * np.exp(-(z**2) / 2)
    weights /= weights.sum()
    assert kstest(drawn, lambda x: np.interp(x, z, np.cumsum(weights))).pvalue > BUDGET
    lags = np.array([0.0, 0.4, 1.1, 2.0, a, 2 * a])
    assert_characteristic_function(drawn[:, None], lags[:, None], weights @ np.cos(np.outer(z, lags)), budget=BUDGET)
    assert_mean(drawn**2, modulus_second_moment(a, c) / modulus_mass(a, c), budget=BUDGET)


@pytest.mark.long
def test_many_arcs() -> None:
    """With the angle uniform, E |sin aZ| under the law is E |s| √(1 + c²s²) / E √(1 + c²s²)."""
    c = 2.0
    theta = (np.arange(100_000) + 0.5) * pi / 200_000
    root = np.sqrt(1 + np.square(c * np.sin(theta)))
    expected = np.average(np.sin(theta), weights=root)
    for a in (LARGEST_INVERTED, 3 * LARGEST_INVERTED, 1e7):
        drawn = draw_modulus(Stream(SEED), a, c, DRAWS)
        assert kstest(drawn, "norm").pvalue > BUDGET
        assert_mean(np.abs(np.sin(a * drawn)), expected, budget=BUDGET)


@pytest.mark.parametrize("a", [0.132, 3.0, 5000.0])
def test_the_first_draws_do_not_depend_on_how_many_follow(a: float) -> None:
    few, many = draw_modulus(Stream(SEED), a, 3.0, 7), draw_modulus(Stream(SEED), a, 3.0, 5003)
    assert np.array_equal(few, many[:7])
    assert not np.array_equal(few, draw_modulus(Stream(SEED + 1), a, 3.0, 7))
    assert draw_modulus(Stream(SEED), a, 3.0, 0).shape == (0,)
