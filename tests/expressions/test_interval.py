"""Tests of `expressions/interval.py`."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import mpmath as mp
import numpy as np
import pytest
from hypothesis import given

from kernelspec.expressions.evaluation import values
from kernelspec.expressions.interval import ZERO, Interval, above, below, exp_of, log_of, power_of, product_below
from kernelspec.expressions.jets import breakpoints, jet, kinks
from kernelspec.expressions.piecewise_polynomial import polynomial_at, polynomial_pieces
from tests.expressions.written import POLYA, SMOOTH, written

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


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("max(0, 1 - t)**3*(1 + t)", [1]),
        ("1 - 1.5*min(t, 2)/2 + 0.5*min(t/2, 1)**3", [2]),
        ("abs(t - 1)*max(t, 3) + t", [1, 3]),
        ("min(max(t, 1), 2)", [1, 2]),
        ("1 + t**2", []),
    ],
)
def test_pieces(text: str, ends: list[int]) -> None:
    formula = written(f"t -> {text}")
    found = polynomial_pieces(formula)
    assert found is not None
    assert [end for end, _ in found] == [*ends, None]
    for t in (Fraction(1, 3), Fraction(3, 2), Fraction(5, 2), Fraction(7)):
        piece = next(p for end, p in found if end is None or t < end)
        assert float(polynomial_at(piece, t)) == pytest.approx(float(values(formula, float(t))), rel=1e-14)


@pytest.mark.parametrize("text", ["exp(-t)", "max(0, 2 - t**2)", "t**0.5", "1/(1 + t)", "pi*t", "2**t"])
def test_others(text: str) -> None:
    assert polynomial_pieces(written(f"t -> {text}")) is None


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("t -> exp(-t)", []),
        ("t -> max(0, 1 - t)", [1]),
        ("t -> max(0, 1 - t/3)**2", [3]),
        ("t -> max(0, 1 - 1e-9*t) + abs(t - 2)", [2, 1e9]),
        ("t -> max(0, 1 - 1e9*t)", [1e-9]),
        ("t -> abs(t)", []),
        ("t -> min(t, t**2 - 1) + abs(cos(t/10))*0", [(1 + 5**0.5) / 2, *(10 * np.pi * (np.arange(3) + 0.5))]),
        ("t -> max(max(0, 1 - t), max(0, 1 - t))", [1]),
    ],
)
def test_breakpoints(text: str, points: list[float]) -> None:
    found = np.array(breakpoints(written(text)))
    np.testing.assert_allclose(found[: len(points)], points, rtol=1e-15)
    assert len(found) == len(points) or "cos" in text


def test_kinks_are_the_breakpoints_with_a_jump_of_the_slope() -> None:
    assert kinks(written("t -> exp(-t)")) == ()
    assert kinks(written("t -> max(0, 1 - t)**2")) == ()
    assert kinks(written("t -> max(0, 1 - t)/2 + exp(-t)/2")) == ((1.0, pytest.approx(0.5, rel=1e-12)),)
    (first, second) = kinks(written("t -> max(0, 1 - t)/4 + 3*max(0, 1 - t/7)/4"))
    assert first == (1.0, pytest.approx(0.25))
    assert second == (pytest.approx(7.0, rel=1e-15), pytest.approx(3 / 28))


FUNCTIONS = {**POLYA, **SMOOTH}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_derivatives_of_first_and_second_order(text: str) -> None:
    x = np.array([0.05, 0.31, 0.77, 1.4, 1.9])
    with mp.workdps(60):
        exact = [[float(mp.diff(FUNCTIONS[text], mp.mpf(float(point)), n)) for point in x] for n in range(3)]
    for side in (1, -1):
        found = jet(written(text), x, side)
        np.testing.assert_allclose(found.value, exact[0], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(found.first, exact[1], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found.second, exact[2], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("x -> max(0, 1 - x)", 1.0, -1, 0),
        ("x -> min(0, 1 - x)", 1.0, 0, -1),
        ("x -> abs(x)", 0.0, -1, 1),
        ("x -> max(x**2, x**4)", 0.0, 0, 0),
        ("x -> max(x**2, x)", 0.0, 0, 1),
        ("x -> max(x**2, x)", 1.0, 1, 2),
        ("x -> abs(sin(x))*exp(x)", 0.0, -1, 1),
        ("x -> max(x, 2*x - 1) + abs(1 - x)*3", 1.0, -2, 5),
        ("x -> -abs(x)/2", 0.0, 0.5, -0.5),
        ("x -> max(max(0, x), -2*x)", 0.0, -2, 1),
    ],
)
def test_one_sided_derivatives_at_kinks(text: str, x: float, left: float, right: float) -> None:
    assert jet(written(text), x, side=-1).first == left
    assert jet(written(text), x, side=1).first == right


def test_branches_of_one_slope_are_told_apart_by_their_curvature() -> None:
    for highest in ("x -> max(x**2, -x**2)", "x -> max(-x**2, x**2)", "x -> abs(-x**2)"):
        assert (jet(written(highest), 0.0, 1).second, jet(written(highest), 0.0, -1).second) == (2, 2)
    for lowest in ("x -> min(x**2, -x**2)", "x -> min(-x**2, x**2)"):
        assert jet(written(lowest), 0.0).second == -2


def test_infinite_slopes_and_parts_that_stand_still() -> None:
    assert jet(written("t -> exp(-sqrt(t))"), 0.0).first == -np.inf
    assert jet(written("t -> exp(-sqrt(t))"), 0.0).second == np.inf
    found = jet(written("t -> max(0, 1 - t)**1.5"), np.array([1.0, 2.0]))
    np.testing.assert_array_equal([found.value, found.first, found.second], np.zeros((3, 2)))


def test_tanh_far_out() -> None:
    found = jet(written("x -> tanh(x)"), np.array([-1e300, -300.0, 20.0, 800.0]))
    np.testing.assert_array_equal(found.value, [-1, -1, 1, 1])
    np.testing.assert_allclose(found.first, [0, 4 * np.exp(-600), 4 * np.exp(-40), 0], rtol=1e-13)
    np.testing.assert_allclose(found.second, [0, 8 * np.exp(-600), -8 * np.exp(-40), 0], rtol=1e-13)


def test_shapes() -> None:
    found = jet(written("t -> 2"), np.ones((3, 2)))
    assert {part.shape for part in (found.value, found.first, found.second)} == {(3, 2)}
