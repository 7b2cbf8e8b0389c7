"""Tests of `expressions/enclosure.py`."""

from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from kernelspec.expressions.enclosure import (
    EVERYTHING,
    NOT_NEGATIVE,
    Enclosure,
    Undecided,
    enclose,
    enclosed_near_zero,
    expansion,
    finished,
)
from kernelspec.expressions.evaluation import value_at, values
from kernelspec.expressions.formula import Constant
from kernelspec.expressions.interval import ZERO, Interval
from kernelspec.expressions.jets import jet
from kernelspec.expressions.limits import limit
from tests.expressions.written import POLYA, SMOOTH, written
from tests.thoroughness import examples


def test_convex_means_curvature_and_kinks_upwards() -> None:
    assert Enclosure(ZERO, ZERO, NOT_NEGATIVE, may_rise=True).is_convex
    assert not Enclosure(ZERO, ZERO, NOT_NEGATIVE, may_fall=True).is_convex
    assert not Enclosure(ZERO, ZERO, Interval(-1e-300, 1.0)).is_convex


def test_positive_values_bring_logarithmic_derivatives() -> None:
    found = finished(Enclosure(Interval(1.0, 2.0), Interval(-4.0, -3.0), Interval(0.0, 1.0)))
    assert found.is_positive
    assert found.log_slope.low == pytest.approx(-4)
    assert found.log_slope.high == pytest.approx(-1.5)
    assert found.log_curvature.high < 0  # f″/f − (f′/f)² ≤ 1 − 2.25


def test_logarithmic_derivatives_sharpen_the_plain_ones() -> None:
    rough = Enclosure(Interval(1.0, 2.0), EVERYTHING, EVERYTHING, True, Interval(-1.0, -0.5), NOT_NEGATIVE)
    found = finished(rough)
    assert found.slope.low == pytest.approx(-2)
    assert found.slope.high == pytest.approx(-0.5)
    assert found.curvature.low == pytest.approx(0.25)


def test_what_touches_zero_stays_as_it_is() -> None:
    touching = Enclosure(Interval(0.0, 1.0), EVERYTHING, EVERYTHING)
    assert finished(touching) == touching


TEXTS = [*POLYA, *(text for text in SMOOTH if "(2 - x)" not in text)]


@pytest.mark.long
@settings(max_examples=examples(400))
@given(st.sampled_from(TEXTS), st.floats(0, 4), st.floats(1e-6, 4), st.floats(1e-9, 1))
def test_values_and_derivatives_lie_inside(text: str, low: float, width: float, share: float) -> None:
    formula, high = written(text), low + width
    try:
        found = enclose(formula, low, high)
    except Undecided:
        return
    point = low + share * width
    for side in (1, -1):
        inside = jet(formula, point, side)
        for interval, value in [
            (found.value, inside.value),
            (found.slope, inside.first),
            (found.curvature, inside.second),
        ]:
            slack = 1e-12 * (1 + abs(float(value)))
            assert interval.low - slack <= float(value) <= interval.high + slack
        if found.is_positive:
            ratio = float(inside.first / inside.value)
            bend = float(inside.second / inside.value) - ratio**2
            assert inside.value > 0
            assert found.log_slope.low - 1e-9 * (1 + abs(ratio)) <= ratio
            assert ratio <= found.log_slope.high + 1e-9 * (1 + abs(ratio))
            assert found.log_curvature.low - 1e-9 * (1 + abs(bend) + ratio**2) <= bend
            assert bend <= found.log_curvature.high + 1e-9 * (1 + abs(bend) + ratio**2)


@pytest.mark.parametrize(
    ("text", "rise", "fall"),
    [
        ("t -> max(0, 1 - t)", True, False),
        ("t -> min(1, 2 - t)", False, True),
        ("t -> -max(0, 1 - t)", False, True),
        ("t -> -2*min(1, 2 - t)", True, False),
        ("t -> exp(-max(t, 1))", False, True),
        ("t -> 1/min(t, 1)", True, False),
        ("t -> (t - 2)*max(t, 1)", True, True),
        ("t -> (t - 3)*max(t, 1)", False, True),
        ("t -> abs(t - 1)**2", True, True),
        ("t -> abs(t)", False, False),
        ("t -> max(t, t - 1)", False, False),
        ("t -> log(1 + abs(t - 1))", True, False),
    ],
)
def test_kinks_are_noticed_with_their_direction(text: str, rise: bool, fall: bool) -> None:
    if text == "t -> max(t, t - 1)":  # the values of the branches overlap, so that a kink cannot be excluded
        rise = True
    found = enclose(written(text), 0.5, 2.5)
    assert (found.may_rise, found.may_fall) == (rise, fall)


@pytest.mark.parametrize("at", [0.5, 1.0, 2.0])
def test_a_kink_at_the_end_of_a_piece_is_seen_from_one_side_at_least(at: float) -> None:
    formula = written(f"t -> 2 - abs(t - {at})")
    assert enclose(formula, at / 2, at).may_fall or enclose(formula, at, 2 * at).may_fall


@pytest.mark.parametrize("text", ["t -> log(1 - t)", "t -> sqrt(1 - t)", "t -> 1/(t - 1)", "t -> 1/max(0, 1 - t)"])
def test_what_may_be_undefined_is_undecided(text: str) -> None:
    with pytest.raises(Undecided):
        enclose(written(text), 0.5, 2.0)


def test_unknown_numbers_are_undecided() -> None:
    with pytest.raises(Undecided):
        enclose(type(written("t -> t"))(Constant(float("nan"))), 0.0, np.inf)


def test_one_piece_is_enough_for_products_and_powers_of_convex_parts() -> None:
    for text in ("t -> exp(-t**0.3)*(1 + t**0.7)**-0.2/(2 + log(1 + t))", "t -> max(0, 1 - t)**1.5*exp(-t)"):
        assert enclose(written(text), 0.0, np.inf).is_convex


MENDED = {
    "t -> log(1 + t)/t": 1,
    "t -> (1 - exp(-t))/t": 1,
    "t -> 2*(1 - exp(-t)*(1 + t))/t**2": 1,
    "t -> tanh(t)/t": 1,
    "t -> 3*(sin(t) - t*cos(t))/t**3": 1,
    "t -> log(1 + t)/(exp(2*t) - 1)": Fraction(1, 2),
}

POLES = (
    "t -> 3/t**2*(sin(t)/t - cos(t))",
    "t -> 6/t**2*(1 - sin(t)/t)",
    "t -> 3/t**2*(1 - tanh(t)/t)",
    "t -> 1/t - exp(-t)/t",
    "t -> 2/t*(1 - (1 - exp(-t))/t)",
    "t -> 2/t**2*(1 - cos(t))",
    "t -> t**(-1)*log(1 + t)",
    "t -> 2/t**2*(t - log(1 + t))",
    "t -> 15/t**5*((3 - t**2)*sin(t) - 3*t*cos(t))",
    "t -> (1 - exp(-t**1.5))/t**1.5",
    "t -> 2/t**3*(t**1.5 - log(1 + t**1.5))",
    "t -> 3*(erf(t)*sqrt(pi)/2 - t*exp(-t**2))/t**3/2",
)
"""Poles that meet a zero outside of their own quotient, and functions without a Taylor series; all are 1 at 0."""


@pytest.mark.slow
@pytest.mark.parametrize("text", POLES)
def test_poles_that_cancel_cost_no_digits(text: str) -> None:
    formula = written(text)
    points = np.concatenate([np.geomspace(1e-12, 1e-2, 21), np.geomspace(1e-2, 20, 21)])
    found = values(formula, points)
    with mpmath.workdps(150):
        expected = np.array([float(value_at(formula, float(t))) for t in points])
    assert np.abs(found - expected).max() < 2e-12
    assert abs(found[0] - 1) < 1e-9


@pytest.mark.parametrize(("text", "start"), MENDED.items())
def test_the_limit_is_exact(text: str, start: Fraction | int) -> None:
    assert limit(written(text), Fraction(0)) == start


@pytest.mark.slow
@pytest.mark.parametrize("text", MENDED)
def test_values_and_derivatives_have_all_their_digits_near_zero(text: str) -> None:
    formula = written(text)
    points = np.geomspace(1e-18, 3.0, 25)
    found = jet(formula, points)
    np.testing.assert_array_equal(found.value, values(formula, points))
    with mpmath.workdps(100):
        # up to rounding of the quotient itself beyond the reach of the series: 1e-16 / t^order
        for order, (part, tolerance) in enumerate([(found.value, 1e-13), (found.first, 1e-11), (found.second, 1e-9)]):
            expected = [mpmath.diff(lambda t: value_at(formula, t), float(t), order, h=1e-25) for t in points]
            assert np.abs(part - np.array(expected, dtype=float)).max() < tolerance


@pytest.mark.parametrize("text", MENDED)
@pytest.mark.parametrize("high", [0.01, 0.1])
def test_enclosures_hold(text: str, high: float) -> None:
    formula = written(text)
    found = enclosed_near_zero(formula, high)
    assert found is not None
    assert enclose(formula, 0.0, high) == found
    at = jet(formula, np.linspace(0, high, 50))
    for part, interval in ((at.value, found.value), (at.first, found.slope), (at.second, found.curvature)):
        assert interval.low - 1e-9 <= part.min() <= part.max() <= interval.high + 1e-9
        assert interval.high - interval.low < 20 * high


@pytest.mark.parametrize("text", POLYA)
def test_other_formulas_keep_their_own_rules(text: str) -> None:
    assert expansion(written(text)) is None
