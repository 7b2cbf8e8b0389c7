"""The identity."""

import numpy as np

from kernelspec.activations.polynomials import Identity
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Identity(), lambda x: 2.5 * x)])


def test_the_dual_is_the_correlation() -> None:
    rho = np.linspace(-1, 1, 101)
    np.testing.assert_array_equal(Identity().dual(rho), rho)
    np.testing.assert_array_equal(Identity().dual_at(5 * rho), 5 * rho)
