"""The formula of one variable as a frozen tree: exact numbers, π, the variable, and operations by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from kernelspec.formulas.exact_operations import fold

__all__ = ["ARITIES", "Constant", "Formula", "Operation", "Pi", "Term", "Variable", "depends_on_variable", "operation"]

ARITIES = {
    "sqrt": 1,
    "exp": 1,
    "log": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "erf": 1,
    "gamma": 1,
    "abs": 1,
    "max": 2,
    "min": 2,
    "besselj": 2,
    "besselk": 2,
}
"""The functions that a formula may call, with the number of their arguments; Bessel functions take the order first.

A new one needs its line here and its rule in each table of operations: floats, multiprecision, jets, limits,
enclosures, and SymPy's.
"""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number: a Fraction; a SymPy expression while a parameter is free; NaN while a number is not known yet."""

    value: Any

    def validate(self) -> None:
        """Raise ValueError for a constant that is no exact number, or too long a one for a float."""
        if not isinstance(self.value, Fraction) or abs(self.value) >= 2**1023:
            raise ValueError("a constant of a formula must be an exact number")


@dataclass(frozen=True, slots=True)
class Pi:
    """π."""


@dataclass(frozen=True, slots=True)
class Variable:
    """The variable of the formula."""


@dataclass(frozen=True, slots=True)
class Operation:
    """`sum`, `negation`, `product`, `quotient`, `power` or one of ARITIES, of its operands."""

    name: str
    operands: tuple[Term, ...]

    def validate(self) -> None:
        """Raise ValueError for an operation that there is not, or another number of operands than it takes."""
        known = ARITIES | {"negation": 1, "quotient": 2, "power": 2}
        count = len(self.operands)
        if count < 2 if self.name in ("sum", "product") else count != known.get(self.name):
            raise ValueError(f"there is no operation {self.name!r} of {count} operands")


Term: TypeAlias = Constant | Pi | Variable | Operation


@dataclass(frozen=True)
class Formula:
    """x ↦ body. The name of the variable does not count in comparisons, and prints."""

    body: Term
    variable: str = field(default="t", compare=False)

    def __str__(self) -> str:
        from kernelspec.formulas.formula_text import formula_text

        return formula_text(self)

    def size(self) -> int:
        """The number of terms."""
        return sum(1 for _ in _terms(self.body))

    def unknowns(self) -> tuple[Any, ...]:
        """The constants that are no numbers yet: SymPy expressions, and NaN."""
        found = (part.value for part in _terms(self.body) if isinstance(part, Constant))
        return tuple(dict.fromkeys(value for value in found if not isinstance(value, Fraction)))

    def has_open_numbers(self) -> bool:
        """Whether a constant is NaN: the number of a parameter or of columns that a spec has no value for yet."""
        return any(isinstance(value, float) for value in self.unknowns())

    def choices(self) -> tuple[Formula, ...]:
        """The formulas whose zeros are where a max, a min or an abs may change branches."""
        found: list[Term] = []
        for part in _terms(self.body):
            if isinstance(part, Operation) and part.name == "abs":
                found.append(part.operands[0])
            elif isinstance(part, Operation) and part.name in ("max", "min"):
                left, right = part.operands
                found.append(operation("sum", (left, operation("negation", (right,)))))
        return tuple(Formula(term, self.variable) for term in dict.fromkeys(found) if depends_on_variable(term))


def operation(name: str, operands: tuple[Term, ...]) -> Term:
    """The operation, in its one form: sums and products begin with no sum or product, exact numbers are combined."""
    if name in ("sum", "product"):
        first, *rest = operands
        if isinstance(first, Operation) and first.name == name:
            first, *rest = (*first.operands, *rest)
        while rest and (combined := _combined(name, (first, rest[0]))) is not None:
            first, rest = combined, rest[1:]
        return Operation(name, (first, *rest)) if rest else first
    return _combined(name, operands) or Operation(name, operands)


def _combined(name: str, operands: tuple[Term, ...]) -> Constant | None:
    """The exact result for exact numbers, where there is one."""
    values = [part.value for part in operands if isinstance(part, Constant) and isinstance(part.value, Fraction)]
    value = fold(name, values) if len(values) == len(operands) else None
    return None if value is None else Constant(value)


def depends_on_variable(term: Term) -> bool:
    """Whether the variable stands anywhere in the term."""
    return any(isinstance(part, Variable) for part in _terms(term))


def _terms(term: Term) -> Iterator[Term]:
    """The term and all below it."""
    pending = [term]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Operation):
            pending.extend(reversed(part.operands))
