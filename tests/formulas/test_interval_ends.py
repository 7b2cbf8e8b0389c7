"""Outward rounding of the ends of intervals."""

from __future__ import annotations

import math
from fractions import Fraction

from kernelspec.expressions.interval import above, below, exp_of, log_of, power_of, product_below

TINY = math.ulp(0.0)


def test_the_next_float_outwards() -> None:
    assert below(1.0) == 1 - 2**-53
    assert above(1.0) == 1 + 2**-52
    assert (below(0.0), above(0.0), above(0.0, attained=False)) == (0, 0, TINY)
    assert (below(-math.inf), above(math.inf)) == (-math.inf, math.inf)
    assert below(math.inf) == 1.7976931348623157e308


def test_products_below() -> None:
    assert product_below(0.0, math.inf) == 0
    assert product_below(1e-200, 1e-200) == 0
    assert product_below(-1e-200, 1e-200) == -TINY
    assert Fraction(product_below(3.0, 0.1)) < 3 * Fraction(0.1)
    assert product_below(3.0, 0.1) >= 0.3 - 1e-15


def test_elementary_functions_have_their_limits() -> None:
    assert (exp_of(1e4), exp_of(-math.inf), log_of(0.0), log_of(math.inf)) == (math.inf, 0, -math.inf, math.inf)
    assert (power_of(0.0, -1.0), power_of(0.0, 0.0), power_of(math.inf, -1.0)) == (math.inf, 1, 0)
    assert power_of(10.0, 400.0) == math.inf
