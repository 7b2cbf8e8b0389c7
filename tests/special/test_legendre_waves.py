"""Spherical Bessel functions in all three ranges against SciPy."""

from __future__ import annotations

import numpy as np
from scipy.special import spherical_jn

from kernelspec.special.legendre import legendre_waves


def test_against_scipy() -> None:
    x = np.array([1e-7, -1e-3, 0.5, 3.14159, -7.0, 21.9, 22.1, 400.0])
    degrees = np.arange(24)
    bessel = spherical_jn(degrees, np.abs(x)[:, None]) * np.sign(x)[:, None] ** degrees
    np.testing.assert_allclose(legendre_waves(x), 2 * (-1j) ** degrees * bessel, atol=1e-14)
