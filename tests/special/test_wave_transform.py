"""Transforms of the parts of a wave against quadrature between the zeros of the wave."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from kernelspec.special.wave_integrals import wave_cosine, wave_sine
from kernelspec.special.wave_parts import WavePart

LAGS = (0.0, 0.7, -2.3, 8.0)


def exact(part: WavePart, a: float) -> tuple[list[float], list[float]]:
    """E w(aZ) cos(lag Z) and E w(aZ) sin(lag Z) at all lags, Gauss and Legendre between the zeros of the wave."""
    zeros = [np.pi * k / (2 * a) for k in range(-int(8 * a) - 2, int(8 * a) + 3)]
    cuts = np.unique([*np.arange(-12.0, 13.0), *(z for z in zeros if abs(z) < 12)])
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = np.diff(cuts)[:, None] / 2
    z = ((cuts[:-1] + cuts[1:])[:, None] / 2 + half * nodes).ravel()
    wave = np.sin(a * z) if part.odd else np.cos(a * z)
    value = np.abs(wave) if part.sign == 0 else np.maximum(part.sign * wave, 0)
    density = (half * weights).ravel() * value * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    cosines, sines = ([fsum(density * turn(lag * z)) for lag in LAGS] for turn in (np.cos, np.sin))
    return cosines, sines


@pytest.mark.long
@pytest.mark.parametrize("part", WavePart, ids=lambda part: part.name)
@pytest.mark.parametrize("a", [0.0, 0.05, 0.169, 0.172, 0.9, 3.0])
def test_against_quadrature(part: WavePart, a: float) -> None:
    if a == 0:
        found = wave_cosine(part, 0.0, np.array(LAGS))
        np.testing.assert_allclose(found, 0 if part.vanishes else np.exp(-np.square(LAGS) / 2), atol=1e-15)
        return
    cosine, sine = wave_cosine(part, a, np.array(LAGS)), wave_sine(part, a, np.array(LAGS))
    expected_cosine, expected_sine = exact(part, a)
    np.testing.assert_allclose(cosine, expected_cosine, rtol=0, atol=2e-15)
    np.testing.assert_allclose(sine, expected_sine, rtol=0, atol=2e-15)


def test_far_away_the_kinks_decide() -> None:
    # |sin| has corners: its transform falls like the Fourier coefficients, not like a Gaussian
    a, k = 0.5, 400
    found = float(wave_cosine(WavePart.ABSOLUTE_SINE, a, np.array(2.0 * k * a)))
    near = sum(-2 / np.pi / (4 * j**2 - 1) * np.exp(-((2 * a * (k - j)) ** 2) / 2) for j in range(k - 20, k + 21))
    assert found == pytest.approx(near, rel=1e-12)


def test_the_shape_is_kept() -> None:
    assert wave_cosine(WavePart.POSITIVE_COSINE, 0.4, np.zeros((2, 3))).shape == (2, 3)
    assert wave_sine(WavePart.POSITIVE_SINE, 0.4, np.zeros(())).shape == ()
