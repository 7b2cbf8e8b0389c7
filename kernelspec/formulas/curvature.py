"""−f″(0) of a formula: the variance of a coordinate of the frequencies, where f is a kernel of the lag."""

from __future__ import annotations

import math
from typing import Any

from kernelspec.formulas.formula import Formula
from kernelspec.formulas.jets import jet
from kernelspec.formulas.multiprecision import value_at
from kernelspec.formulas.symbolic_formula import formula_expression

__all__ = ["curvature_at_zero"]

_DIGITS = 60
_STEPS = ("1e-8", "1e-10")
_CLOSE = 1e-6


def curvature_at_zero(formula: Formula) -> Any:
    """−f″(0) of the even function that is f on t ≥ 0, f(0) = 1; infinite where f′(0+) is not 0.

    In SymPy where the formula has free parameters, NaN where that has no value. Where floats give none at t = 0, from
    differences with 60 digits.
    """
    if formula.unknowns():
        return _symbolic(formula)
    start = jet(formula, 0.0)
    if not math.isfinite(start.value) or math.isnan(start.first):
        return _numerical(formula)
    if start.first == 0 and math.isfinite(start.second):
        return -float(start.second)
    return math.inf


def _symbolic(formula: Formula) -> Any:
    import sympy

    t = sympy.Symbol("t", positive=True)
    slope = formula_expression(formula, t).diff(t)
    start = slope.subs(t, 0)
    if start == 0:
        return -slope.diff(t).subs(t, 0)
    return sympy.oo if start.is_finite is False or start.is_nonzero else sympy.nan


def _numerical(formula: Formula) -> float:
    import mpmath

    with mpmath.workdps(_DIGITS):
        first, second = (2 * (1 - value_at(formula, h)) / mpmath.mpf(h) ** 2 for h in _STEPS)
        return float(second) if abs(second - first) <= _CLOSE * abs(second) else math.inf
