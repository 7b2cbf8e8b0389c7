"""The cosine."""

import numpy as np
import pytest

from kernelspec.activations.analytic import Cos, Exp, Sin
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Cos(), np.cos),
        (Cos(a=0.3), lambda x: np.cos(0.3 * x)),
        (Cos(a=2.2), lambda x: np.cos(2.2 * x)),
    ]
)


@pytest.mark.parametrize("a", [0.5, 1.0, 3.0, 40.0, 1e4])
def test_the_squares_of_cosine_and_sine_add_to_a_gaussian(a: float) -> None:
    """E cos aX cos aY + E sin aX sin aY = E cos a(X − Y) = e^{−a²(1 − ρ)}."""
    rho = np.array([-1, -0.2, 0.0, 0.3, 0.999, 1 - 1e-9, 1])
    share = (1 + np.exp(-2 * a**2)) / 2
    together = share * Cos(a=a).dual(rho) + (1 - share) * Sin(a=a).dual(rho)
    np.testing.assert_allclose(together, Exp(c=min(a**2, 1e8)).dual(rho), atol=1e-15)
    degrees = np.arange(300)
    together = share * Cos(a=a).coefficient(degrees) + (1 - share) * Sin(a=a).coefficient(degrees)
    np.testing.assert_allclose(together, Exp(c=a**2).coefficient(degrees), rtol=1e-13)


def test_a_slow_cosine_is_constant() -> None:
    assert Cos(a=1e-70).dual(np.array([-1.0, 0.3])) == pytest.approx(1)
    assert Cos(a=1e-70).derivative_at_one() < 1e-200
