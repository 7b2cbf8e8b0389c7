"""The Erlang law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import Erlang, Gamma
from tests.distributions.comparisons import assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Erlang(shape=1), scipy.stats.erlang(1)),
        (Erlang(shape=3, scale=0.4), scipy.stats.erlang(3, scale=0.4)),
        (Erlang(shape=12), scipy.stats.erlang(12)),
    ]
)


@pytest.mark.parametrize("shape", [1, 2, 7, 1000])
def test_a_gamma_law(shape: int) -> None:
    assert_same_law(Erlang(shape=shape, scale=0.3), Gamma(shape=float(shape), scale=0.3))


@pytest.mark.parametrize("shape", [3, 8, 20])
def test_an_exponential_times_a_polynomial(shape: int) -> None:
    """E(1 − t/R)₊ = Σ_{j≤n−2} (1 − j/(n−1)) e^{−t} t^j/j!, from sums of Poisson chances."""
    j = np.arange(shape - 1)
    lags = np.linspace(0, 60, 50)
    chances = scipy.stats.poisson(lags[:, None]).pmf(j)
    np.testing.assert_allclose(Erlang(shape=shape).polya_kernel(lags), chances @ (1 - j / (shape - 1)), rtol=1e-12)
