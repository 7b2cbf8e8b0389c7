"""The uniform law."""

import math

import mpmath
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import RangeError
from kernelspec.kernels.leaves.of_distributions import Polya
from tests.distributions.comparisons import assert_values
from tests.distributions.standard import standard_distribution_tests
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_distribution_tests(
    [
        (Uniform(low=-2.0, high=2.0), scipy.stats.uniform(-2, 4)),
        (Uniform(low=-0.5, high=2.5), scipy.stats.uniform(-0.5, 3)),
    ]
)

test_standard_positive = standard_positive_tests(
    [
        (Uniform(low=0.0, high=2.0), scipy.stats.uniform(0, 2)),
        (Uniform(low=0.5, high=3.5), scipy.stats.uniform(0.5, 3)),
    ]
)


def test_an_empty_interval_is_refused():
    with pytest.raises(RangeError, match=r"low < high, not low=2\.0 and high=1\.0"):
        Uniform(low=2.0, high=1.0)
    with pytest.raises(RangeError):
        Uniform(low=sympy.S(2), high=sympy.S(2))
    Uniform(low=math.nan, high=math.nan)  # numbers not known yet


def test_symmetry_of_symbols():
    a, b = sympy.symbols("a b", positive=True)
    assert Uniform(low=-a, high=a).is_symmetric
    assert not Uniform(low=-a, high=b).is_symmetric
    assert Uniform(low=math.nan, high=1.0).is_symmetric


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (1.0, 3.0), (0.001, 5.0), (7.0, 7.0001)])
def test_the_kernel_to_twelve_digits(low, high):
    """(b − t − t ln(b/t))/(b − a), and 1 − t ln(b/a)/(b − a) below a, up to the end of the support."""

    def exact(t):
        a, b = mpmath.mpf(low), mpmath.mpf(high)
        if t == 0:
            return mpmath.mpf(1)
        return 1 - t * mpmath.log(b / a) / (b - a) if t <= a else (b - t - t * mpmath.log(b / t)) / (b - a)

    width = high - low
    lags = [1e-12, low / 2, low, low + 1e-9 * width, low + 0.4 * width, low + 0.9 * width, high - 1e-6 * width]
    assert_values(Uniform(low=low, high=high).polya_kernel, exact, lags)


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (1.0, 3.0), (0.001, 5.0), (7.0, 7.01)])
def test_the_transform_to_twelve_digits(low, high):
    def exact(w):
        a, b = mpmath.mpf(low), mpmath.mpf(high)
        start = mpmath.euler + mpmath.log(a * w) - mpmath.ci(a * w) if low else mpmath.mpf(0)
        return 2 / (w**2 * (b - a)) * (mpmath.euler + mpmath.log(b * w) - mpmath.ci(b * w) - start)

    frequencies = [1e-8, 1e-3, 0.5, 3.999, 4.001, 20.0, 1e3, 1e6]
    assert_values(Uniform(low=low, high=high).polya_transform, exact, frequencies, digits=80)


def test_below_zero_there_is_no_polya_kernel():
    with pytest.raises(RangeError, match="mass below 0"):
        Polya(distribution=Uniform(low=-1.0, high=2.0), dim=1)
