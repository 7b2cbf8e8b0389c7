"""Complete monotonicity of a formula in r^p, p ≤ 2, by rules over its structure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from kernelspec.expressions.criteria.necessary import Statement
from kernelspec.expressions.formula import Constant, Formula, Operation, Term, Variable, depends_on_variable, operation
from kernelspec.expressions.interval import Interval
from kernelspec.expressions.limits import limit
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.loading import sympy

__all__ = ["by_complete_monotonicity"]

_MOST_TERMS = 400


def by_complete_monotonicity(formula: Formula) -> Statement | None:
    """Positive definite on every R^d if f is completely monotone in r² [Schoenberg 1938].

    In u = r^p with p ≤ 2 suffices, since r^p is a Bernstein function of r². Uses the closure rules of Schilling, Song
    and Vondraček 2012: sums and products of completely monotone functions, powers and quotients of logarithmically
    completely monotone ones, exponentials, compositions with Bernstein functions.
    """
    if formula.size() > _MOST_TERMS or formula.has_open_numbers():
        return None
    for power in sorted(_powers(formula.body) | {Fraction(1), Fraction(2)}, reverse=True):
        if 0 < power <= 2 and _walk(formula.body, power).falls_to_zero_or_above:
            root = "r²" if power == 2 else "r" if power == 1 else f"r^{power}"
            shown = root.replace("r", formula.variable)
            return Statement(None, None, f"a completely monotone function of {shown}, a mixture of Gaussians")
    return None


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is known about x(u) on u > 0, u = r^p.

    `falls`: −x′ is completely monotone; `rises`: x′ is; `positive`: x ≥ 0; `is_log_monotone`: all powers of x are;
    `is_inverse`: 1/x is logarithmically completely monotone; `power`: x is a positive multiple of u to that power;
    `is_share`: x ≤ 1.
    """

    falls: bool = False
    rises: bool = False
    positive: bool = False
    is_log_monotone: bool = False
    is_inverse: bool = False
    power: Fraction | None = None
    is_share: bool = False

    @property
    def falls_to_zero_or_above(self) -> bool:
        """Whether x is completely monotone."""
        return (self.falls and self.positive) or self.is_log_monotone

    @property
    def is_bernstein(self) -> bool:
        return self.rises and self.positive


_UNKNOWN = _Shape()


def _constant(value: Any) -> _Shape:
    positive = bool(value.is_positive)
    return _Shape(True, True, bool(value.is_nonnegative), positive, positive, Fraction(0) if positive else None)


def _monomial(power: Fraction) -> _Shape:
    """u^power."""
    return _Shape(power <= 0, 0 <= power <= 1, True, power <= 0, power >= 0, power)


def _value(term: Term) -> Any:
    """A term without the variable, in SymPy."""
    return formula_expression(Formula(term), sympy.S.Zero)


def _walk(term: Term, unit: Fraction) -> _Shape:
    if not depends_on_variable(term):
        return _constant(_value(term))
    if isinstance(term, Variable):
        return _monomial(1 / unit)
    assert isinstance(term, Operation)
    match term.name:
        case "sum":
            return _total(term, unit)
        case "negation":
            return _negated(_walk(term.operands[0], unit))
        case "product":
            return reduce(_product, (_factor(part, unit) for part in term.operands))[0]
        case "quotient":
            return _quotient(term, unit)
        case "power":
            base, exponent = term.operands
            if depends_on_variable(exponent):
                return _exponential(base, exponent, unit)
            return _power(_walk(base, unit), _value(exponent))
        case "sqrt":
            return _power(_walk(term.operands[0], unit), sympy.Rational(1, 2))
    return _function(term.name, term.operands, unit)


def _total(term: Operation, unit: Fraction) -> _Shape:
    """A sum; terms over one denominator are added first, as in 1/t − e^{−t}/t."""
    first, last = term.operands[0], term.operands[-1]
    for end, rest in ((first, last), (last, first)) if len(term.operands) == 2 else ():
        if end == Constant(Fraction(1)) and isinstance(rest, Operation) and rest.name == "negation":
            x = _walk(rest.operands[0], unit)
            if x.rises and x.is_share:
                return _Shape(falls=True, positive=True)
        # 1 + e^x: (log(1 + e^x))′ = (1 + tanh(x/2)) x′/2, completely monotone in x²
        if end == Constant(Fraction(1)) and _is_exponential_of_root(rest, unit):
            return _Shape(positive=True, is_inverse=True)
    signed = [(part.name, part.operands[0]) if isinstance(part, Operation) and part.name == "negation" else ("", part)
              for part in term.operands]  # fmt: skip
    tops = [
        (operation(sign, (part.operands[0],)) if sign else part.operands[0], part.operands[1])
        for sign, part in signed
        if isinstance(part, Operation) and part.name == "quotient" and depends_on_variable(part.operands[1])
    ]
    if len(tops) == len(signed) and len({bottom for _, bottom in tops}) == 1:
        shared = operation("quotient", (operation("sum", tuple(top for top, _ in tops)), tops[0][1]))
        return _walk(shared, unit)
    return _bounded(reduce(_sum, (_walk(part, unit) for part in term.operands)), term)


def _is_exponential_of_root(term: Term, unit: Fraction) -> bool:
    if not isinstance(term, Operation) or term.name != "exp":
        return False
    power = _walk(term.operands[0], unit).power
    return power is not None and 0 < 2 * power <= 1


def _sum(a: _Shape, b: _Shape) -> _Shape:
    falls, rises = a.falls and b.falls, a.rises and b.rises
    positive = a.positive and b.positive
    return _Shape(falls, rises, positive, False, rises and positive)


def _bounded(x: _Shape, term: Term) -> _Shape:
    """Adds x ≥ 0 if its limit says so: x falls from 0 on, or rises."""
    if x.positive or not (x.falls or x.rises):
        return x
    end = limit(Formula(term), math.inf if x.falls else Fraction(0))
    low = end.low if isinstance(end, Interval) else end
    if low is None or low < 0:
        return x
    return replace(x, positive=True, is_inverse=x.rises)


def _negated(x: _Shape) -> _Shape:
    return _Shape(falls=x.rises, rises=x.falls)


def _factor(term: Term, unit: Fraction) -> tuple[_Shape, Any]:
    """A factor, with its value if it is a constant."""
    return _walk(term, unit), None if depends_on_variable(term) else _value(term)


def _product(a: tuple[_Shape, Any], b: tuple[_Shape, Any]) -> tuple[_Shape, Any]:
    (x, left), (y, right) = a, b
    if left is not None and right is not None:
        return _constant(left * right), left * right
    if left is not None or right is not None:
        value, shape = (left, y) if left is not None else (right, x)
        return _scaled(shape, value), None
    if x.power is not None and y.power is not None:
        return _monomial(x.power + y.power), None
    for one, other in ((x, y), (y, x)):
        if one.power is not None and one.power <= -1 and other.is_bernstein:
            return _Shape(True, False, True), None  # f(u)/u, and 1/u^(p − 1)
    monotone = x.falls_to_zero_or_above and y.falls_to_zero_or_above
    log = x.is_log_monotone and y.is_log_monotone
    return _Shape(monotone, False, x.positive and y.positive, log, x.is_inverse and y.is_inverse), None


def _scaled(x: _Shape, value: Any) -> _Shape:
    if value.is_positive:
        return replace(x, is_share=x.is_share and bool((1 - value).is_nonnegative))
    if value.is_negative:
        return _negated(x)
    return _constant(value) if value.is_zero else _UNKNOWN


def _quotient(term: Operation, unit: Fraction) -> _Shape:
    top, bottom = term.operands
    if isinstance(top, Operation) and top.name == "negation":
        return _negated(_walk(operation("quotient", (top.operands[0], bottom)), unit))
    x, y = _walk(top, unit), _walk(bottom, unit)
    if not depends_on_variable(bottom):
        return _scaled(x, 1 / _value(bottom))
    if x.is_bernstein and _exceeds_by_constant(bottom, top):
        return _Shape(rises=True, positive=True, is_inverse=True, is_share=True)  # x/(c + x) = 1 − c/(c + x)
    if _is_of_root(top, ("tanh", "erf"), y.power, unit):  # partial fractions; ∫₀¹ exp(−x²s²) ds
        return _Shape(True, False, True)
    if _is_of_root(bottom, ("sinh",), x.power, unit):  # ∏ 1/(1 + x²/(πn)²)
        return _Shape(True, False, True, True)
    inverse = _power_of_minus_one(y)
    value = None if depends_on_variable(top) else _value(top)
    return _product((x, value), (inverse, None))[0]


def _exceeds_by_constant(bottom: Term, top: Term) -> bool:
    """Whether bottom − top is written as a positive number."""
    if not isinstance(bottom, Operation) or bottom.name != "sum" or top not in bottom.operands:
        return False
    rest = list(bottom.operands)
    rest.remove(top)
    return all(not depends_on_variable(part) and bool(_value(part).is_positive) for part in rest)


def _is_of_root(term: Term, names: tuple[str, ...], power: Fraction | None, unit: Fraction) -> bool:
    """Whether a term is one of these functions of x, a multiple of a power of u such that x² is a
    Bernstein function.
    """
    term = _core(term)
    if not isinstance(term, Operation) or term.name not in names or power is None:
        return False
    return 0 < 2 * power <= 1 and _walk(term.operands[0], unit).power == power


def _core(term: Term) -> Term:
    """The term without positive constant factors."""
    while isinstance(term, Operation) and term.name in ("product", "quotient"):
        varying = [part for part in term.operands if depends_on_variable(part)]
        constants = [part for part in term.operands if not depends_on_variable(part)]
        if varying != [term.operands[0]] and term.name == "quotient":
            break
        if len(varying) != 1 or not all(bool(_value(part).is_positive) for part in constants):
            break
        term = varying[0]
    return term


def _power_of_minus_one(x: _Shape) -> _Shape:
    if x.power is not None:
        return _monomial(-x.power)
    inverse = x.is_inverse or (x.is_bernstein and not x.falls)
    return _Shape(inverse, False, inverse or x.is_log_monotone, inverse, x.is_log_monotone)


def _power(x: _Shape, exponent: Any) -> _Shape:
    if exponent.is_zero:
        return _constant(sympy.S.One)
    if exponent.is_negative:
        return _power(_power_of_minus_one(x), -exponent)
    if not exponent.is_positive:
        return _UNKNOWN
    if x.power is not None:
        if exponent.is_Rational:
            return _monomial(x.power * Fraction(int(exponent.p), int(exponent.q)))
        powers = x.power * exponent
        between = bool((1 - powers).is_nonnegative) and bool(powers.is_nonnegative)
        return _Shape(x.power < 0, between, True, x.power < 0, x.power > 0)
    whole = bool(exponent.is_integer) and x.falls_to_zero_or_above
    rises = x.is_bernstein and bool((1 - exponent).is_nonnegative)
    inverse = x.is_inverse or x.is_bernstein
    return _Shape(whole or x.is_log_monotone, rises, x.positive, x.is_log_monotone, inverse, None, x.is_share)


def _exponential(base: Term, exponent: Term, unit: Fraction) -> _Shape:
    """c^x = exp(x log c)."""
    if depends_on_variable(base):
        return _UNKNOWN
    rate = sympy.log(_value(base))
    return _exp(_scaled(_walk(exponent, unit), rate)) if rate.is_real else _UNKNOWN


def _exp(x: _Shape) -> _Shape:
    return _Shape(x.falls, False, True, x.falls, x.rises)


def _function(name: str, operands: tuple[Term, ...], unit: Fraction) -> _Shape:
    x = _walk(operands[-1], unit)
    match name:
        case "exp":
            return _exp(x)
        case "log":
            return _logarithm(operands[0], x)
        case "abs":
            return x if x.positive else _UNKNOWN
        case "cosh" | "sinh" if x.power is not None and 0 <= 2 * x.power <= 1:  # ∏ (1 + x²/a_n²), x times such
            return _Shape(positive=True, is_inverse=True)
        case "erf" | "tanh" if (
            x.power is not None and 0 <= 2 * x.power <= 1
        ):  # derivatives in x²: e^{−x²}/x, 1/(x cosh²)
            return _Shape(rises=True, positive=True, is_inverse=True, is_share=True)
        case "besselk" if x.is_bernstein and _is_real(operands[0]):  # ∫ exp(−x cosh s) cosh(νs) ds
            return _Shape(True, False, True)
    return _UNKNOWN


def _is_real(order: Term) -> bool:
    return not depends_on_variable(order) and bool(_value(order).is_real)


def _logarithm(inside: Term, x: _Shape) -> _Shape:
    rises = x.is_inverse or x.is_bernstein
    return replace(_UNKNOWN, falls=x.is_log_monotone, rises=rises, positive=rises and _is_at_least_one(inside))


def _is_at_least_one(term: Term) -> bool:
    """Whether an increasing x is ≥ 1: one plus something nonnegative."""
    if not isinstance(term, Operation) or term.name != "sum":
        return False
    constants = [part for part in term.operands if not depends_on_variable(part)]
    rest = [part for part in term.operands if depends_on_variable(part)]
    return bool((sum(_value(part) for part in constants) - 1).is_nonnegative) and all(
        _walk(part, Fraction(2)).positive for part in rest
    )


def _powers(term: Term) -> set[Fraction]:
    """The exponents of the variable that the formula contains."""
    if not isinstance(term, Operation):
        return set()
    found = {power for part in term.operands for power in _powers(part)}
    if term.name == "power" and isinstance(term.operands[0], Variable) and isinstance(term.operands[1], Constant):
        value = term.operands[1].value
        found |= {abs(value)} if isinstance(value, Fraction) and value else set()
    return found
