"""Formulas in SymPy."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy

from kernelspec.expressions.formula import Constant, Formula, Variable, operation
from kernelspec.expressions.symbolic import formula_expression
from tests.formulas.written import POLYA, SMOOTH, written


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
