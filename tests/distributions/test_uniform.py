"""The uniform law."""

import math

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import RangeError
from kernelspec.kernels.polya import Polya

from .standard import standard_distribution_tests
from .standard_positive import standard_positive_tests

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
    law = Uniform(low=low, high=high)
    width = high - low
    for lag in (1e-12, low / 2, low, low + 1e-9 * width, low + 0.4 * width, low + 0.9 * width, high - 1e-6 * width):
        with mpmath.workdps(50):
            a, b, t = mpmath.mpf(low), mpmath.mpf(high), mpmath.mpf(lag)
            if t == 0:
                exact = mpmath.mpf(1)
            elif t <= a:
                exact = 1 - t * mpmath.log(b / a) / (b - a)
            else:
                exact = (b - t - t * mpmath.log(b / t)) / (b - a)
        assert float(law.polya_kernel(np.array([lag]))[0]) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (1.0, 3.0), (0.001, 5.0), (7.0, 7.01)])
def test_the_transform_to_twelve_digits(low, high):
    law = Uniform(low=low, high=high)
    for frequency in (1e-8, 1e-3, 0.5, 3.999, 4.001, 20.0, 1e3, 1e6):
        with mpmath.workdps(80):
            a, b, w = mpmath.mpf(low), mpmath.mpf(high), mpmath.mpf(frequency)
            start = mpmath.euler + mpmath.log(a * w) - mpmath.ci(a * w) if low else mpmath.mpf(0)
            exact = 2 / (w**2 * (b - a)) * (mpmath.euler + mpmath.log(b * w) - mpmath.ci(b * w) - start)
        assert float(law.polya_transform(np.array([frequency]))[0]) == pytest.approx(float(exact), rel=1e-12)


def test_below_zero_there_is_no_polya_kernel():
    with pytest.raises(RangeError, match="mass below 0"):
        Polya(distribution=Uniform(low=-1.0, high=2.0), dim=1)
