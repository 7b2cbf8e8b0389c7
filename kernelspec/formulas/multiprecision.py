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
            case "sin" | "cos":
                return (mpmath.sin(x) if name == "sin" else mpmath.cos(x)) if mpmath.isfinite(x) else mpmath.nan
            case "tanh":
                return mpmath.tanh(x) if abs(x) < _LARGEST_EXPONENT else mpmath.sign(x)
        raise TypeError(f"there is no function {name!r}")


def _exp(x: Any) -> Any:
    import mpmath

    if x > _LARGEST_EXPONENT:
        return mpmath.inf
    return mpmath.mpf(0) if x < -_LARGEST_EXPONENT else mpmath.exp(x)


def value_at(formula: Formula, x: Any) -> Any:
    """The formula at one number, an mpf with the digits of mpmath's context."""
    import mpmath

    return mpmath.mpf(evaluate(formula, mpmath.mpf(x), Multiprecision()))
