"""Enclosures hold what they must: values, derivatives and kinks, against forward differentiation."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from kernelspec.expressions.enclosure import Undecided, enclose
from kernelspec.expressions.formula import Constant
from kernelspec.expressions.jets import jet
from tests.formulas.written import POLYA, SMOOTH, written
from tests.thoroughness import examples

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
