"""Values whose factors overflow where they themselves do not, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.special.elementary import Scaled

LAGS = [-3000.0, -800.0, -3.0, -1e-3, 0.0, 0.4, 7.0, 900.0, 3000.0]


def matern(nu: float, t: mpmath.mpf) -> mpmath.mpf:
    x = mpmath.sqrt(2 * mpmath.mpf(nu)) * abs(t)
    return mpmath.mpf(1) if x == 0 else 2 ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu) * x**nu * mpmath.besselk(nu, x)


CASES = {
    "tilt(laplace(), by=0.3)": lambda t: mpmath.exp(0.3 * t - abs(t)),
    "tilt(laplace(), by=1)": lambda t: mpmath.exp(t - abs(t)),
    "tilt(exponential(2), by=-0.5)": lambda t: mpmath.exp(-0.5 * t - abs(t) / 2),
    "tilt(matern(1.5), by=1)": lambda t: matern(1.5, t) * mpmath.exp(t),
    "tilt(matern(0.3), by=-0.7)": lambda t: matern(0.3, t) * mpmath.exp(-0.7 * t),
    "tilt(powered_exponential(0.5), by=0.001)": lambda t: mpmath.exp(0.001 * t - mpmath.sqrt(abs(t))),
    "tilt(laplace(), by=3)*gaussian()": lambda t: mpmath.exp(3 * t - abs(t) - t**2 / 2),
    "tilt(laplace(), by=3)*sinh_gaussian(by=2)": lambda t: (
        mpmath.exp(3 * t - abs(t) - t**2 / 2) * (1 + mpmath.sinh(2 * t))
    ),
    "(tilt(laplace(), by=0.9) - 0.5*tilt(laplace(), by=1))**2": lambda t: (
        (mpmath.exp(0.9 * t - abs(t)) - mpmath.exp(t - abs(t)) / 2) ** 2
    ),
    "shift(tilt(laplace(), by=1), by=-2)": lambda t: mpmath.exp(t - 2 - abs(t - 2)),
    "stretch(tilt(laplace(), by=1), 0.5)": lambda t: mpmath.exp(2 * t - abs(2 * t)),
    "tilt(laplace(), by=1)*shift_gaussian(by=1)": lambda t: mpmath.exp(t - abs(t) - (t + 1) ** 2 / 2),
    "tilt(laplace(), by=1)*cosh_gaussian(by=1)": lambda t: mpmath.exp(2 * t - abs(t) - t**2 / 2),
}


@pytest.mark.parametrize("text", CASES)
def test_nothing_overflows_on_the_way(text: str) -> None:
    with mpmath.workdps(50):
        expected = [float(CASES[text](mpmath.mpf(lag))) for lag in LAGS]
    found = ks.parse(text).gram(np.array(LAGS)[:, None], np.zeros((1, 1))).ravel()
    # e^s is right to |s| roundings
    np.testing.assert_allclose(found, expected, rtol=2e-12, atol=1e-300)


def test_what_is_beyond_all_floats_is_refused() -> None:
    with pytest.raises(DataError, match="k\\(x, y\\) overflows for rows 0 and 0"):
        ks.parse("tilt(laplace(), by=3)").gram(np.array([[3000.0]]), np.zeros((1, 1)))


def test_sums_take_the_larger_exponent() -> None:
    large, small = Scaled(np.array([1.0, 0.0]), np.array([2000.0, 5000.0])), Scaled(np.array([2.0]), np.array([1999.0]))
    total = large.plus(small, -1.0)
    np.testing.assert_allclose(
        np.log(np.abs(total.mantissa)) + total.exponent, [2000 + np.log1p(-2 / np.e), 1999 + np.log(2)]
    )
    assert (np.sign(total.mantissa) == [1, -1]).all()
