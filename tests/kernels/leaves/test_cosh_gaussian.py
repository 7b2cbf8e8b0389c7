"""The tilted Gaussian kernel."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.measure import measure_of
from tests.kernels.asymmetric import exact, make


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_values_and_total_variation(dim: int) -> None:
    kernel = make("cosh", dim)
    lags = np.random.default_rng(dim).standard_normal((20, dim)) * np.geomspace(1e-6, 30, 20)[:, None]
    found = measure_of(kernel).characteristic_function(lags)
    np.testing.assert_allclose(found, exact(kernel, lags), rtol=1e-11, atol=1e-300)
    assert kernel.diagonal() == 1
    # the maximum of the kernel is the mass of the modulus, at Δ = σ²β
    top = exact(kernel, 1.3**2 * np.array([kernel.by]))[0]
    assert kernel.total_variation() == pytest.approx(top, rel=1e-13)


def test_no_overflow_far_away() -> None:
    lag = np.array([[800.0], [-800.0]])
    found = measure_of(make("cosh", 1, scale=30.0, by=(0.7,))).characteristic_function(lag)
    np.testing.assert_allclose(found, exact(make("cosh", 1, scale=30.0, by=(0.7,)), lag), rtol=1e-12)
