"""Tests of `special/elementary.py`."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.distributions.generalized_gamma import power_of_quotient
from kernelspec.distributions.uniform import cosine_integral_gap, excess_over_log
from kernelspec.errors import DataError
from kernelspec.special.elementary import (
    Scaled,
    floats,
    is_stand_in,
    log_gamma_ratio,
    log_gamma_slope,
    log_gamma_weight,
    sinc,
    stirling_remainder,
)


def test_excess_over_log():
    x = np.array([1e-200, 1e-17, 1e-8, 1e-3, 0.1, 0.499999, 0.5, 0.500001, 0.8, 3.0, 1e9, 1e300])
    x = x[x > 1e-150]
    with mpmath.workdps(60):
        exact = [float(mpmath.mpf(v) - mpmath.log1p(mpmath.mpf(v))) for v in x]
    np.testing.assert_allclose(excess_over_log(x), exact, rtol=2e-15)
    assert excess_over_log(np.zeros(1))[0] == 0


@pytest.mark.parametrize("low", [0.0, 1e-9, 0.3, 0.999999, 1.0, 5.0, 4e3, 1e6])
@pytest.mark.parametrize("width", [8.0, 30.0, 1e5])
def test_cosine_integral_gap(low, width):
    with mpmath.workdps(50):
        a, b = mpmath.mpf(low), mpmath.mpf(low + width)
        start = mpmath.euler + mpmath.log(a) - mpmath.ci(a) if low else mpmath.mpf(0)
        exact = mpmath.euler + mpmath.log(b) - mpmath.ci(b) - start
    found = float(cosine_integral_gap(np.array([low]), np.array([low + width]))[0])
    assert found == pytest.approx(float(exact), rel=3e-14)


@pytest.mark.parametrize("alpha", ["1/2", "1", "3/2", "2", "5/2", "3", "7/2", "4", "9/2", "1.3"])
@pytest.mark.filterwarnings("error")
def test_powers_of_lags_are_those_of_many_digits(alpha: str) -> None:
    lags = [0.0, 1e-160, 1e-9, 0.3, 1.0, 2.7, 40.0, 1e4, 1e100]
    exponent = mpmath.mpf(Fraction(alpha).numerator) / Fraction(alpha).denominator
    with mpmath.workdps(40):
        quadratic = [(1 + mpmath.mpf(r) ** 2 / (2 * exponent)) ** -exponent for r in lags]
        stretched = [mpmath.exp(-(mpmath.mpf(r) ** exponent)) for r in lags]
    found = ks.parse(f"rational_quadratic(alpha={alpha})").gram(np.array(lags)[:, None], np.zeros((1, 1)))
    np.testing.assert_allclose(found[:, 0], np.array(quadratic, dtype=float), rtol=1e-13)
    if exponent <= 2:
        found = ks.parse(f"powered_exponential(alpha={alpha})").gram(np.array(lags)[:, None], np.zeros((1, 1)))
        np.testing.assert_allclose(found[:, 0], np.array(stretched, dtype=float), rtol=1e-13)


class StandIn:
    def __array_function__(self, *arguments: object) -> None: ...


def test_a_stand_in_stays_what_it_is_and_all_else_is_an_array() -> None:
    own = StandIn()
    assert floats(own) is own
    assert is_stand_in(own)
    for values in (3, [1, 2], np.arange(3), np.float64(2)):
        assert not is_stand_in(values)
        assert isinstance(floats(values), np.ndarray)
        assert floats(values).dtype == np.float64
    array = np.ones(3)
    assert floats(array) is array


ARGUMENTS = [10.0, 10.5, 12.25, 17.0, 40.0, 333.3, 1e4, 1e8, 1e15, 1e30]


@pytest.mark.parametrize("x", ARGUMENTS)
def test_stirling_remainder(x: float) -> None:
    with mpmath.workdps(80):
        exact = mpmath.mpf(x)
        main = (exact - 0.5) * mpmath.log(exact) - exact + mpmath.log(2 * mpmath.pi) / 2
        remainder = float(mpmath.loggamma(exact) - main)
    assert stirling_remainder(x) == pytest.approx(remainder, rel=1e-14, abs=2e-16)


@pytest.mark.parametrize("x", [0.01, 0.5, 1.0, 9.99, *ARGUMENTS])
@pytest.mark.parametrize("shift", [0.0, 1e-9, 0.5, 1.0, 3.25, 200.0, 1e5])
def test_ratios_up_and_down(x: float, shift: float) -> None:
    with mpmath.workdps(80):
        exact = mpmath.mpf(x) + mpmath.mpf(shift)
        ratio = float(mpmath.loggamma(exact) - mpmath.loggamma(mpmath.mpf(x)))
    assert log_gamma_ratio(x, shift) == pytest.approx(ratio, rel=1e-13, abs=1e-14)
    if x + shift == exact:
        assert log_gamma_ratio(x + shift, -shift) == pytest.approx(-ratio, rel=1e-13, abs=1e-14)


def test_large_arguments_lose_nothing() -> None:
    # ln Γ(10³⁰ + 1) − ln Γ(10³⁰) = ln 10³⁰, though each logarithm has 68 digits before the point
    assert log_gamma_ratio(1e30, 1.0) == pytest.approx(30 * np.log(10), rel=1e-15)
    assert log_gamma_ratio(1e15, 0.5) == pytest.approx(7.5 * np.log(10), rel=1e-15)


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 9.99, 10.0, 45.3, 200.0, 2000.0])
def test_against_mpmath(shape: float) -> None:
    z = np.concatenate([np.geomspace(1e-3, 3, 7) * shape, shape + np.sqrt(shape) * np.array([-0.5, -1e-6, 0, 1e-9, 2])])
    z = z[z > 0]
    with mpmath.workdps(60):
        expected = [
            float(shape * mpmath.log(mpmath.mpf(v)) - mpmath.mpf(v) - mpmath.loggamma(mpmath.mpf(shape))) for v in z
        ]
    np.testing.assert_allclose(log_gamma_weight(shape, z), expected, rtol=2e-14, atol=2e-14)


@pytest.mark.long
@pytest.mark.parametrize("distance", [0.5, -0.5, 0.31, -0.2, 1e-3, -1e-6, 1e-9, -1e-15, 1e-300])
def test_against_mpmath_log_gamma_slope(distance: float) -> None:
    with mpmath.workdps(340):
        delta = mpmath.mpf(distance)
        expected = float(mpmath.loggamma(1 + delta) / delta)
    assert log_gamma_slope(distance) == pytest.approx(expected, rel=1e-15)


def test_at_zero_it_is_minus_eulers_constant() -> None:
    assert log_gamma_slope(0.0) == pytest.approx(-np.euler_gamma, rel=1e-15)


RANDOM = np.random.default_rng(20_251_204)


@pytest.mark.parametrize("power", [1, 2, 7, 50, 200])
@pytest.mark.parametrize("scale", [1.0, 0.7, 3.0, 1e-100, 1.1e100])
def test_against_exact_powers(scale: float, power: int) -> None:
    x = scale * np.exp(RANDOM.uniform(-3, 3, 200))
    exact = [float((Fraction(v) / Fraction(scale)) ** power) for v in x]
    np.testing.assert_allclose(power_of_quotient(x, scale, power), exact, rtol=8e-16)


def test_the_ends_of_the_range() -> None:
    x = np.array([0.0, 5e-324, 1e-300, 1e300, np.finfo(float).max])
    for scale in (1e-20, 0.3, 1e20):
        with np.errstate(over="ignore"):
            expected = (x / scale) ** 0.05
        np.testing.assert_allclose(power_of_quotient(x, scale, 0.05), expected, rtol=1e-14)
    assert power_of_quotient(x, 0.3, 200)[-1] == np.inf
    assert power_of_quotient(x, 0.3, 200)[0] == 0
    assert power_of_quotient(np.zeros((0, 2)), 0.3, 3).shape == (0, 2)


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


def test_values_to_the_last_digits_up_to_large_arguments() -> None:
    x = np.concatenate([np.geomspace(1e-300, 1e15, 400), np.pi * np.arange(1.0, 50.0), [1e-8, 1e22]])
    with mpmath.workdps(60):
        expected = np.array([float(mpmath.sin(mpmath.mpf(v)) / mpmath.mpf(v)) for v in x])
    np.testing.assert_allclose(sinc(x), expected, rtol=1e-15)


def test_sums_take_the_larger_exponent() -> None:
    large, small = Scaled(np.array([1.0, 0.0]), np.array([2000.0, 5000.0])), Scaled(np.array([2.0]), np.array([1999.0]))
    total = large.plus(small, -1.0)
    np.testing.assert_allclose(
        np.log(np.abs(total.mantissa)) + total.exponent, [2000 + np.log1p(-2 / np.e), 1999 + np.log(2)]
    )
    assert (np.sign(total.mantissa) == [1, -1]).all()
