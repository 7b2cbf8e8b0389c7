"""The absolute value."""

import numpy as np

from kernelspec.activations.rectifiers import Abs
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests([(Abs(), np.abs)])


def test_an_even_function_of_the_correlation() -> None:
    rho = np.linspace(0, 1, 57)
    np.testing.assert_array_equal(Abs().dual(rho), Abs().dual(-rho))
    assert Abs().dual(np.array(0.0)) == 2 / np.pi
