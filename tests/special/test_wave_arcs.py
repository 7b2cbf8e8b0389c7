"""Sums over arcs against mpmath, from frequencies where they are all of the Gaussian to many arcs."""

from __future__ import annotations

from math import sqrt

import mpmath
import numpy as np
import pytest

from kernelspec.special.wave_parts import WavePart, arc_moment, wave_arcs
from tests.special.wave_oracles import NAMES, PARTS, exact_moment

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


@pytest.mark.parametrize("part", PARTS, ids=NAMES)
@pytest.mark.parametrize("a", [1e-3, 0.5, 20.0])
def test_panels_tile_the_arcs(part: WavePart, a: float) -> None:
    arcs = wave_arcs(part, a)
    ends = arcs.offset + arcs.width
    joined = np.diff(arcs.start) == 0
    np.testing.assert_allclose(ends[:-1][joined], arcs.offset[1:][joined], rtol=1e-13)
    assert (arcs.offset[1:][~joined] == 0).all()
    assert (arcs.integral() > 0).all()
    middle = arcs.places(0.5)
    wave = np.sin(a * middle) if part.odd else np.cos(a * middle)
    assert (np.sign(wave) == arcs.sign).all()
    first = arcs.start[0]
    scaled = np.abs(wave) * np.exp((first - middle) * (first + middle) / 2)
    np.testing.assert_allclose(arcs.density(0.5), scaled, rtol=1e-8)
