"""Formulas with a quotient 0/0 at zero: limits, values without cancellation, derivatives, enclosures."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from kernelspec.expressions.enclosure import enclose, enclosed_near_zero, expansion
from kernelspec.expressions.evaluation import value_at, values
from kernelspec.expressions.jets import jet
from kernelspec.expressions.limits import limit
from tests.formulas.written import POLYA, written

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
