"""The leaky rectifier."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from kernelspec.activations.polynomials import Identity
from kernelspec.activations.rectifiers import Abs, LeakyRelu, Relu
from tests.activations.quadrature import plane_mean
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (LeakyRelu(), lambda x: np.where(x > 0, x, 0.01 * x)),
        (LeakyRelu(slope=0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
        (LeakyRelu(slope=4.0), lambda x: np.where(x > 0, x, 4 * x)),
    ]
)

RHO = np.linspace(-1, 1, 101)


@pytest.mark.parametrize(("slope", "same"), [(0.0, Relu()), (1.0, Identity()), (-1.0, Abs())], ids=str)
def test_its_special_cases(slope: float, same: Relu | Identity | Abs) -> None:
    leaky = LeakyRelu(slope=slope)
    np.testing.assert_allclose(leaky.dual(RHO), same.dual(RHO), atol=1e-16)
    np.testing.assert_allclose(leaky.coefficient(np.arange(40)), same.coefficient(np.arange(40)), rtol=1e-15)
    np.testing.assert_allclose(leaky.evaluate(3 * RHO), same.evaluate(3 * RHO), rtol=1e-15)
    assert leaky.radius() == same.radius()


def test_the_identity_has_a_dual_everywhere() -> None:
    assert LeakyRelu(slope=1.0).radius() == math.inf
    np.testing.assert_array_equal(LeakyRelu(slope=1.0).dual_at(np.array([-7.0, 3.0])), [-7, 3])


@given(slope=st.floats(-50, 50), rho=st.floats(-1, 1))
@settings(max_examples=30)
def test_any_slope(slope: float, rho: float) -> None:
    def written(x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, slope * x)

    expected = plane_mean(written, rho) / ((1 + slope**2) / 2)
    assert float(LeakyRelu(slope=slope).dual(np.array(rho))) == pytest.approx(expected, abs=1e-11)
