"""Exact limits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from kernelspec.expressions.interval import Interval
from kernelspec.expressions.limits import limit
from tests.expressions.written import POLYA, written


@pytest.mark.parametrize("text", POLYA)
def test_polya_kernels_begin_at_exactly_one(text: str) -> None:
    assert limit(written(text), Fraction(0)) == 1


@pytest.mark.parametrize("text", [text for text in POLYA if "0.4*t" not in text])
def test_polya_kernels_end_at_exactly_zero(text: str) -> None:
    assert limit(written(text), math.inf) == 0


@pytest.mark.parametrize(
    ("text", "at_zero", "at_infinity"),
    [
        ("t -> 1/3 + 2/3*exp(-t)", 1, Fraction(1, 3)),
        ("t -> t - 2", -2, math.inf),
        ("t -> 2 - t**2", 2, -math.inf),
        ("t -> abs(2 - t)*3", 6, math.inf),
        ("t -> log(t)", -math.inf, math.inf),
        ("t -> exp(-t)*cos(t)", 1, 0),
        ("t -> sqrt(t + 9/4)", Fraction(3, 2), math.inf),
        ("t -> (t + 4)**(1/2)", 2, math.inf),
        ("t -> (t + 4)**-2", Fraction(1, 16), 0),
        ("t -> max(2, t) + min(-1, t)", 1, math.inf),
        ("t -> sin(t)*t", 0, None),
        ("t -> tanh(t)", 0, 1),
        ("t -> tanh(-2*t)", 0, -1),
        ("t -> 1/exp(t)", 1, 0),
        ("t -> log(1 + t)", 0, math.inf),
    ],
)
def test_known_limits(text: str, at_zero: object, at_infinity: object) -> None:
    assert limit(written(text), Fraction(0)) == at_zero
    assert limit(written(text), math.inf) == at_infinity


@pytest.mark.parametrize(
    "text",
    [
        "t -> 1/t",
        "t -> t**-1",
        "t -> t**t",
        "t -> t**(1/log(t))",
        "t -> log(t) - log(t)",
        "t -> t*log(t)",
        "t -> log(-1 - t)",
        "t -> sqrt(-1 - t)",
        "t -> exp(-1/t)",
    ],
)
def test_forms_without_a_rule_have_none_at_zero(text: str) -> None:
    assert limit(written(text), Fraction(0)) is None


@pytest.mark.parametrize("text", ["t -> t - t", "t -> t/t", "t -> t*exp(-t)", "t -> (1 + 1/t)**t", "t -> cos(t) + t/t"])
def test_forms_without_a_rule_have_none_at_infinity(text: str) -> None:
    assert limit(written(text), math.inf) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("t -> pi*exp(t)", math.pi),
        ("t -> sqrt(t + 2)", math.sqrt(2)),
        ("t -> sin(1 + t)/cos(1)", math.tan(1)),
        ("t -> tanh(2 - t)", math.tanh(2)),
        ("t -> log(2)**0.5", math.log(2) ** 0.5),
    ],
)
def test_irrational_limits_are_enclosed(text: str, value: float) -> None:
    found = limit(written(text), Fraction(0))
    assert isinstance(found, Interval)
    assert found.low < value < found.high
    assert found.high - found.low < 1e-14


def test_rounding_never_makes_a_limit_zero_or_one() -> None:
    assert limit(written("t -> (sqrt(2) - 1.4142135623730951)*2"), math.inf) != 0
    assert limit(written("t -> exp(-t) + 1e-70"), math.inf) == Fraction(1, 10**70)
    assert limit(written("t -> exp(-t) + 1e-70"), Fraction(0)) != 1
