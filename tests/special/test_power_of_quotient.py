"""Powers of quotients, in exact rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kernelspec.special.elementary import power_of_quotient

RANDOM = np.random.default_rng(20_251_204)


@pytest.mark.parametrize("power", [1, 2, 7, 50, 200])
@pytest.mark.parametrize("scale", [1.0, 0.7, 3.0, 1e-100, 1.1e100])
def test_against_exact_powers(scale: float, power: int) -> None:
    x = scale * np.exp(RANDOM.uniform(-3, 3, 200))
    exact = [float((Fraction(v) / Fraction(scale)) ** power) for v in x]
    np.testing.assert_allclose(power_of_quotient(x, scale, power), exact, rtol=8e-16)


def test_the_plain_power_would_be_wrong() -> None:
    x = 0.7 * np.exp(RANDOM.uniform(-3, 3, 200))
    assert np.max(np.abs((x / 0.7) ** 200 / power_of_quotient(x, 0.7, 200) - 1)) > 5e-15


def test_the_ends_of_the_range() -> None:
    x = np.array([0.0, 5e-324, 1e-300, 1e300, np.finfo(float).max])
    for scale in (1e-20, 0.3, 1e20):
        with np.errstate(over="ignore"):
            expected = (x / scale) ** 0.05
        np.testing.assert_allclose(power_of_quotient(x, scale, 0.05), expected, rtol=1e-14)
    assert power_of_quotient(x, 0.3, 200)[-1] == np.inf
    assert power_of_quotient(x, 0.3, 200)[0] == 0
    assert power_of_quotient(np.zeros((0, 2)), 0.3, 3).shape == (0, 2)
