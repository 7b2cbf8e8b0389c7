"""The Gaussian error linear unit."""

import numpy as np
import scipy.special

from kernelspec.activations.gelu import Gelu

from .standard import standard_activation_tests

test_standard = standard_activation_tests([(Gelu(), lambda x: x * scipy.special.ndtr(x))])


def test_its_odd_part_is_half_the_identity() -> None:
    rho = np.linspace(-1, 1, 51)
    odd = (Gelu().dual(rho) - Gelu().dual(-rho)) / 2
    np.testing.assert_allclose(odd, rho * Gelu().coefficient(np.array(1)), atol=1e-15)
