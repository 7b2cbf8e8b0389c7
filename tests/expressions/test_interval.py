"""Tests of `expressions/interval.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import mpmath as mp
import pytest
from hypothesis import given

from kernelspec.expressions.interval import ZERO, Interval, above, below, exp_of, log_of, power_of, product_below

numbers = st.floats(-1e6, 1e6) | st.floats(-1, 1) | st.sampled_from([0.0, 1.0, -1.0, 1e-300, -1e-300, 1e300])
positive = st.floats(1e-9, 1e9) | st.sampled_from([1.0, 1e-300, 1e300])
shares = st.fractions(0, 1)


@st.composite
def intervals(draw: st.DrawFn, ends: st.SearchStrategy[float] = numbers) -> tuple[Interval, Fraction]:
    """An interval with an exact number inside."""
    low, high = sorted((draw(ends), draw(ends)))
    share = draw(shares)
    return Interval(low, high), Fraction(low) * (1 - share) + Fraction(high) * share


def holds(found: Interval, value: Fraction) -> bool:
    below = found.low == -math.inf or (math.isfinite(found.low) and Fraction(found.low) <= value)
    return below and (found.high == math.inf or (math.isfinite(found.high) and value <= Fraction(found.high)))


@pytest.mark.long
@given(intervals(), intervals(), st.integers(0, 9))
def test_arithmetic_contains_the_exact_results(
    a: tuple[Interval, Fraction], b: tuple[Interval, Fraction], n: int
) -> None:
    (left, x), (right, y) = a, b
    assert holds(left + right, x + y)
    assert holds(left - right, x - y)
    assert holds(left * right, x * y)
    assert holds(left.square(), x * x)
    assert holds(left.whole_power(n), x**n)
    assert holds(left.size(), abs(x))
    assert holds(left.hull(right), x)
    assert holds(left.hull(right), y)
    assert holds(Interval.of(x * y), x * y)


@pytest.mark.long
@given(intervals(positive), st.fractions(-4, 4))
def test_functions_contain_the_exact_results(a: tuple[Interval, Fraction], p: Fraction) -> None:
    interval, x = a
    assert holds(interval.reciprocal(), 1 / x)
    with mp.workdps(60):
        exact = mp.mpf(x.numerator) / x.denominator
        power = exact ** (mp.mpf(p.numerator) / p.denominator)
        found = interval.power(Interval.of(p))
        assert mp.mpf(found.low) <= power * (1 + mp.mpf(10) ** -50)
        assert power <= mp.mpf(found.high) * (1 + mp.mpf(10) ** -50)
        found = interval.log()
        assert mp.mpf(found.low) <= mp.log(exact) + mp.mpf(10) ** -50 <= mp.mpf(found.high) + mp.mpf(10) ** -49


@pytest.mark.long
@given(intervals(st.floats(-700, 700)))
def test_functions_of_the_line_contain_the_exact_results(a: tuple[Interval, Fraction]) -> None:
    interval, x = a
    with mp.workdps(60):
        exact = mp.mpf(x.numerator) / x.denominator
        for found, value in [
            (interval.exp(), mp.exp(exact)),
            (interval.sin(), mp.sin(exact)),
            (interval.cos(), mp.cos(exact)),
            (interval.tanh(), mp.tanh(exact)),
            ((interval * Interval(2.0**-9, 2.0**-9)).tanh(), mp.tanh(exact / 512)),
        ]:
            slack = abs(value) * mp.mpf(10) ** -50
            assert mp.mpf(found.low) <= value + slack
            assert value - slack <= mp.mpf(found.high)


def test_enclosures_are_tight() -> None:
    assert Interval(1.0, 2.0) * Interval(-3.0, 4.0) == Interval(math.nextafter(-6, -7), math.nextafter(8, 9))
    narrow = Interval(0.5, 0.5)
    for found in (
        narrow.exp(),
        narrow.log(),
        narrow.sin(),
        narrow.cos(),
        narrow.tanh(),
        narrow.power(narrow),
        narrow.reciprocal(),
    ):
        assert found.high - found.low < 2e-15


def test_zero_ends_stay_zero() -> None:
    half_line = Interval(0.0, math.inf)
    assert (half_line * half_line).low == 0
    assert half_line * ZERO == ZERO
    assert (half_line + half_line).low == 0
    assert (-half_line).square().low == 0
    assert half_line.reciprocal() == half_line
    assert half_line.power(Interval(-0.5, -0.5)).low == 0
    assert Interval(-math.inf, 0.0).exp().low == 0
    assert half_line.tanh() == Interval(0.0, 1.0)


def test_unknown_ends_are_infinite() -> None:
    assert Interval(math.nan, math.nan) == Interval(-math.inf, math.inf)


@pytest.mark.parametrize("operation", ["reciprocal", "log"])
def test_negative_numbers_are_refused(operation: str) -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        getattr(Interval(-1.0, 1.0), operation)()
    with pytest.raises(ValueError, match="not negative"):
        Interval(-1.0, 1.0).power(Interval(0.5, 0.5))


def test_meet() -> None:
    assert Interval(0.0, 2.0).meet(Interval(1.0, 3.0)) == Interval(1.0, 2.0)
    assert Interval(1.0, 1.0).is_positive
    assert not Interval(0.0, 1.0).is_positive


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
