"""The log-normal law, its kernel and transform against mpmath."""

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.lognormal import LogNormal
from kernelspec.streams import Stream

from .standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (LogNormal(), scipy.stats.lognorm(1)),
        (LogNormal(mu=0.7, sigma=0.3), scipy.stats.lognorm(0.3, scale=np.exp(0.7))),
        (LogNormal(mu=-1.5, sigma=1.8), scipy.stats.lognorm(1.8, scale=np.exp(-1.5))),
    ]
)


@pytest.mark.parametrize("sigma", [1e-4, 0.02, 0.3, 0.9, 1.0, 2.5, 9.0])
def test_the_kernel_to_twelve_digits(sigma):
    """Φ(−d) − t E[1/R] Φ(−d − σ) in four hundred digits; in the tail a rounding of t counts d/σ times."""
    law = LogNormal(mu=0.4, sigma=sigma)
    for place in (-30.0, -9.0, -3.1, -2.0, -1.0001, -0.9999, -0.4, 0.0, 1e-3, 0.8, 2.2, 6.0, 15.0, 37.0):
        lag = float(np.exp(0.4 + sigma * place))
        with mpmath.workdps(400):
            s, t = mpmath.mpf(sigma), mpmath.mpf(lag)
            d = (mpmath.log(t) - mpmath.mpf(0.4)) / s
            more = t * mpmath.exp(s**2 / 2 - mpmath.mpf(0.4)) * mpmath.erfc((d + s) / mpmath.sqrt(2)) / 2
            exact = mpmath.erfc(d / mpmath.sqrt(2)) / 2 - more
        conditioned = 1e-12 + 4e-16 * max(0.0, place) / sigma * max(1.0, abs(np.log(lag)))
        assert float(law.polya_kernel(np.array([lag]))[0]) == pytest.approx(float(exact), rel=conditioned, abs=1e-303)


@pytest.mark.parametrize("sigma", [0.1, 0.6, 2.5])
def test_the_transform_to_twelve_digits(sigma):
    """φ̂ = 2 ∫₀^∞ φ(t) cos ωt dt, and by the line lifted to where the cosine does not oscillate: e^{iωr}, arg r = ψ."""
    law = LogNormal(mu=0.4, sigma=sigma)
    frequencies = np.array([1e-8, 1e-4, 0.3, 1.5, 50.0, 1e6])
    for frequency, found in zip(frequencies, law.polya_transform(frequencies), strict=True):
        with mpmath.workdps(50):
            s, w = mpmath.mpf(sigma), mpmath.mpf(frequency) * mpmath.exp(mpmath.mpf(0.4))
            lift = mpmath.mpf(min(1.2, 3 * sigma)) / s

            # E[e^{iωR}/R] with z moved up by ψ/σ, in fifty digits, so that the difference from E[1/R] may cancel
            def integrand(x, s=s, w=w, lift=lift):
                z = mpmath.mpc(x, lift)
                return mpmath.exp(-z * z / 2 - s * z + 1j * w * mpmath.exp(s * z))

            step = mpmath.mpf(1) / 40
            reach = 12 + 2 * float(s) + 3
            count = int(reach * 40)
            total = mpmath.fsum(integrand(step * k) for k in range(-count, count + 1)) * step
            turned = (total / mpmath.sqrt(2 * mpmath.pi)).real
            exact = 2 / w**2 * (mpmath.exp(s**2 / 2) - turned) * mpmath.exp(mpmath.mpf(0.4))
        assert found == pytest.approx(float(exact), rel=2e-12)


def test_extreme_parameters_still_have_finite_draws():
    drawn = LogNormal(sigma=1e3).draw(Stream(1), (1000,))
    assert np.isfinite(drawn).all()
    assert (drawn > 0).all()


def test_sympy_itself_evaluates_the_integral():
    law = LogNormal(mu=0.7, sigma=0.3)
    w = sympy.Symbol("w", real=True)
    written = law.polya_transform_expression(w).subs(w, sympy.Float(-0.9, 30))
    assert float(written.evalf(15)) == pytest.approx(float(law.polya_transform(np.array([0.9]))[0]), rel=1e-12)
