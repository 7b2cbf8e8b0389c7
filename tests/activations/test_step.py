"""The unit step."""

import numpy as np
import pytest

from kernelspec.activations.steps import Sign, Step
from tests.activations.heavy_tails import exceedances_test
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Step(), lambda x: np.where(x > 0, 1.0, 0.0))])
test_exceedances = pytest.mark.long(exceedances_test(Step(), 0.254))


def test_half_a_constant_and_half_a_sign() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Step().dual(rho), 0.5 + Sign().dual(rho) / 2, atol=1e-16)


def test_the_orthant_probability() -> None:
    # three independent normals: P(X > 0, Y > 0) = 1/3 for ρ = ½, 1/8 + … for ρ = √½
    assert Step().dual(np.array([0.5, 0.0, -0.5])) == pytest.approx([2 / 3, 1 / 2, 1 / 3], abs=1e-15)
