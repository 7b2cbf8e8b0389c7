"""The log-normal law, its kernel and transform against mpmath."""

import mpmath
import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.lognormal import LogNormal
from tests.distributions.comparisons import (
    assert_evaluated_by_sympy,
    assert_finite_draws,
    assert_values,
    rounded_phases,
)
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (LogNormal(), scipy.stats.lognorm(1)),
        (LogNormal(mu=0.7, sigma=0.3), scipy.stats.lognorm(0.3, scale=np.exp(0.7))),
        (LogNormal(mu=-1.5, sigma=1.8), scipy.stats.lognorm(1.8, scale=np.exp(-1.5))),
    ]
)


@pytest.mark.long
@pytest.mark.parametrize("sigma", [1e-4, 0.02, 0.3, 0.9, 1.0, 2.5, 9.0])
def test_the_kernel_to_twelve_digits(sigma):
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
def test_the_transform_to_twelve_digits(sigma):
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
