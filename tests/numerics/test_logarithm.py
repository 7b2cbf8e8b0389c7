"""The logarithm that every machine computes alike."""

import math

import mpmath as mp
import numpy as np
import pytest

from kernelspec.numerics.compiled import logarithm

RNG = np.random.default_rng(4)
NUMBERS = [*np.exp(RNG.uniform(-700, 700, 300)), *RNG.uniform(0.6, 1.6, 300), 5e-324, 1e-310, 2.0**-1022, 1e308]


def test_is_right_to_one_unit_in_the_last_place():
    with mp.workdps(40):
        for x in NUMBERS:
            exact = mp.log(mp.mpf(float(x)))
            assert abs(mp.mpf(logarithm(x)) - exact) <= math.ulp(float(exact)), x


@pytest.mark.parametrize("gap", [2.0**-53, 2.0**-40, 2.0**-20])
def test_keeps_the_relative_accuracy_near_one(gap):
    assert logarithm(1 - gap) == pytest.approx(math.log1p(-gap), rel=1e-15)


def test_of_one_is_zero():
    assert logarithm(1.0) == 0
