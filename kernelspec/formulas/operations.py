"""Walking a formula with a table of operations: the one way in which formulas are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from kernelspec.formulas.formula import Constant, Formula, Pi, Term, Variable, depends_on_variable

__all__ = ["Operations", "evaluate"]

T = TypeVar("T")


class Operations(Protocol[T]):
    """What a kind of number must be able to do."""

    def constant(self, value: Any) -> T:
        """An exact number."""

    def pi(self) -> T:
        """π."""

    def sum(self, terms: Sequence[T]) -> T:
        """Two or more terms, from the left."""

    def negation(self, operand: T) -> T:
        """−x."""

    def product(self, factors: Sequence[T]) -> T:
        """Two or more factors, from the left."""

    def quotient(self, numerator: T, denominator: T) -> T:
        """x / y."""

    def power(self, base: T, exponent: T) -> T:
        """x ** y where y depends on the variable: exp(y log x)."""

    def constant_power(self, base: T, exponent: T) -> T:
        """x ** c where c does not depend on the variable."""

    def function(self, name: str, arguments: Sequence[T]) -> T:
        """One of ARITIES."""


def evaluate(formula: Formula, x: T, operations: Operations[T]) -> T:
    """The formula at x, in the numbers of the table."""
    return _evaluate(formula.body, x, operations)


def _evaluate(term: Term, x: T, operations: Operations[T]) -> T:
    if isinstance(term, Variable):
        return x
    if isinstance(term, Pi):
        return operations.pi()
    if isinstance(term, Constant):
        return operations.constant(term.value)
    values = [_evaluate(operand, x, operations) for operand in term.operands]
    match term.name:
        case "sum":
            return operations.sum(values)
        case "product":
            return operations.product(values)
        case "negation":
            return operations.negation(values[0])
        case "quotient":
            return operations.quotient(values[0], values[1])
        case "power":
            varies = depends_on_variable(term.operands[1])
            return operations.power(*values) if varies else operations.constant_power(*values)
    return operations.function(term.name, values)
