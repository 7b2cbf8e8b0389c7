"""Infinity in numeric and symbolic trees."""

import math

import numpy as np
import sympy

from kernelspec.expressions.elementary import infinity, undefined


def test_kind_follows_the_parameters():
    assert infinity(1.0, 2) == math.inf
    assert infinity(np.float64(1)) == math.inf
    assert type(infinity(1.0)) is float
    assert infinity(1.0, sympy.Symbol("s")) is sympy.oo
    assert math.isnan(undefined(1.0))
    assert undefined(sympy.S(1)) is sympy.nan
