"""A formula of one variable as a frozen tree, its evaluation, and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import isqrt, prod
from operator import add, mul, neg, truediv
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, cast

from kernelspec.language import nodes
from kernelspec.language.literals import is_plain_name
from kernelspec.language.printer import print_node
from kernelspec.loading import Source, Span

__all__ = [
    "ARITIES",
    "COLUMN_FUNCTIONS",
    "LEARNED",
    "Column",
    "Constant",
    "Formula",
    "Operation",
    "Operations",
    "Pi",
    "Term",
    "Variable",
    "depends_on_variable",
    "divides",
    "evaluate",
    "exact_power",
    "exact_root",
    "factorizations",
    "fold",
    "is_learned",
    "operation",
    "term_text",
    "terms_of",
]

_LARGEST_EXPONENT = 64
_MOST_BITS = 256
"""Bound on numerators and denominators: 77 digits, as in a spec."""


def fold(name: str, values: Sequence[Fraction]) -> Fraction | None:
    """The exact result of an operation; None if it is irrational, undefined or too long."""
    result = _result(name, values)
    if result is None or max(abs(result.numerator).bit_length(), result.denominator.bit_length()) > _MOST_BITS:
        return None
    return result


def _result(name: str, values: Sequence[Fraction]) -> Fraction | None:
    match name:
        case "sum":
            return sum(values, Fraction(0))
        case "negation":
            return -values[0]
        case "product":
            return prod(values, start=Fraction(1))
        case "quotient":
            return values[0] / values[1] if values[1] else None
        case "power":
            return exact_power(values[0], values[1])
        case "abs":
            return abs(values[0])
        case "max":
            return max(values)
        case "min":
            return min(values)
    return None


def exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base ** exponent for integer exponents of moderate size."""
    if exponent.denominator != 1 or abs(exponent) > _LARGEST_EXPONENT or (base == 0 and exponent < 0):
        return None
    if max(abs(base.numerator).bit_length(), base.denominator.bit_length()) > _MOST_BITS:
        return None
    return base ** int(exponent)


def exact_root(value: Fraction) -> Fraction | None:
    """√value if it is rational."""
    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None


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
"""Functions of formulas, with their numbers of arguments; Bessel functions take the order first.

A new function needs a line here and a rule in each table of operations: floats, multiprecision, jets, limits,
enclosures, and SymPy.
"""


LEARNED = ("standardize", "rank", "fill")
"""Functions of a column fitted to data: standardize(x), rank(x) and fill(x), until they have their numbers."""

COLUMN_FUNCTIONS = {
    **dict.fromkeys(("year", "month", "weekday", "hour", "day_of_year", "is_missing", "standardize"), (1, 1)),
    "fill": (1, 2),
    "rank": (1, 102),
}
"""Functions of columns only, with the fewest and the most operands; the quantiles of rank(x, […]) are operands."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number: a Fraction, a SymPy expression for a free parameter, or NaN for an unknown number."""

    value: Any

    def validate(self) -> None:
        """Raise ValueError for a constant that is not exact, or too long for a float."""
        if not isinstance(self.value, Fraction) or abs(self.value) >= 2**1023:
            raise ValueError("a constant of a formula must be an exact number")


@dataclass(frozen=True, slots=True)
class Pi:
    """π."""


@dataclass(frozen=True, slots=True)
class Variable:
    """The variable of the formula."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table by position; functions of columns use it instead of a variable."""

    position: int

    def validate(self) -> None:
        """Raise ValueError for a position before the first column."""
        if self.position < 0:
            raise ValueError(f"invalid column {self.position}")


@dataclass(frozen=True, slots=True)
class Operation:
    """`sum`, `negation`, `product`, `quotient`, `power` or one of ARITIES, of its operands."""

    name: str
    operands: tuple[Term, ...]

    def validate(self) -> None:
        """Raise ValueError for an unknown operation or a wrong number of operands."""
        known = ARITIES | {"negation": 1, "quotient": 2, "power": 2}
        count = len(self.operands)
        least, most = (2, count) if self.name in ("sum", "product") else (known.get(self.name, -1),) * 2
        least, most = COLUMN_FUNCTIONS.get(self.name, (least, most))
        if not least <= count <= most or (
            self.name == "rank" and not all(isinstance(part, Constant) for part in self.operands[1:])
        ):
            raise ValueError(f"unknown operation {self.name!r} of {count} operands")


Term: TypeAlias = Constant | Pi | Variable | Column | Operation


@dataclass(frozen=True)
class Formula:
    """x ↦ body. The name of the variable matters for printing, not for comparisons."""

    body: Term
    variable: str = field(default="t", compare=False)

    def validate(self) -> None:
        """Raise ValueError if the formula contains a column of a table, or a function of columns."""
        if any(isinstance(term, Column) for term in terms_of(self.body)) or self.operations() & set(COLUMN_FUNCTIONS):
            raise ValueError("a formula of one variable reads a column")

    def __str__(self) -> str:
        return formula_text(self)

    def size(self) -> int:
        """The number of terms."""
        return sum(1 for _ in terms_of(self.body))

    def operations(self) -> frozenset[str]:
        """The names of all operations in it."""
        return frozenset(term.name for term in terms_of(self.body) if isinstance(term, Operation))

    def unknowns(self) -> tuple[Any, ...]:
        """The constants that are not numbers yet: SymPy expressions, and NaN."""
        found = (part.value for part in terms_of(self.body) if isinstance(part, Constant))
        return tuple(dict.fromkeys(value for value in found if not isinstance(value, Fraction)))

    def has_open_numbers(self) -> bool:
        """Whether a constant is NaN: a number that the spec does not determine yet."""
        return any(isinstance(value, float) for value in self.unknowns())

    def choices(self) -> tuple[Formula, ...]:
        """The formulas at whose zeros a max, a min or an abs may change branches."""
        found: list[Term] = []
        for part in terms_of(self.body):
            if isinstance(part, Operation) and part.name == "abs":
                found.append(part.operands[0])
            elif isinstance(part, Operation) and part.name in ("max", "min"):
                left, right = part.operands
                found.append(operation("sum", (left, operation("negation", (right,)))))
        return tuple(Formula(term, self.variable) for term in dict.fromkeys(found) if depends_on_variable(term))


def operation(name: str, operands: tuple[Term, ...]) -> Term:
    """The operation in canonical form: sums and products do not start with sums or products; exact
    numbers are folded.
    """
    if name in ("sum", "product"):
        first, *rest = operands
        if isinstance(first, Operation) and first.name == name:
            first, *rest = (*first.operands, *rest)
        while rest and (combined := _combined(name, (first, rest[0]))) is not None:
            first, rest = combined, rest[1:]
        return Operation(name, (first, *rest)) if rest else first
    return _combined(name, operands) or Operation(name, operands)


def _combined(name: str, operands: tuple[Term, ...]) -> Constant | None:
    """The exact result for exact numbers, if there is one."""
    values = [part.value for part in operands if isinstance(part, Constant) and isinstance(part.value, Fraction)]
    value = fold(name, values) if len(values) == len(operands) else None
    return None if value is None else Constant(value)


def depends_on_variable(term: Term) -> bool:
    """Whether the variable, or a column, occurs in the term."""
    return any(isinstance(part, Variable | Column) for part in terms_of(term))


def factorizations(term: Term) -> Iterator[tuple[Term, ...]]:
    """The factors of a product as written; for f·g/h, those of (f/h)·g and of f·(g/h)."""
    if isinstance(term, Operation) and term.name == "product":
        yield term.operands
    top, bottom = term.operands if isinstance(term, Operation) and term.name == "quotient" else (term, term)
    if top is not bottom and isinstance(top, Operation) and top.name == "product":
        for i, part in enumerate(top.operands):
            yield (*top.operands[:i], operation("quotient", (part, bottom)), *top.operands[i + 1 :])


def is_learned(term: Term) -> bool:
    """Whether a term is a function of columns that still needs numbers from data."""
    return isinstance(term, Operation) and term.name in LEARNED and len(term.operands) == 1


def divides(formula: Formula) -> bool:
    """Whether the formula contains a quotient by a function of the variable, or a power that may be one."""

    def is_inverse(part: Operation) -> bool:
        last = part.operands[-1]
        if part.name == "quotient":
            return depends_on_variable(last)
        return part.name == "power" and (not isinstance(last, Constant) or last.value < 0)

    return any(is_inverse(part) for part in terms_of(formula.body) if isinstance(part, Operation))


def terms_of(term: Term) -> Iterator[Term]:
    """The term and all subterms."""
    pending = [term]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Operation):
            pending.extend(reversed(part.operands))


T = TypeVar("T")


class Operations(Protocol[T]):
    """The operations that a type of number must provide."""

    def constant(self, value: Any) -> T:
        """An exact number."""

    def pi(self) -> T:
        """π."""

    def sum(self, terms: Sequence[T]) -> T:
        """Two or more terms, from the left; by default with +."""
        return reduce(add, terms)

    def negation(self, operand: T) -> T:
        """−x; by default with the operator."""
        found: T = neg(operand)  # type: ignore[arg-type]
        return found

    def product(self, factors: Sequence[T]) -> T:
        """Two or more factors, from the left; by default with ·."""
        return reduce(mul, factors)

    def quotient(self, numerator: T, denominator: T) -> T:
        """x / y; by default with the operator."""
        found: T = truediv(numerator, denominator)
        return found

    def power(self, base: T, exponent: T) -> T:
        """x ** y if y depends on the variable; by default exp(y log x)."""
        return self.function("exp", [self.product([exponent, self.function("log", [base])])])

    def constant_power(self, base: T, exponent: T) -> T:
        """x ** c if c does not depend on the variable; by default the same."""
        return self.power(base, exponent)

    def function(self, name: str, arguments: Sequence[T]) -> T:
        """One of ARITIES."""


def evaluate(formula: Formula, x: T, operations: Operations[T]) -> T:
    """The formula at x, with these operations; for a function of columns, x maps positions to columns."""
    return _evaluate(formula.body, x, operations)


def _evaluate(term: Term, x: T, operations: Operations[T]) -> T:
    if isinstance(term, Variable):
        return x
    if isinstance(term, Column):
        column: T = cast(Any, x)[term.position]
        return column
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


_NOWHERE = Span(Source(""), 0, 0)


def formula_text(formula: Formula) -> str:
    """`t -> exp(-t)`. Symbols and unknown numbers print as names, which parse as another formula."""
    variable = "t" if formula.variable == "pi" else formula.variable
    return print_node(nodes.Lambda(variable, _node(formula.body, variable), span=_NOWHERE))


def term_text(term: Term, names: Sequence[str] | None) -> str:
    """The text of a function of columns: `log(income)`, or `log(column(0))` without names."""
    return print_node(_node(term, names))


def _column(position: int, names: Sequence[str] | None) -> nodes.Expression:
    if names is None:
        number = nodes.Number(Fraction(position), span=_NOWHERE)
        return nodes.Call("column", (number,), (), span=_NOWHERE, function_span=_NOWHERE)
    plain = is_plain_name(names[position]) and names[position] != "pi"
    return (nodes.Name if plain else nodes.Text)(names[position], span=_NOWHERE)


_Shown: TypeAlias = str | Sequence[str] | None
"""The name of the variable, or the names of the columns, if any."""


def _node(term: Term, variable: _Shown) -> nodes.Expression:
    if isinstance(term, Column):
        return _column(term.position, variable)
    if isinstance(term, Variable):
        return nodes.Name(str(variable), span=_NOWHERE)
    if isinstance(term, Pi):
        return nodes.Name("pi", span=_NOWHERE)
    if isinstance(term, Constant):
        return _number(term.value)
    match term.name:
        case "sum":
            return _sum(term, variable)
        case "product" | "quotient":
            factors, operators = _chain(term, variable)
            return nodes.Product(factors, operators, span=_NOWHERE)
        case "negation":
            return nodes.Negation(_node(term.operands[0], variable), span=_NOWHERE)
        case "power":
            base, exponent = (_node(operand, variable) for operand in term.operands)
            return nodes.Power(base, exponent, span=_NOWHERE)
    arguments = tuple(_node(operand, variable) for operand in term.operands)
    if term.name == "rank" and arguments[1:]:
        arguments = arguments[0], nodes.Vector(arguments[1:], span=_NOWHERE)
    return nodes.Call(term.name, arguments, (), span=_NOWHERE, function_span=_NOWHERE)


def _number(value: object) -> nodes.Expression:
    if not isinstance(value, Fraction):
        text = str(value)
        return nodes.Name(text if text.isidentifier() else "unknown", span=_NOWHERE)
    if value < 0:
        return nodes.Negation(_number(-value), span=_NOWHERE)
    if _is_decimal(value):
        return nodes.Number(value, span=_NOWHERE)
    parts = (_number(Fraction(value.numerator)), _number(Fraction(value.denominator)))
    return nodes.Product(parts, ("/",), span=_NOWHERE)


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _sum(term: Operation, variable: _Shown) -> nodes.Sum:
    """`a - b` for a sum with a negated or negative term; only the first term keeps its sign."""
    first, *rest = term.operands
    parts: list[nodes.Expression] = [_node(first, variable)]
    operators: list[Literal["+", "-"]] = []
    for operand in rest:
        if isinstance(operand, Operation) and operand.name == "negation":
            shown, sign = _node(operand.operands[0], variable), "-"
        elif isinstance(operand, Constant) and isinstance(operand.value, Fraction) and operand.value < 0:
            shown, sign = _number(-operand.value), "-"
        else:
            shown, sign = _node(operand, variable), "+"
        parts.append(shown)
        operators.append("-" if sign == "-" else "+")
    return nodes.Sum(tuple(parts), tuple(operators), span=_NOWHERE)


def _chain(term: Operation, variable: _Shown) -> tuple[tuple[nodes.Expression, ...], tuple[Literal["*", "/"], ...]]:
    """The factors of `a*b/c*d` and the signs between them."""
    first, *rest = term.operands
    factors: tuple[nodes.Expression, ...]
    operators: tuple[Literal["*", "/"], ...]
    if isinstance(first, Operation) and first.name in ("product", "quotient"):
        factors, operators = _chain(first, variable)
    else:
        factors, operators = (_node(first, variable),), ()
    sign: Literal["*", "/"] = "*" if term.name == "product" else "/"
    return (*factors, *(_node(operand, variable) for operand in rest)), (*operators, *(sign for _ in rest))
