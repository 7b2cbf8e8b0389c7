"""Tests of `expressions/polya_criterion.py`."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import hypothesis.strategies as st
import mpmath as mp
import pytest
from hypothesis import example, given, settings

from kernelspec.expressions.formula import Constant, Formula
from kernelspec.expressions.polya_criterion import curvature_at_zero, polya_criterion, prove_convexity
from tests.expressions.written import POLYA, mixtures, written


@pytest.mark.parametrize(
    "text",
    [
        "t -> t**2 - t",
        "t -> 3 - 2*t",
        "t -> -log(1 + t)",
        "t -> (t - 1)**2 + (t - 2)**4",
        "t -> max(1 - t, max(t/2 - 1, exp(-t)))",
        "t -> 1 + t + 0.2*cos(t) + t**2/2",
    ],
)
def test_other_convex_functions_are_proved(text: str) -> None:
    assert prove_convexity(written(text)) is not None


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "t -> exp(-t**2)",
        "t -> cos(t)",
        "t -> sqrt(t)",
        "t -> (1 + t)*exp(-t)",
        "t -> 1/(1 + t**2)",
        "t -> min(1, 2 - t)",
        "t -> 2 - abs(t - 1)",
        "t -> 1 - t + min(1, t/2) + t**2/100",
        "t -> exp(-t) - 0.0001*exp(-(t - 3)**2)",
        "t -> exp(-t) + 0.01*exp(-100*(t - 3)**2)",
        "t -> max(0, 1 - t)**0.5",
        "t -> 1/(1 - t)",
        "t -> log(t)",
        "t -> exp(-t)*(1 + 0.51*t)",
        "t -> abs(sin(t))",
    ],
)
def test_nothing_that_is_not_convex_is_proved(text: str) -> None:
    assert prove_convexity(written(text)) is None


def test_pieces_are_counted() -> None:
    whole, cut = (
        prove_convexity(written("t -> exp(-t)")),
        prove_convexity(written("t -> exp(-t)*(1 + 0.2*t + 0.05*t**2)")),
    )
    assert whole is not None
    assert cut is not None
    assert (whole.n_pieces, whole.start) == (1, 0)
    assert cut.n_pieces > 1
    assert cut.start > 0


@pytest.mark.long
def test_long_formulas_are_given_up_in_time() -> None:
    waves = " + ".join(f"sin({i}*t)/{i**3}" for i in range(1, 120))
    start = time.perf_counter()
    assert prove_convexity(written(f"t -> exp(-t) + t**2/1000 + {waves}")) is None
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize("text", POLYA)
def test_polya_kernels_are_proved_with_the_argument(text: str) -> None:
    found = polya_criterion(written(text))
    assert found.is_proved
    assert "f is convex (f'' ≥ 0 by interval arithmetic" in found.reason


def test_a_limit_may_follow_from_the_logarithmic_derivative() -> None:
    assert "(log f)' ≤" in polya_criterion(written("t -> (1 + 0.4*t)*exp(-t)")).reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("t -> exp(-t**2)", "not Polya: f is not convex at t = 0."),
        ("t -> (1 + t)*exp(-t)", "not Polya: f is not convex at t = 0."),
        ("t -> exp(-max(t, 1) + 1)", "not Polya: f is not convex at t = 1: it is"),
        ("t -> cos(t)", "not Polya: f is negative at t = 1.5"),
        ("t -> 1 - t", "not Polya: f is negative at t = 1.0"),
        ("t -> abs(1 - t)", "not Polya: f is not decreasing at t = 1"),
        ("t -> exp(-t) + t*exp(-t**2)/10 + t*exp(-t)", "not Polya: f is not"),
        ("t -> 1/2 + exp(-t)/2", "not proved to be Polya: no rule shows that f(t) tends to 0"),
        ("t -> exp(-t)*sin(pi/2)", "not proved to be Polya: no rule shows that f(t) tends to exactly 1"),
        ("t -> (1 + t/2)*exp(-t)", "not proved to be Polya: neither convex by interval arithmetic"),
    ],
)
def test_others_are_not_and_the_reason_has_the_number(text: str, reason: str) -> None:
    found = polya_criterion(written(text))
    assert not found.is_proved
    assert found.reason.startswith(reason)


def test_free_parameters_are_named() -> None:
    assert polya_criterion(Formula(Constant("s"))).reason == "depends on s"


@pytest.mark.long
@settings(max_examples=80)
@given(mixtures())
def test_mixtures_and_products_of_polya_kernels_are_proved(text: str) -> None:
    assert polya_criterion(written(text)).is_proved


def violates(text: str, place: int) -> bool:
    """Whether a formula is above a chord, or rises, on a grid about a place: in 30 digits, by mpmath alone."""
    names, code = (
        {"exp": mp.exp, "max": max, "__builtins__": {}},
        compile(text.split("->")[1].strip(), "<test>", "eval"),
    )
    with mp.workdps(30):
        grid = [place + mp.mpf(n) / 50 for n in range(-40, 60) if place + n / 50 >= 0]
        values = [mp.mpf(eval(code, names, {"t": t})) for t in grid]
    rises = any(b > a for a, b in pairwise(values))
    return rises or any(2 * b > a + c for a, b, c in zip(values, values[1:], values[2:], strict=False))


@pytest.mark.long
@settings(max_examples=40)
@given(mixtures(), st.integers(1, 6), st.sampled_from([0.05, 0.2]))
@example("t -> max(0, 1 - 0.75*t)**2.0/1", 1, 0.05)
def test_a_bump_that_bends_it_is_never_proved(text: str, place: int, size: float) -> None:
    """A small bump at 1 has a curvature of −0.88 at most: a function whose own is larger there stays convex."""
    bumped = f"{text} + {size}*t*exp(-8*(t - {place})**2)"
    if violates(bumped, place):
        assert not polya_criterion(written(bumped)).is_proved


def test_which_bumps_bend_what() -> None:
    """2·0.75² = 1.125 is more than the 0.88 of the small bump at 1, and less than four times as much."""
    steep = "t -> max(0, 1 - 0.75*t)**2.0/1 + {}*t*exp(-8*(t - 1)**2)"
    assert not violates(steep.format(0.05), 1)
    assert violates(steep.format(0.2), 1)
    assert violates("t -> exp(-t) + 0.05*t*exp(-8*(t - 1)**2)", 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(-3*t**2)", 6),
        ("exp(-t)", math.inf),
        ("exp(-sqrt(t))", math.inf),
        ("sin(t)/t", 1 / 3),
        ("2*besselj(1, t)/t", 1 / 4),
        ("sqrt(pi)/2*erf(t)/t", 2 / 3),
    ],
)
def test_known_values(text: str, value: float) -> None:
    assert curvature_at_zero(written(f"t -> {text}")) == pytest.approx(value, rel=1e-7)
