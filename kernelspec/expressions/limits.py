"""Limits of a formula as its variable tends to 0 or ∞."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias, TypeGuard

from kernelspec.expressions.enclosure import mended_start
from kernelspec.expressions.formula import Formula, evaluate, exact_root, fold
from kernelspec.expressions.interval import PI, Interval

__all__ = ["Limit", "limit"]

Limit: TypeAlias = Fraction | Interval | float | None
"""An exact number, an interval around it, ±∞, or None if unknown."""

_ONE, _ZERO = Fraction(1), Fraction(0)


def limit(formula: Formula, x: Fraction | float) -> Limit:
    """The limit of the formula as its variable tends to x, a Fraction or ∞.

    A Fraction is the exact limit; 0/0 at zero uses the Taylor series. Forms without a rule, such as 0·∞ and ∞ − ∞, give
    None.
    """
    found = evaluate(formula, x, _Limits())
    return mended_start(formula) if found is None and x == 0 else found


def _finite(x: Limit) -> TypeGuard[Fraction | Interval]:
    return isinstance(x, Fraction | Interval)


def _interval(x: Fraction | Interval | float) -> Interval:
    if isinstance(x, Interval):
        return x
    return Interval.of(x) if isinstance(x, Fraction) else Interval(x, x)


def _sign(x: Limit) -> int | None:
    """1, −1 or 0; None if unknown."""
    if x is None:
        return None
    if isinstance(x, Interval):
        return 1 if x.low > 0 else -1 if x.high < 0 else None
    return (x > 0) - (x < 0)


class _Limits:
    def constant(self, value: Any) -> Limit:
        return value if isinstance(value, Fraction) else None

    def pi(self) -> Limit:
        return PI

    def sum(self, terms: Sequence[Limit]) -> Limit:
        return reduce(_sum, terms)

    def negation(self, operand: Limit) -> Limit:
        return None if operand is None else -operand

    def product(self, factors: Sequence[Limit]) -> Limit:
        return reduce(_product, factors)

    def quotient(self, numerator: Limit, denominator: Limit) -> Limit:
        if denominator in (math.inf, -math.inf):
            return _ZERO if _finite(numerator) else None
        if isinstance(denominator, Fraction) and denominator != 0:
            return _product(numerator, 1 / denominator)
        if isinstance(denominator, Interval) and denominator.is_positive:
            return _product(numerator, denominator.reciprocal())
        return None

    def power(self, base: Limit, exponent: Limit) -> Limit:
        if not _finite(base) or not _finite(exponent) or base == 0:
            return None  # among them 0⁰ and 1^∞
        return self.constant_power(base, exponent)

    def constant_power(self, base: Limit, exponent: Limit) -> Limit:
        direction = _sign(exponent)
        if direction is None or not _finite(exponent):
            return None
        if direction == 0 or base == _ONE:
            return _ONE
        if base == math.inf:
            return math.inf if direction > 0 else _ZERO
        if base == _ZERO:
            return _ZERO if direction > 0 else None
        if isinstance(base, Fraction) and isinstance(exponent, Fraction):
            exact = fold("power", [base, exponent])
            if exact is not None:
                return exact
            if exponent == Fraction(1, 2):
                return self.function("sqrt", [base])
        if not _finite(base) or _sign(base) != 1:
            return None
        return _interval(base).power(_interval(exponent))

    def function(self, name: str, arguments: Sequence[Limit]) -> Limit:
        x = arguments[0]
        if name in ("max", "min"):
            return _extreme(name, x, arguments[1])
        if x is None:
            return None
        if name == "abs":
            return x.size() if isinstance(x, Interval) else max(x, -x)
        if name in ("sin", "cos"):
            if x == 0:
                return _ZERO if name == "sin" else _ONE
            if not _finite(x):
                return Interval(-1.0, 1.0)
            return _interval(x).sin() if name == "sin" else _interval(x).cos()
        if name in ("sinh", "cosh", "tan", "erf", "asin", "acos", "gamma", "besselj", "besselk"):
            return _special(name, x, arguments)
        if name == "tanh":
            return _ZERO if x == 0 else _interval(x).tanh() if _finite(x) else _ONE if x == math.inf else -_ONE
        return _increasing(name, x)


def _special(name: str, x: Limit, arguments: Sequence[Limit]) -> Limit:
    """Values at 0, at ±1 and at infinity, if they are exact."""
    if name in ("besselj", "besselk"):
        return _ZERO if arguments[1] == math.inf and isinstance(x, Fraction) else None
    if x == 0 and name in ("sinh", "tan", "erf", "asin", "cosh"):
        return _ONE if name == "cosh" else _ZERO
    if x == math.inf:
        return math.inf if name in ("sinh", "cosh", "gamma") else _ONE if name == "erf" else None
    if x == _ONE and name in ("acos", "gamma"):
        return _ZERO if name == "acos" else _ONE
    if x == _ZERO and name == "acos":
        return PI * Interval(0.5, 0.5)
    if name in ("sinh", "cosh") and isinstance(x, Fraction | Interval):
        return getattr(_interval(x), name)()  # type: ignore[no-any-return]
    return None


def _increasing(name: str, x: Fraction | Interval | float) -> Limit:
    """exp, log and sqrt."""
    if x == math.inf:
        return math.inf
    if name == "exp":
        if x == -math.inf:
            return _ZERO
        return _ONE if x == 0 else _interval(x).exp()
    if x == -math.inf or (isinstance(x, Interval) and x.low < 0) or (isinstance(x, Fraction) and x < 0):
        return None
    if name == "log":
        return -math.inf if x == 0 else _ZERO if x == 1 else _interval(x).log()
    exact = exact_root(x) if isinstance(x, Fraction) else None
    return exact if exact is not None else _interval(x).power(Interval(0.5, 0.5))


def _sum(a: Limit, b: Limit) -> Limit:
    if a is None or b is None:
        return None
    if _finite(a) and _finite(b):
        return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else _interval(a) + _interval(b)
    if _finite(a):
        return b
    return a if _finite(b) or a == b else None


def _product(a: Limit, b: Limit) -> Limit:
    if a is None or b is None:
        return None
    if _finite(a) and _finite(b):
        if a == 0 or b == 0:
            return _ZERO
        return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _interval(a) * _interval(b)
    signs = _sign(a), _sign(b)
    if None in signs or 0 in signs:
        return None
    return math.inf if signs[0] == signs[1] else -math.inf


def _extreme(name: str, a: Limit, b: Limit) -> Limit:
    if a is None or b is None:
        return None
    if name == "min":
        found = _extreme("max", -a, -b)
        return None if found is None else -found
    if math.inf in (a, b):
        return math.inf
    if -math.inf in (a, b):
        return b if a == -math.inf else a
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return max(a, b)
    left, right = _interval(a), _interval(b)
    if left.low > right.high or right.low > left.high:
        return a if left.low > right.high else b
    return Interval(max(left.low, right.low), max(left.high, right.high))
