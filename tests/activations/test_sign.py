"""The sign."""

import numpy as np
import pytest

from kernelspec.activations.steps import Erf, Sign
from tests.activations.heavy_tails import exceedances_test
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Sign(), np.sign)])
test_exceedances = pytest.mark.long(exceedances_test(Sign(), 0.508))


def test_the_limit_of_steep_error_functions() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_allclose(Erf(scale=1e12).dual(rho), Sign().dual(rho), atol=1e-11)
    np.testing.assert_allclose(
        Erf(scale=1e12).coefficient(np.arange(99)), Sign().coefficient(np.arange(99)), atol=1e-11
    )
