"""The inverse gamma law, its kernel and transform against mpmath."""

import mpmath
import pytest
import scipy.stats

from kernelspec.distributions.power_tails import InverseGamma
from tests.distributions.comparisons import assert_finite_draws, assert_values, rounded_phases
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (InverseGamma(shape=3.0), scipy.stats.invgamma(3)),
        (InverseGamma(shape=12.5, scale=20.0), scipy.stats.invgamma(12.5, scale=20)),
        (InverseGamma(shape=0.7, scale=2.0), scipy.stats.invgamma(0.7, scale=2)),
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
