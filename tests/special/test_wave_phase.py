"""The transform of |h| e^{2i arg h} against quadrature."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from kernelspec.special.wave_integrals import doubled_phase


def exact(a: float, c: float, lag: float) -> float:
    def integrand(z: float) -> float:
        h = 1 + 1j * c * np.sin(a * z)
        return float((abs(h) * np.exp(1j * (2 * np.angle(h) + lag * z))).real * norm.pdf(z))

    cuts = np.pi * np.arange(-int(9 * a / np.pi) - 1, int(9 * a / np.pi) + 2) / a if a else [-1.0, 1.0]
    edges = [-9.5, *[cut for cut in cuts if abs(cut) < 9.5], 9.5]
    return sum(quad(integrand, lo, hi, epsabs=1e-13, limit=400)[0] for lo, hi in pairwise(edges))


@pytest.mark.long
@pytest.mark.parametrize("a", [0.01, 0.13, 1.0, 2.5])
@pytest.mark.parametrize("c", [1.0, 3.0, 40.0])
def test_against_quadrature(a: float, c: float) -> None:
    lags = np.array([0.0, 0.4, -1.7, 5.0])
    for lag, found in zip(lags, doubled_phase(a, c, lags), strict=True):
        assert found == pytest.approx(exact(a, c, float(lag)), abs=2e-9 * c)


def test_no_wave_is_a_gaussian() -> None:
    lags = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(doubled_phase(0.0, 5.0, lags), np.exp(-(lags**2) / 2), rtol=1e-12)
    np.testing.assert_allclose(doubled_phase(0.7, 0.0, lags), np.exp(-(lags**2) / 2), rtol=1e-12)
