"""Hermite polynomials."""

import mpmath
import numpy as np
import pytest

from kernelspec.activations.polynomials import Hermite, Identity
from tests.activations.standard import standard_activation_tests

test_standard = standard_activation_tests(
    [
        (Hermite(n=1), lambda x: x),
        (Hermite(n=2), lambda x: x**2 - 1),
        (Hermite(n=5), lambda x: x**5 - 10 * x**3 + 15 * x),
    ]
)


def test_the_first_is_the_identity_and_the_zeroth_a_constant() -> None:
    x = np.linspace(-1, 1, 21)
    np.testing.assert_array_equal(Hermite(n=1).dual(x), Identity().dual(x))
    np.testing.assert_array_equal(Hermite(n=1).evaluate(x), Identity().evaluate(x))
    np.testing.assert_array_equal(Hermite(n=0).dual(x), np.ones(21))
    np.testing.assert_array_equal(Hermite(n=0).evaluate(x), np.ones(21))


@pytest.mark.parametrize("n", [7, 60, 1000])
def test_high_degrees(n: int) -> None:
    with mpmath.workdps(60):
        for x in (-1.7, 0.4, 3.0):
            before, now = mpmath.mpf(0), mpmath.mpf(1)
            for k in range(n):
                before, now = now, mpmath.mpf(x) * now - k * before
            exact = now / mpmath.sqrt(mpmath.factorial(n))
            assert float(Hermite(n=n).evaluate(np.array(x))) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)
