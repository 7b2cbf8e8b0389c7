"""Gaussian bumps."""

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from kernelspec.activations.analytic import Gaussian
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Gaussian(), lambda x: np.exp(-(x**2))),
        (Gaussian(a=0.2), lambda x: np.exp(-0.2 * x**2)),
        (Gaussian(a=4.0), lambda x: np.exp(-4 * x**2)),
    ]
)


@pytest.mark.parametrize("a", [0.1, 1.0, 30.0, 1e5])
def test_twice_a_negative_binomial_number(a: float) -> None:
    q = 2 * a / (1 + 2 * a)
    law = scipy.stats.nbinom(0.5, (1 + 4 * a) / (1 + 2 * a) ** 2)
    k = np.unique(np.geomspace(1, 10 / (1 - q**2), 40).astype(int))
    np.testing.assert_allclose(Gaussian(a=a).coefficient(2 * k), law.pmf(k), rtol=1e-9)
    assert Gaussian(a=a).derivative_at_one() == pytest.approx(2 * law.mean(), rel=1e-9)


@given(logarithm=st.floats(-60, 60), rho=st.floats(-1, 1))
def test_flat_and_steep(logarithm: float, rho: float) -> None:
    law = Gaussian(a=10**logarithm)
    with mpmath.workdps(300):
        a, r = mpmath.mpf(law.a), mpmath.mpf(rho)
        exact = mpmath.sqrt((1 + 4 * a) / ((1 + 2 * a) ** 2 - 4 * a**2 * r**2))
    assert float(law.dual(np.array(rho))) == pytest.approx(float(exact), rel=1e-14)
