"""Taylor coefficients at zero and on intervals, against mpmath's."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from kernelspec.expressions.evaluation import value_at
from kernelspec.expressions.taylor import NotAnalytic, as_interval, taylor
from tests.expressions.written import written

ANALYTIC = [
    "t -> exp(-2*t)",
    "t -> log(1 + t)",
    "t -> sqrt(4 + t)",
    "t -> (1 + t)**(-1.3)",
    "t -> sin(t)*cos(3*t)",
    "t -> tanh(1 + t)",
    "t -> 1/(2 + t + t**2)",
    "t -> max(2 + t, t)",
    "t -> min(abs(t - 3), 9)",
    "t -> (2 + t)**(t/3)",
    "t -> pi*t**3",
]


@pytest.mark.parametrize("text", ANALYTIC)
def test_coefficients_enclose_those_of_numerical_differentiation(text: str) -> None:
    formula, high = written(text), 0.25
    found = taylor(formula, high, 6)
    with mpmath.workdps(60):
        for point, series in ((0.0, found.start), (0.1, found.around), (high, found.around)):
            for order, expected in enumerate(mpmath.taylor(lambda t: value_at(formula, t), point, 6)):
                interval = as_interval(series[order])
                slack = mpmath.mpf("1e-25")
                assert interval.low - slack <= expected <= interval.high + slack


def test_rational_coefficients_are_exact() -> None:
    found = taylor(written("t -> log(1 + t)*exp(t)/(1 - t)"), 0.5, 3)
    assert found.start == (0, 1, Fraction(3, 2), Fraction(11, 6))
    assert not found.is_mended


def test_zeros_divide() -> None:
    found = taylor(written("t -> (1 - cos(t))/t**2"), 1.0, 6)
    assert found.start[:3] == (Fraction(1, 2), 0, Fraction(-1, 24))
    assert found.is_mended


@pytest.mark.parametrize("text", ["t -> 1/t", "t -> sqrt(t)", "t -> log(t)", "t -> abs(t - 0.1)", "t -> sin(t)/t**2"])
def test_what_has_no_series_says_so(text: str) -> None:
    with pytest.raises(NotAnalytic):
        taylor(written(text), 0.25, 6)
