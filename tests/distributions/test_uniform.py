"""The uniform law."""

import math

import pytest
import scipy.stats
import sympy

from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import RangeError

from .standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        (Uniform(low=-2.0, high=2.0), scipy.stats.uniform(-2, 4)),
        (Uniform(low=-0.5, high=2.5), scipy.stats.uniform(-0.5, 3)),
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
