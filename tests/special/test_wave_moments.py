"""Masses and second moments: mpmath arc by arc, the identities of E cos aZ, one formula against the other."""

from __future__ import annotations

from math import exp, pi, sqrt

import mpmath
import numpy as np
import pytest

from kernelspec.special.wave_integrals import SERIES_FROM, series_moment, wave_mass, wave_second_moment
from kernelspec.special.wave_parts import WavePart, arc_moment
from tests.special.wave_oracles import NAMES, PARTS, exact_moment

GRID = [*np.geomspace(1e-6, 100, 60), 0.132, np.nextafter(SERIES_FROM, 0), SERIES_FROM]


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [0.132, 1.4, 1.5, 1.9, 3.0, 6.0])
def test_against_quadrature(part: WavePart, a: float) -> None:
    with mpmath.workdps(20):
        assert abs(wave_mass(part, a) / exact_moment(part, a, 0) - 1) < 1e-12
        assert abs(wave_second_moment(part, a) / exact_moment(part, a, 2) - 1) < 1e-12


@pytest.mark.long
def test_against_quadrature_over_many_arcs() -> None:
    with mpmath.workdps(20):
        assert (
            abs(wave_mass(WavePart.NEGATIVE_COSINE, 100.0) / exact_moment(WavePart.NEGATIVE_COSINE, 100, 0) - 1) < 1e-12
        )


@pytest.mark.parametrize("a", GRID)
def test_identities(a: float) -> None:
    """E cos aZ = e^{−a²/2} and E Z² cos aZ = (1 − a²) e^{−a²/2}; |w| is the sum of the parts."""
    for moment, cosine in ((wave_mass, exp(-(a**2) / 2)), (wave_second_moment, (1 - a**2) * exp(-(a**2) / 2))):
        plus, minus = moment(WavePart.POSITIVE_COSINE, a), moment(WavePart.NEGATIVE_COSINE, a)
        assert plus - minus == pytest.approx(cosine, abs=1e-14, rel=1e-14)
        assert plus + minus == pytest.approx(moment(WavePart.ABSOLUTE_COSINE, a), rel=1e-13)
        left, right = moment(WavePart.POSITIVE_SINE, a), moment(WavePart.NEGATIVE_SINE, a)
        assert left == right == pytest.approx(moment(WavePart.ABSOLUTE_SINE, a) / 2, rel=1e-14)


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("power", [0, 2])
def test_series_and_arcs_agree(part: WavePart, power: int) -> None:
    for a in (1.3, 1.5, 1.7, 2.0, 5.0, 20.0, 100.0):
        assert series_moment(part, a, power) == pytest.approx(arc_moment(part, a, power), rel=1e-13)


def test_the_negative_cosine_that_the_series_cannot_see() -> None:
    """The first arc alone, for a small: 2 φ(s)/s² · a (1 − 3/s² + …), s = π/2a."""
    a = 1 / sqrt(57)
    s = pi / (2 * a)
    leading = 2 * a / s**2 * exp(-(s**2) / 2) / sqrt(2 * pi)
    mass = wave_mass(WavePart.NEGATIVE_COSINE, a)
    assert 0.97 * leading < mass < leading
    assert abs(series_moment(WavePart.NEGATIVE_COSINE, a, 0)) > 1e10 * mass


def test_limits() -> None:
    for moment in (wave_mass, wave_second_moment):
        for far in (60.0, 1e8, 1e300):
            for part in PARTS:
                assert moment(part, far) == pytest.approx((1 if part.sign else 2) / pi, rel=1e-15)
        assert moment(WavePart.POSITIVE_COSINE, 0.0) == pytest.approx(1, rel=1e-15)
        assert moment(WavePart.NEGATIVE_COSINE, 0.0) == moment(WavePart.ABSOLUTE_SINE, 0.0) == 0
    assert wave_mass(WavePart.ABSOLUTE_SINE, 1e-6) == pytest.approx(1e-6 * sqrt(2 / pi), rel=1e-11)
    assert wave_second_moment(WavePart.ABSOLUTE_SINE, 1e-6) == pytest.approx(2e-6 * sqrt(2 / pi), rel=1e-11)
