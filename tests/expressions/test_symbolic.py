"""Tests of `expressions/symbolic.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from time import process_time

import mpmath
import mpmath as mp
import numpy as np
import pytest
import sympy

from kernelspec.expressions.evaluation import value_at
from kernelspec.expressions.formula import Constant, Formula, Variable, operation
from kernelspec.expressions.integrals import SineTransform, half_line_integral, tail_integral
from kernelspec.expressions.interval import Interval
from kernelspec.expressions.jets import breakpoints, jet
from kernelspec.expressions.limits import limit
from kernelspec.expressions.symbolic import formula_expression, matern_size, power_of, simplified
from kernelspec.expressions.taylor import NotAnalytic, as_interval, taylor
from tests.expressions.written import POLYA, SMOOTH, written
from tests.processor import seconds_since

R = sympy.Symbol("r", positive=True)


def test_it_is_sympys_where_that_ends() -> None:
    assert simplified((sympy.sin(3 * R) ** 2 + sympy.cos(3 * R) ** 2) * R) == R


@pytest.mark.parametrize("n", [10**50, sympy.Rational(10**50, 7)])
def test_what_need_only_be_multiplied_out_is_so_for_any_number(n: object) -> None:
    start = process_time()
    assert simplified((sympy.exp(-n * R) + n * R * sympy.exp(-n * R)) * sympy.exp(n * R)) == 1 + n * R
    left = (1 / (1 + sympy.exp(n * R)) + sympy.exp(-R)) * sympy.exp(R)
    assert simplified(left).has(sympy.exp)
    assert seconds_since(start, bound=2) < 2


def test_powers_and_sizes_are_exact_or_decimals() -> None:
    assert power_of(sympy.Integer(2), sympy.Rational(1, 3)) == sympy.cbrt(2)
    assert power_of(sympy.Integer(2), sympy.Integer(10**155)).is_Float
    # r^ν K_ν(cr) → √(π/2)/c at r = 0 for ν = ½ and c = 1, and 2 for ν = 2 with c = 1
    assert matern_size(sympy.Rational(1, 2), 1) == sympy.sqrt(sympy.pi / 2)
    assert matern_size(sympy.Integer(2), 1) == 2


@pytest.mark.parametrize("text", [*POLYA, *SMOOTH])
def test_expressions_have_the_values(text: str) -> None:
    t = sympy.Symbol("t", real=True)
    expression = formula_expression(written(text), t)
    function = {**POLYA, **SMOOTH}[text]
    for point in ("0.3", "1.7"):
        with mp.workdps(30):
            exact = function(mp.mpf(point))
            assert mp.almosteq(mp.mpf(str(expression.subs(t, sympy.Rational(point)).evalf(30))), exact, 1e-25)


def test_numbers_stay_exact_and_symbols_pass() -> None:
    s, t = sympy.symbols("s t", positive=True)
    formula = Formula(operation("quotient", (Variable(), Constant(s))))
    assert formula_expression(formula, t) == t / s
    assert formula_expression(written("t -> sqrt(2)*t/3 + pi"), t) == sympy.sqrt(2) * t / 3 + sympy.pi
    assert formula_expression(written("t -> max(0, 1 - t)"), t) == sympy.Max(0, 1 - t)


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


ANALYTIC = [
    "t -> exp(-2*t)",
    "t -> log(1 + t)",
    "t -> sqrt(4 + t)",
    "t -> (1 + t)**(-1.3)",
    "t -> sin(t)*cos(3*t)",
    "t -> tanh(1 + t)",
    "t -> sinh(2*t)*cosh(t - 1) + tan(t)",
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


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("t -> exp(-t)", 1),
        ("t -> exp(-1e6*t)", 1e-6),
        ("t -> exp(-t**0.2)", math.gamma(6)),
        ("t -> (1 + t)**-1.5", 2),
        ("t -> max(0, 1 - t/3)**2.5", 3 / 3.5),
        ("t -> max(0, 1 - t)/2 + max(0, 1 - t/5)/2", 1.5),
        ("t -> exp(-t)/sqrt(t)", math.sqrt(math.pi)),
    ],
)
def test_areas(text: str, area: float) -> None:
    formula = written(text)
    assert half_line_integral(lambda t: jet(formula, t).value, breakpoints(formula)) == pytest.approx(area, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("t -> exp(-t)", 0),
        ("t -> max(0, 1 - t)", 0),
        ("t -> (1 + t)**-1.01", 1e-3 / 0.01),
        ("t -> 1/(1 + t)", math.inf),
        ("t -> (1 + t)**-0.2", math.inf),
        ("t -> 1/(1 + log(1 + t))", math.inf),
        ("t -> 1/((1 + t)*(1 + log(1 + t)))", math.inf),
        ("t -> 1/((1 + t)*(1 + log(1 + t))**2)", 1 / (1 + 300 * math.log(10))),
    ],
)
def test_tails(text: str, tail: float) -> None:
    formula = written(text)
    found = tail_integral(lambda t: jet(formula, t).value)
    assert found == pytest.approx(tail, rel=0.01)


SLOPES: dict[str, Callable[[mp.mpf], mp.mpf]] = {
    "t -> exp(-t)": lambda w: -w / (1 + w**2),
    "t -> (1 + t)**-0.2": lambda w: -w * mp.re(mp.exp(-1j * w) * mp.expint(mp.mpf("0.2"), -1j * w)),
    "t -> 1/(1 + t)": lambda w: -w * mp.re(mp.exp(-1j * w) * mp.e1(-1j * w)),
    "t -> max(0, 1 - t)": lambda w: -(1 - mp.cos(w)) / w,
    "t -> max(0, 1 - t)**2": lambda w: -2 * (w - mp.sin(w)) / w**2,
    "t -> max(0, 1 - t)/2 + exp(-t)/2": lambda w: -(w / (1 + w**2) + (1 - mp.cos(w)) / w) / 2,
    "t -> exp(-sqrt(t))": lambda w: (
        -w
        * mp.re(
            1j
            * mp.quad(
                lambda u: 2 * u * mp.exp(-w * u**2 - mp.sqrt(1j) * u),
                [0, 1 / mp.sqrt(w), 5 / mp.sqrt(w), 14 / mp.sqrt(w)],
            )
        )
    ),
}
"""∫ f′(t) sin(ωt) dt = −ω ∫ f(t) cos(ωt) dt for f of the formula."""


@pytest.mark.slow
@pytest.mark.parametrize("text", SLOPES)
def test_sine_integrals_of_slopes(text: str) -> None:
    formula = written(text)
    transform = SineTransform(lambda t: jet(formula, t).first, lambda t: jet(formula, t).second, breakpoints(formula))
    for frequency in (1e-6, 1e-3, 0.1, 1.0, 3.3, 20.0, 1e3):
        found = transform(frequency)
        with mp.workdps(40):
            exact = float(SLOPES[text](mp.mpf(frequency)))
        assert found == pytest.approx(exact, rel=2e-12)


def test_features_far_below_the_period_are_seen() -> None:
    found = SineTransform(lambda t: -np.exp(-t / 1e-8) / 1e-8, lambda t: np.exp(-t / 1e-8) / 1e-16)(1e-3)
    assert found == pytest.approx(-1e-11, rel=1e-12)
