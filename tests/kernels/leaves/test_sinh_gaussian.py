"""The Gaussian kernel times one plus a hyperbolic sine."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.measure import measure_of
from tests.kernels.asymmetric import exact, make


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_values(dim: int) -> None:
    kernel = make("sinh", dim)
    lags = np.random.default_rng(dim).standard_normal((20, dim)) * np.geomspace(1e-6, 30, 20)[:, None]
    found = measure_of(kernel).characteristic_function(lags)
    np.testing.assert_allclose(found, exact(kernel, lags), rtol=1e-11, atol=1e-300)
    assert kernel.diagonal() == 1


def test_total_variation() -> None:
    kernel = make("sinh", 2, scale=1.3, by=(0.4, 0.3))
    with mp.workdps(25):
        a = mp.mpf("1.3") * mp.mpf("0.5")
        c = mp.exp(a**2 / 2)
        cuts = sorted({-12, 12, *(mp.pi * k / a for k in range(-2, 3))})
        mass = mp.quad(lambda z: mp.sqrt(1 + c**2 * mp.sin(a * z) ** 2) * mp.npdf(z), cuts)
    assert kernel.total_variation() == pytest.approx(float(mass), rel=1e-12)
