"""Tests of `expressions/symbolic.py`."""

from __future__ import annotations

from time import process_time

import mpmath as mp
import pytest
import sympy

from kernelspec.expressions.formula import Constant, Formula, Variable, operation
from kernelspec.expressions.symbolic import formula_expression, matern_size, power_of, simplified
from tests.expressions.written import POLYA, SMOOTH, written

R = sympy.Symbol("r", positive=True)


def test_it_is_sympys_where_that_ends() -> None:
    assert simplified((sympy.sin(3 * R) ** 2 + sympy.cos(3 * R) ** 2) * R) == R


@pytest.mark.parametrize("n", [10**50, sympy.Rational(10**50, 7)])
def test_what_need_only_be_multiplied_out_is_so_for_any_number(n: object) -> None:
    start = process_time()
    assert simplified((sympy.exp(-n * R) + n * R * sympy.exp(-n * R)) * sympy.exp(n * R)) == 1 + n * R
    left = (1 / (1 + sympy.exp(n * R)) + sympy.exp(-R)) * sympy.exp(R)
    assert simplified(left).has(sympy.exp)
    assert process_time() - start < 2


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
