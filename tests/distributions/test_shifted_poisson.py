"""One more than a Poisson number, its kernel and transform against mpmath."""

import mpmath
import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.discrete import ShiftedPoisson
from tests.distributions.comparisons import assert_values
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (ShiftedPoisson(rate=0.4), scipy.stats.poisson(0.4, loc=1)),
        (ShiftedPoisson(rate=3.5), scipy.stats.poisson(3.5, loc=1)),
    ]
)


@pytest.mark.parametrize("rate", [1e-3, 0.7, 12.0, 400.0])
def test_the_kernel_to_twelve_digits(rate):
    """Far into the tail: Σ_{n>t} (1 − t/n) P(R = n) in forty digits."""

    def exact(t):
        first = int(t) + 1
        chance = mpmath.exp(-mpmath.mpf(rate) + (first - 1) * mpmath.log(rate) - mpmath.loggamma(first))
        total, n = mpmath.mpf(0), first
        while chance > total * mpmath.mpf(10) ** -30 or n <= rate + first:
            total += (1 - t / n) * chance
            chance *= mpmath.mpf(rate) / n
            n += 1
        return total

    lags = [1e-9, 0.3, 1.0, 1.5, 0.9 * rate, rate + 1.25, rate + 9.999999, 2 * rate + 20.5, 3 * rate + 60]
    assert_values(ShiftedPoisson(rate=rate).polya_kernel, exact, lags, digits=40)


@pytest.mark.parametrize("rate", [1e-3, 0.7, 12.0, 400.0])
def test_the_transform_to_twelve_digits(rate):
    def exact(w):
        gap = 1 - mpmath.exp(rate * (mpmath.cos(w) - 1)) * mpmath.cos(rate * mpmath.sin(w))
        return 2 * gap / (rate * w**2)

    frequencies = [1e-200, 1e-8, 1e-3, 0.3, 2.0, 3.14159, 6.28, 17.0, 1e4, 1e6]
    assert_values(ShiftedPoisson(rate=rate).polya_transform, exact, frequencies, digits=450)


def test_a_large_rate_is_no_trouble():
    law = ShiftedPoisson(rate=1e6)
    np.testing.assert_allclose(law.polya_kernel(np.array([0.0, 5e5, 9e5])), [1, 0.5, 0.1], rtol=1e-5)
