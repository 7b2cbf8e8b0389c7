"""Central binomial coefficients and first returns, exactly."""

from math import comb

import mpmath
import numpy as np
import pytest

from kernelspec.activations.series import central_binomial, first_return, first_return_at
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions


def test_small_ones_exactly() -> None:
    k = np.arange(500)
    exact = [comb(2 * n, n) / 4**n for n in range(500)]
    np.testing.assert_allclose(central_binomial(k), exact, rtol=4e-16)


@pytest.mark.parametrize("k", [255, 256, 10**3, 10**6, 10**9, 10**12, 10**15])
def test_large_ones(k: int) -> None:
    with mpmath.workdps(40):
        exact = mpmath.gammaprod([k + mpmath.mpf("0.5")], [mpmath.mpf("0.5"), k + 1])
    assert float(central_binomial(np.array(k))) == pytest.approx(float(exact), rel=6e-16)


def test_they_are_the_tail_of_the_first_returns() -> None:
    k = np.arange(1, 100_000)
    np.testing.assert_allclose(1 - np.cumsum(first_return(k)), central_binomial(k), atol=1e-13)


@pytest.mark.parametrize("k", [1, 2, 7, 254, 255, 256, 257, 1000, 10**5, 10**7])
def test_inversion_at_the_edges(k: int) -> None:
    """K = k exactly for c_k < u ≤ c_{k−1}."""
    below, above = central_binomial(np.array([k, k - 1]))
    u = np.array([below * (1 + 1e-13), (below + above) / 2, above * (1 - 1e-13)])
    assert first_return_at(u).tolist() == [k, k, k]
    assert first_return_at(np.array([below * (1 - 1e-13)])).tolist() == [k + 1]


def test_inversion_far_out() -> None:
    for u in (1e-6, 1e-9, 2.0**-53):
        assert float(first_return_at(np.array(u))) == pytest.approx(1 / (np.pi * u**2), rel=1e-9)


def test_draws() -> None:
    drawn = first_return_at(Stream(4).uniforms("test", (500_000,)))
    edges = np.array([1, 2, 3, 4, 10, 100, 1000, 10**5])
    chances = -np.diff(np.append(central_binomial(edges - 1), 0.0))
    assert_proportions(np.histogram(drawn, [*edges, np.inf])[0], chances, budget=1e-8)
