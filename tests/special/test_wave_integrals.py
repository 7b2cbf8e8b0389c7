"""Tests of `special/wave_integrals.py`."""

from __future__ import annotations

from itertools import pairwise
from math import exp, pi, sqrt

import mpmath
import numpy as np
import pytest
from mpmath.calculus.quadrature import GaussLegendre
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import kstest, norm

from kernelspec.random.streams import Stream
from kernelspec.special.wave_integrals import (
    SERIES_FROM,
    doubled_phase,
    draw_modulus,
    modulus_mass,
    series_moment,
    wave_cosine,
    wave_mass,
    wave_second_moment,
    wave_sine,
)
from kernelspec.special.wave_parts import LARGEST_INVERTED, WavePart
from kernelspec.testing.laboratory import assert_mean
from tests.laboratory import assert_characteristic_function
from tests.special.wave_oracles import NAMES, PARTS, exact_moment

SEED = 20_251_209
BUDGET = 1e-8
DRAWS = 40_000
CASES = [(1e-6, 1e6), (1e-3, 0.01), (0.132, 1.0), (0.5, 1.13), (0.5, 1e6), (1.4, 30.0), (1.6, 30.0), (2.2, 90.0)]


def exact(frequency: float, amplitude: float) -> mpmath.mpf:
    """Between points that crowd geometrically around every zero of the sine."""
    a, c = mpmath.mpf(frequency), mpmath.mpf(amplitude)
    steps = [mpmath.mpf(0), *(mpmath.mpf(4) ** -k for k in range(14))]
    zeros = [mpmath.pi * k / a for k in range(int(13 * a / mpmath.pi) + 2)]
    points = {z + side * step / (2 * a) for z in zeros for step in steps for side in (-1, 1)}
    points |= {mpmath.mpf(k) for k in range(14)}
    edges = sorted(z for z in points if 0 <= z <= 13)
    total = mpmath.quad(
        lambda z: mpmath.sqrt(1 + (c * mpmath.sin(a * z)) ** 2) * mpmath.exp(-(z**2) / 2),
        edges,
        maxdegree=5,
    )
    return 2 * total / mpmath.sqrt(2 * mpmath.pi)


@pytest.mark.long
@pytest.mark.parametrize(("a", "c"), CASES)
def test_against_quadrature(a: float, c: float) -> None:
    with mpmath.workdps(22):
        assert abs(modulus_mass(a, c) / exact(a, c) - 1) < 1e-13


@pytest.mark.parametrize("c", [1e-9, 0.3, 1.0, 7.0, 1e3, 1e6, 1e12, 1e100])
def test_elliptic_integral_at_high_frequencies(c: float) -> None:
    """(2/π) E(−c²): the angle is uniform."""
    with mpmath.workdps(30):
        expected = 2 * mpmath.ellipe(-(mpmath.mpf(c) ** 2)) / mpmath.pi
        for a in (20.0, 1e5, 1e200):
            assert abs(modulus_mass(a, c) / expected - 1) < 1e-13


@pytest.mark.parametrize("a", [1e-6, 1e-3, 0.132, 1.0, 1.49, 1.51, 4.0])
def test_bounds(a: float) -> None:
    """max(1, c m) ≤ √(1 + c²m²) ≤ E √(1 + c²s²) ≤ 1 + c m, m = E|s| (Jensen; triangle)."""
    m = wave_mass(WavePart.ABSOLUTE_SINE, a)
    for c in (0.0, 1e-8, 0.5, 3.0, 1e4, 1e9):
        assert sqrt(1 + (c * m) ** 2) * (1 - 1e-13) <= modulus_mass(a, c) <= (1 + c * m) * (1 + 1e-13)
    assert modulus_mass(a, 1e25 / a) == pytest.approx(1e25 / a * m, rel=1e-12)
    one_minus_cosine = 1 - float(np.exp(-2 * a**2))  # 2 E sin² aZ
    assert modulus_mass(a, 1e-5) == pytest.approx(1 + 0.25e-10 * one_minus_cosine, rel=1e-14)


def test_no_wave() -> None:
    assert modulus_mass(0.0, 5.0) == 1
    assert modulus_mass(2.0, 0.0) == 1
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
    assert_mean(drawn**2, weights @ z**2, budget=BUDGET)


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


GRID = [*np.geomspace(1e-6, 100, 60), 0.132, np.nextafter(SERIES_FROM, 0), SERIES_FROM]


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [0.132, 1.4, 1.5, 1.9, 3.0, 6.0])
def test_against_quadrature_wave_moments(part: WavePart, a: float) -> None:
    with mpmath.workdps(20):
        assert abs(wave_mass(part, a) / exact_moment(part, a, 0) - 1) < 1e-12
        assert abs(wave_second_moment(part, a) / exact_moment(part, a, 2) - 1) < 1e-12


@pytest.mark.parametrize("a", GRID)
def test_identities(a: float) -> None:
    """E cos aZ = e^{−a²/2} and E Z² cos aZ = (1 − a²) e^{−a²/2}; |w| is the sum of the parts."""
    for moment, cosine in ((wave_mass, exp(-(a**2) / 2)), (wave_second_moment, (1 - a**2) * exp(-(a**2) / 2))):
        plus, minus = moment(WavePart.POSITIVE_COSINE, a), moment(WavePart.NEGATIVE_COSINE, a)
        assert plus - minus == pytest.approx(cosine, abs=1e-14, rel=1e-14)
        assert plus + minus == pytest.approx(moment(WavePart.ABSOLUTE_COSINE, a), rel=1e-13)
        left, right = moment(WavePart.POSITIVE_SINE, a), moment(WavePart.NEGATIVE_SINE, a)
        assert left == right == pytest.approx(moment(WavePart.ABSOLUTE_SINE, a) / 2, rel=1e-14)


def test_the_negative_cosine_that_the_series_cannot_see() -> None:
    """The first arc alone, for a small: 2 φ(s)/s² · a (1 − 3/s² + …), s = π/2a."""
    a = 1 / sqrt(57)
    s = pi / (2 * a)
    leading = 2 * a / s**2 * exp(-(s**2) / 2) / sqrt(2 * pi)
    mass = wave_mass(WavePart.NEGATIVE_COSINE, a)
    assert 0.97 * leading < mass < leading
    assert abs(series_moment(WavePart.NEGATIVE_COSINE, a, 0)) > 1e10 * mass


def exact_of_wave_phase(a: float, c: float, lag: float) -> float:
    def integrand(z: float) -> float:
        h = 1 + 1j * c * np.sin(a * z)
        return float((abs(h) * np.exp(1j * (2 * np.angle(h) + lag * z))).real * norm.pdf(z))

    cuts = np.pi * np.arange(-int(9 * a / np.pi) - 1, int(9 * a / np.pi) + 2) / a if a else [-1.0, 1.0]
    edges = [-9.5, *[cut for cut in cuts if abs(cut) < 9.5], 9.5]
    return sum(quad(integrand, lo, hi, epsabs=1e-13, limit=400)[0] for lo, hi in pairwise(edges))


@pytest.mark.long
@pytest.mark.parametrize("a", [0.01, 0.13, 1.0, 2.5])
@pytest.mark.parametrize("c", [1.0, 3.0, 40.0])
def test_against_quadrature_wave_phase(a: float, c: float) -> None:
    lags = np.array([0.0, 0.4, -1.7, 5.0])
    for lag, found in zip(lags, doubled_phase(a, c, lags), strict=True):
        assert found == pytest.approx(exact_of_wave_phase(a, c, float(lag)), abs=2e-9 * c)


def test_no_wave_is_a_gaussian() -> None:
    lags = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(doubled_phase(0.0, 5.0, lags), np.exp(-(lags**2) / 2), rtol=1e-12)
    np.testing.assert_allclose(doubled_phase(0.7, 0.0, lags), np.exp(-(lags**2) / 2), rtol=1e-12)


LAGS = (0.0, 0.7, -2.3, 8.0)


def legendre_rule() -> NDArray[np.longdouble]:
    """48 nodes and weights of Gauss and Legendre, (2, 48), in extended precision."""
    pairs = GaussLegendre(mpmath.mp).calc_nodes(degree=5, prec=100)
    return np.array([[np.longdouble(mpmath.nstr(x, 25)) for x in own] for own in zip(*pairs, strict=True)])


def exact_of_wave_transform(part: WavePart, a: float) -> tuple[list[float], list[float]]:
    """E w(aZ) cos(lag Z) and E w(aZ) sin(lag Z) at all lags, Gauss and Legendre between the zeros of the wave.

    In extended precision: rounded nodes alone are an error of 2e-15 at lag 8.
    """
    zeros = [np.pi * k / (2 * a) for k in range(-int(8 * a) - 2, int(8 * a) + 3)]
    cuts = np.unique([*np.arange(-12.0, 13.0), *(z for z in zeros if abs(z) < 12)])
    cuts, (nodes, weights) = cuts.astype(np.longdouble), legendre_rule()
    half = np.diff(cuts)[:, None] / 2
    z = ((cuts[:-1] + cuts[1:])[:, None] / 2 + half * nodes).ravel()
    wave = np.sin(a * z) if part.odd else np.cos(a * z)
    value = np.abs(wave) if part.sign == 0 else np.maximum(part.sign * wave, 0)
    density = (half * weights).ravel() * value * np.exp(-(z**2) / 2) / np.sqrt(2 * np.longdouble(np.pi))
    cosines, sines = ([float(np.sum(density * turn(lag * z))) for lag in LAGS] for turn in (np.cos, np.sin))
    return cosines, sines


@pytest.mark.long
@pytest.mark.parametrize("part", WavePart, ids=lambda part: part.name)
@pytest.mark.parametrize("a", [0.0, 0.05, 0.169, 0.172, 0.9, 3.0])
def test_against_quadrature_wave_transform(part: WavePart, a: float) -> None:
    if a == 0:
        found = wave_cosine(part, 0.0, np.array(LAGS))
        np.testing.assert_allclose(found, 0 if part.vanishes else np.exp(-np.square(LAGS) / 2), atol=1e-15)
        return
    cosine, sine = wave_cosine(part, a, np.array(LAGS)), wave_sine(part, a, np.array(LAGS))
    expected_cosine, expected_sine = exact_of_wave_transform(part, a)
    np.testing.assert_allclose(cosine, expected_cosine, rtol=0, atol=2e-15)
    np.testing.assert_allclose(sine, expected_sine, rtol=0, atol=2e-15)


def test_far_away_the_kinks_decide() -> None:
    # |sin| has corners: its transform falls like the Fourier coefficients, not like a Gaussian
    a, k = 0.5, 400
    found = float(wave_cosine(WavePart.ABSOLUTE_SINE, a, np.array(2.0 * k * a)))
    near = sum(-2 / np.pi / (4 * j**2 - 1) * np.exp(-((2 * a * (k - j)) ** 2) / 2) for j in range(k - 20, k + 21))
    assert found == pytest.approx(near, rel=1e-12)
