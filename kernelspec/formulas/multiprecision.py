"""Formulas in mpmath: numbers without overflow, with as many digits as its context has."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kernelspec.formulas.formula import Formula
from kernelspec.formulas.operations import evaluate

__all__ = ["Multiprecision", "value_at"]

_LARGEST_EXPONENT = 100_000
"""exp() of more is taken for ∞, of less than its negative for 0: the numbers between are far beyond any float."""


class Multiprecision:
    """mpmath's real numbers; NaN where there is no real value."""

    def constant(self, value: Any) -> Any:
        import mpmath

        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    def pi(self) -> Any:
        import mpmath

        return +mpmath.pi

    def sum(self, terms: Sequence[Any]) -> Any:
        return sum(terms[1:], terms[0])

    def negation(self, operand: Any) -> Any:
        return -operand

    def product(self, factors: Sequence[Any]) -> Any:
        result = factors[0]
        for factor in factors[1:]:
            result = result * factor
        return result

    def quotient(self, numerator: Any, denominator: Any) -> Any:
        import mpmath

        if denominator == 0:
            return mpmath.nan if numerator == 0 else mpmath.sign(numerator) * mpmath.inf
        return numerator / denominator

    def power(self, base: Any, exponent: Any) -> Any:
        return self.constant_power(base, exponent)

    def constant_power(self, base: Any, exponent: Any) -> Any:
        import mpmath

        if exponent == 0:
            return mpmath.mpf(1)
        if mpmath.isnan(base) or mpmath.isnan(exponent):
            return mpmath.nan
        if base == 0:
            return mpmath.mpf(0) if exponent > 0 else mpmath.inf
        if base < 0 and not mpmath.isint(exponent):
            return mpmath.nan
        size = exponent * mpmath.log(abs(base))
        if abs(size) < _LARGEST_EXPONENT:
            return mpmath.power(base, exponent)
        return -_exp(size) if base < 0 and int(exponent) % 2 else _exp(size)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        import mpmath

        x = arguments[0]
        match name:
            case "max" | "min":
                other = arguments[1]
                if mpmath.isnan(x) or mpmath.isnan(other):
                    return mpmath.nan
                return max(x, other) if name == "max" else min(x, other)
            case "abs":
                return abs(x)
            case "exp":
                return _exp(x)
            case "sqrt":
                return mpmath.sqrt(x) if x >= 0 else mpmath.nan
            case "log":
                return mpmath.nan if not x >= 0 else mpmath.log(x) if x > 0 else -mpmath.inf
            case "besselj" | "besselk":
                return _bessel(name, x, arguments[1])
        return _of_one_number(name, x)


def _of_one_number(name: str, x: Any) -> Any:
    import mpmath

    match name:
        case "sin" | "cos" | "tan":
            return getattr(mpmath, name)(x) if mpmath.isfinite(x) else mpmath.nan
        case "asin" | "acos":
            return getattr(mpmath, name)(x) if abs(x) <= 1 else mpmath.nan
        case "sinh":
            return (_exp(x) - _exp(-x)) / 2 if abs(x) > 1 else mpmath.sinh(x)
        case "cosh":
            return (_exp(x) + _exp(-x)) / 2
        case "tanh" | "erf":
            return getattr(mpmath, name)(x) if abs(x) < _LARGEST_EXPONENT else mpmath.sign(x)
        case "gamma":
            return mpmath.nan if x <= 0 and mpmath.isint(x) else mpmath.gamma(x)
    raise TypeError(f"there is no function {name!r}")


def _bessel(name: str, order: Any, x: Any) -> Any:
    import mpmath

    if not x >= 0:
        return mpmath.nan
    if x == mpmath.inf or (name == "besselk" and x > _LARGEST_EXPONENT):
        return mpmath.mpf(0)
    if name == "besselk":
        return mpmath.besselk(order, x) if x > 0 else mpmath.inf
    return mpmath.besselj(order, x)


def _exp(x: Any) -> Any:
    import mpmath

    if x > _LARGEST_EXPONENT:
        return mpmath.inf
    return mpmath.mpf(0) if x < -_LARGEST_EXPONENT else mpmath.exp(x)


def value_at(formula: Formula, x: Any) -> Any:
    """The formula at one number, an mpf with the digits of mpmath's context."""
    import mpmath

    return mpmath.mpf(evaluate(formula, mpmath.mpf(x), Multiprecision()))
