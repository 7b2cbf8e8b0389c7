"""The Pareto law, its kernel and transform against mpmath."""

import mpmath
import pytest
import scipy.stats

from kernelspec.distributions.power_tails import Pareto
from tests.distributions.comparisons import assert_finite_draws, assert_values, rounded_phases
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Pareto(shape=3.0), scipy.stats.pareto(3)),
        (Pareto(shape=2.5, scale=0.7), scipy.stats.pareto(2.5, scale=0.7)),
        (Pareto(shape=0.6, scale=2.0), scipy.stats.pareto(0.6, scale=2)),
    ]
)


@pytest.mark.parametrize("shape", [0.05, 1.0, 2.5, 1e6])
def test_the_kernel_to_twelve_digits(shape):
    def exact(t):
        a, s = mpmath.mpf(shape), mpmath.mpf(0.7)
        return 1 - a * t / ((a + 1) * s) if t <= s else (s / t) ** a / (a + 1)

    lags = [1e-12, 0.2, 0.6999999, 0.7, 0.7000001, 0.75, 40.0, 1e30]
    conditioned = max(1e-14, 4e-16 * shape)  # (s/t)^a turns a rounding of t into a of them
    assert_values(Pareto(shape=shape, scale=0.7).polya_kernel, exact, lags, rel=conditioned, least=1e-300)


@pytest.mark.long
@pytest.mark.parametrize("shape", [0.05, 0.999999, 1.0, 2.5, 3.0, 7.0, 300.0, 1e7])
def test_the_transform_to_twelve_digits(shape):
    def exact(w):
        a, s = mpmath.mpf(shape), mpmath.mpf(0.7)
        return 2 * a / (s * w**2) * (1 / (a + 1) - mpmath.re(mpmath.expint(a + 2, mpmath.mpc(0, s * w))))

    frequencies = [1e-8, 1e-4, 0.3, 1.9 / 0.7, 2 / 0.7, 2.1 / 0.7, 5.0, 31.0, 1e3, 1e6]
    rel = rounded_phases(frequencies) if shape > 1e6 else 1e-12
    assert_values(Pareto(shape=shape, scale=0.7).polya_transform, exact, frequencies, rel=rel)


def test_a_tiny_shape_still_has_finite_draws():
    assert_finite_draws(Pareto(shape=0.01))
