"""The error function."""

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
import scipy.special
from hypothesis import given

from kernelspec.activations.steps import Erf
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Erf(), scipy.special.erf),
        (Erf(scale=0.4), lambda x: scipy.special.erf(0.4 * x)),
        (Erf(scale=2.5), lambda x: scipy.special.erf(2.5 * x)),
    ]
)


def test_as_the_paper_writes_it() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Erf().dual(rho), np.arcsin(2 * rho / 3) / np.arcsin(2 / 3), atol=1e-15)
    assert Erf().radius() == 1.5
    assert float(Erf().dual_absolute(np.array(1.5))) == pytest.approx(np.pi / 2 / np.arcsin(2 / 3), rel=1e-7)


@given(logarithm=st.floats(-60, 60), rho=st.floats(-1, 1))
def test_flat_and_steep(logarithm: float, rho: float) -> None:
    """In 200 digits: neither the identity nor the sign loses any."""
    law = Erf(scale=10**logarithm)
    with mpmath.workdps(200):
        double = 2 * mpmath.mpf(law.scale) ** 2
        q = double / (1 + double)
        exact = mpmath.asin(q * mpmath.mpf(rho)) / mpmath.asin(q)
        slope = q / mpmath.sqrt(1 - q**2) / mpmath.asin(q)
    assert float(law.dual(np.array(rho))) == pytest.approx(float(exact), abs=1e-15)
    assert law.derivative_at_one() == pytest.approx(float(slope), rel=1e-14)
