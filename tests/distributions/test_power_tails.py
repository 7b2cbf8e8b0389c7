"""Tests of distributions with power tails, and the lognormal."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.power_tails import InverseGamma, Pareto
from kernelspec.distributions.ray_transforms import LogNormal
from tests.distributions.comparisons import (
    assert_evaluated_by_sympy,
    assert_finite_draws,
    assert_values,
    rounded_phases,
)
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (InverseGamma(shape=3.0), scipy.stats.invgamma(3)),
        (InverseGamma(shape=12.5, scale=20.0), scipy.stats.invgamma(12.5, scale=20)),
        (InverseGamma(shape=0.7, scale=2.0), scipy.stats.invgamma(0.7, scale=2)),
        (Pareto(shape=3.0), scipy.stats.pareto(3)),
        (Pareto(shape=2.5, scale=0.7), scipy.stats.pareto(2.5, scale=0.7)),
        (Pareto(shape=0.6, scale=2.0), scipy.stats.pareto(0.6, scale=2)),
        (LogNormal(), scipy.stats.lognorm(1)),
        (LogNormal(mu=0.7, sigma=0.3), scipy.stats.lognorm(0.3, scale=np.exp(0.7))),
        (LogNormal(mu=-1.5, sigma=1.8), scipy.stats.lognorm(1.8, scale=np.exp(-1.5))),
    ]
)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.05, 1.0, 2.5, 9.99, 10.0, 150.0])
def test_the_kernel_to_twelve_digits(shape):
    """P(a, x) − (a/x) P(a + 1, x) in a hundred digits, from t = 0 into the tail, where it is x^a/Γ(a + 2)."""

    def exact(t):
        a, x = mpmath.mpf(shape), mpmath.mpf(0.7) / t
        lower = mpmath.gammainc(a, 0, x, regularized=True)
        return lower - a / x * mpmath.gammainc(a + 1, 0, x, regularized=True)

    factors = (1e-12, 0.03, 0.5, 0.9, 0.999999, 1.000001, 1.1, 3.0, 40.0, 100.0)
    lags = [0.7 / shape * factor for factor in factors]
    assert_values(InverseGamma(shape=shape, scale=0.7).polya_kernel, exact, lags, digits=400, least=1e-300)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.05, 1.0, 2.5, 9.0])
def test_the_transform_to_twelve_digits(shape):
    """Against the Bessel function, and where E cos Rω cancels against 1 as well."""

    def exact(w):
        a, b = mpmath.mpf(shape), mpmath.mpf(0.7)
        root = mpmath.sqrt(mpmath.mpc(0, -b * w))
        turned = 2 * root ** (a + 1) * mpmath.besselk(a + 1, 2 * root) / mpmath.gamma(a + 1)
        return 2 * a / (b * w**2) * (1 - turned.real)

    frequencies = [1e-8, 1e-4, 0.3, 2.0, 7.0, 50.0, 1e3, 1e6]
    law = InverseGamma(shape=shape, scale=0.7)
    assert_values(law.polya_transform, exact, frequencies, rel=rounded_phases(frequencies))


def test_a_tiny_shape_still_has_finite_draws():
    assert_finite_draws(InverseGamma(shape=1e-3))


@pytest.mark.parametrize("shape", [0.05, 1.0, 2.5, 1e6])
def test_the_kernel_to_twelve_digits_pareto(shape):
    def exact(t):
        a, s = mpmath.mpf(shape), mpmath.mpf(0.7)
        return 1 - a * t / ((a + 1) * s) if t <= s else (s / t) ** a / (a + 1)

    lags = [1e-12, 0.2, 0.6999999, 0.7, 0.7000001, 0.75, 40.0, 1e30]
    conditioned = max(1e-14, 4e-16 * shape)  # (s/t)^a turns a rounding of t into a of them
    assert_values(Pareto(shape=shape, scale=0.7).polya_kernel, exact, lags, rel=conditioned, least=1e-300)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.05, 0.999999, 1.0, 2.5, 3.0, 7.0, 300.0, 1e7])
def test_the_transform_to_twelve_digits_pareto(shape):
    def exact(w):
        a, s = mpmath.mpf(shape), mpmath.mpf(0.7)
        return 2 * a / (s * w**2) * (1 / (a + 1) - mpmath.re(mpmath.expint(a + 2, mpmath.mpc(0, s * w))))

    frequencies = [1e-8, 1e-4, 0.3, 1.9 / 0.7, 2 / 0.7, 2.1 / 0.7, 5.0, 31.0, 1e3, 1e6]
    rel = rounded_phases(frequencies) if shape > 1e6 else 1e-12
    assert_values(Pareto(shape=shape, scale=0.7).polya_transform, exact, frequencies, rel=rel)


def test_a_tiny_shape_still_has_finite_draws_pareto():
    assert_finite_draws(Pareto(shape=0.01))


@pytest.mark.long
@pytest.mark.parametrize("sigma", [1e-4, 0.02, 0.3, 0.9, 1.0, 2.5, 9.0])
def test_the_kernel_to_twelve_digits_lognormal(sigma):
    """Φ(−d) − t E[1/R] Φ(−d − σ) in four hundred digits; in the tail a rounding of t counts d/σ times."""

    def exact(t):
        s = mpmath.mpf(sigma)
        d = (mpmath.log(t) - mpmath.mpf(0.4)) / s
        more = t * mpmath.exp(s**2 / 2 - mpmath.mpf(0.4)) * mpmath.erfc((d + s) / mpmath.sqrt(2)) / 2
        return mpmath.erfc(d / mpmath.sqrt(2)) / 2 - more

    z = np.array([-30.0, -9.0, -3.1, -2.0, -1.0001, -0.9999, -0.4, 0.0, 1e-3, 0.8, 2.2, 6.0, 15.0, 37.0])
    lags = np.exp(0.4 + sigma * z)
    conditioned = 1e-12 + 4e-16 * np.maximum(0, z) / sigma * np.maximum(1, np.abs(np.log(lags)))
    law = LogNormal(mu=0.4, sigma=sigma)
    assert_values(law.polya_kernel, exact, lags, digits=400, rel=conditioned, least=1e-303)


@pytest.mark.long
@pytest.mark.parametrize("sigma", [0.1, 0.6, 2.5])
def test_the_transform_to_twelve_digits_lognormal(sigma):
    """φ̂ = 2 ∫₀^∞ φ(t) cos ωt dt, and by the line lifted to where the cosine does not oscillate: e^{iωr}, arg r = ψ."""

    def exact(frequency):
        s, w = mpmath.mpf(sigma), frequency * mpmath.exp(mpmath.mpf(0.4))
        lift = mpmath.mpf(min(1.2, 3 * sigma)) / s

        # E[e^{iωR}/R] with z moved up by ψ/σ, in fifty digits, so that the difference from E[1/R] may cancel
        def integrand(x):
            z = mpmath.mpc(x, lift)
            return mpmath.exp(-z * z / 2 - s * z + 1j * w * mpmath.exp(s * z))

        step = mpmath.mpf(1) / 40
        reach = 12 + 2 * float(s) + 3
        count = int(reach * 40)
        total = mpmath.fsum(integrand(step * k) for k in range(-count, count + 1)) * step
        turned = (total / mpmath.sqrt(2 * mpmath.pi)).real
        return 2 / w**2 * (mpmath.exp(s**2 / 2) - turned) * mpmath.exp(mpmath.mpf(0.4))

    frequencies = [1e-8, 1e-4, 0.3, 1.5, 50.0, 1e6]
    law, rel = LogNormal(mu=0.4, sigma=sigma), rounded_phases(frequencies, 2e-12)
    assert_values(law.polya_transform, exact, frequencies, digits=50, rel=rel)


def test_extreme_parameters_still_have_finite_draws():
    assert_finite_draws(LogNormal(sigma=1e3))


@pytest.mark.long
def test_sympy_itself_evaluates_the_integral():
    assert_evaluated_by_sympy(LogNormal(mu=0.7, sigma=0.3))
