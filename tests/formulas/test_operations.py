"""The walk over a formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelspec.expressions.formula import evaluate
from tests.formulas.written import written


class Words:
    """Operations that write down what they are asked for."""

    def constant(self, value: Any) -> str:
        return str(value)

    def pi(self) -> str:
        return "π"

    def sum(self, terms: Sequence[str]) -> str:
        return f"sum({', '.join(terms)})"

    def negation(self, operand: str) -> str:
        return f"minus({operand})"

    def product(self, factors: Sequence[str]) -> str:
        return f"product({', '.join(factors)})"

    def quotient(self, numerator: str, denominator: str) -> str:
        return f"over({numerator}, {denominator})"

    def power(self, base: str, exponent: str) -> str:
        return f"power({base}, {exponent})"

    def constant_power(self, base: str, exponent: str) -> str:
        return f"constant_power({base}, {exponent})"

    def function(self, name: str, arguments: Sequence[str]) -> str:
        return f"{name}({', '.join(arguments)})"


def test_every_operation_is_asked_for_in_order() -> None:
    found = evaluate(written("t -> -t + 2*t/pi*3 + t**(1/2) + 2**t - max(t, exp(1))"), "x", Words())
    assert found == (
        "sum(minus(x), product(over(product(2, x), π), 3), constant_power(x, 1/2), power(2, x), minus(max(x, exp(1))))"
    )
