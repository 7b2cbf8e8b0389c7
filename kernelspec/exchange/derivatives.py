"""The numbers of a kernel tree and its moving columns with their derivatives by parameters, and those of its leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.columns import ComputedColumn, term_values
from kernelspec.expressions.evaluation import values
from kernelspec.expressions.formula import (
    COLUMN_FUNCTIONS,
    Column,
    Constant,
    Formula,
    Operation,
    Term,
    depends_on_variable,
    operation,
)
from kernelspec.expressions.jets import jet, slope_by_constants
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.stationary import Coordinatewise, Radial
from kernelspec.loading import sympy

__all__ = [
    "MovingColumns",
    "TreeNumbers",
    "closed_slopes",
    "compile_numbers",
    "coordinate_slopes",
    "formula_slopes",
    "line_slopes",
    "refuse_moving_directions",
]

Slope = Callable[..., "NDArray[np.float64]"]
"""From lags t and the values of the arguments to a derivative of f(t)."""

_KEPT = 64


@lru_cache(maxsize=_KEPT)
def line_slopes(leaf: Radial | Coordinatewise, names: tuple[str, ...]) -> tuple[Slope, tuple[Slope, ...]]:
    """∂f/∂t and ∂f/∂a for each named argument a, where f is the kernel on one column.

    `leaf` has numbers, exact if possible, for the other arguments. Raises NoCounterpartError if a derivative has no
    closed form.
    """
    lag = sympy.Symbol("t", positive=True) if isinstance(leaf, Radial) else sympy.Symbol("t", real=True)
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    named = replace(leaf, **symbols)
    profile = named.profile_expression(lag) if isinstance(named, Radial) else named.slope_expression(lag)
    found = []
    for variable in (lag, *symbols.values()):
        slope = sympy.diff(profile, variable)
        if slope.has(sympy.Derivative, sympy.Subs, sympy.Integral):
            raise NoCounterpartError(
                f"{type(leaf).name}() has no derivative by '{variable}' in closed form: give it a number"
            )
        found.append(sympy.lambdify([lag, *symbols.values()], slope, ["scipy", "numpy"], cse=True))
    return found[0], tuple(found[1:])


@lru_cache(maxsize=_KEPT)
def coordinate_slopes(leaf: Leaf) -> tuple[Slope, ...]:
    """∂k/∂x_j for each column j, as functions of x_1, …, x_d, y_1, …, y_d; half of each side's where x_j = y_j at a
    kink, so that their sum is the derivative of k(x, x).
    """
    pairs = SymbolicPairs.between(leaf.dim)
    assert pairs.operands is not None
    x, y = zip(*(pairs.operands(i) for i in range(1, int(leaf.dim) + 1)), strict=True)
    value = leaf.expression(pairs)
    return tuple(sympy.lambdify([*x, *y], sympy.diff(value, own), "numpy", cse=True) for own in x)


@dataclass(frozen=True)
class TreeNumbers:
    """Every expression in the tree, with its value and its slope: the derivatives by each parameter, (p,)."""

    values: dict[Any, float]
    slopes: dict[Any, NDArray[np.float64]]
    n_parameters: int

    def value(self, number: Any) -> float:
        """A number of the tree, an expression or not."""
        return self.values[number] if number in self.values else float(number)

    def slope(self, number: Any) -> NDArray[np.float64]:
        """Its derivatives, (p,)."""
        return self.slopes.get(number, np.zeros(self.n_parameters))

    def depends(self, part: Any) -> bool:
        """Whether a number in this part of the tree depends on a parameter."""
        return any(number.free_symbols for number in _expressions(part))

    def numeric(self, part: Any) -> Any:
        """The part of the tree with floats for expressions."""
        if isinstance(part, tuple):
            return tuple(map(self.numeric, part))
        if _is_expression(part):
            return self.values[part]
        if is_dataclass(part) and not isinstance(part, type):
            kept = {own.name: getattr(part, own.name) for own in fields(part) if own.init and own.name != "span"}
            changed = {name: self.numeric(value) for name, value in kept.items()}
            return replace(part, **{name: value for name, value in changed.items() if value is not kept[name]})
        return part


def compile_numbers(kernel: Kernel, names: Sequence[str]) -> Callable[[Sequence[float]], TreeNumbers]:
    """A function from values of the named parameters to the numbers of a symbolic tree."""
    found = list(dict.fromkeys(_expressions(kernel)))
    met = {symbol.name: symbol for number in found for symbol in number.free_symbols}
    symbols = [met.get(name, sympy.Symbol(name)) for name in names]
    places = [(i, j) for i, number in enumerate(found) for j, own in enumerate(symbols) if own in number.free_symbols]
    slopes = [sympy.diff(found[i], symbols[j]) for i, j in places]
    program = sympy.lambdify([list(symbols)], [found, slopes], "numpy", cse=True)
    n = len(names)

    def numbers(values: Sequence[float]) -> TreeNumbers:
        own, derivatives = program([float(value) for value in values])
        table = np.zeros((len(found), n))
        for place, derivative in zip(places, derivatives, strict=True):
            table[place] = derivative
        return TreeNumbers(dict(zip(found, map(float, own), strict=True)), dict(zip(found, table, strict=True)), n)

    return numbers


def _is_expression(part: Any) -> bool:
    return hasattr(part, "free_symbols") and hasattr(part, "diff")


def _expressions(part: Any) -> Iterator[Any]:
    """The SymPy expressions in a part of a tree, from left to right."""
    pending = [part]
    while pending:
        current = pending.pop()
        if _is_expression(current):
            yield current
        elif isinstance(current, tuple):
            pending.extend(reversed(current))
        elif is_dataclass(current) and not isinstance(current, type):
            pending.extend(getattr(current, own.name) for own in reversed(fields(current)) if own.name != "span")


@dataclass(frozen=True)
class MovingColumns:
    """The columns of rows that depend on parameters and on columns of the table.

    Each has its place, terms without parameters, and a program for its value and slopes.
    """

    columns: tuple[tuple[int, tuple[Term, ...], Callable[..., Any]], ...]
    n_parameters: int

    @classmethod
    def of(cls, sources: Sequence[object], names: Sequence[str]) -> MovingColumns:
        """The moving columns among the sources of a kernel's columns. Raises NoCounterpartError if one has no
        derivative.
        """
        symbols = [sympy.Symbol(name) for name in names]
        found = []
        for place, source in enumerate(sources):
            if not isinstance(source, ComputedColumn) or not Formula(source.body).unknowns():
                continue
            parts: dict[Term, int] = {}
            body = _of_parts(source.body, parts)
            columns = [sympy.Symbol(f"column{i}", real=True) for i in range(len(parts))]
            value = formula_expression(Formula(body), dict(enumerate(columns)))
            own = {symbol.name: symbol for symbol in value.free_symbols}
            z = sympy.Wild("z")  # windows of change points: the derivatives of 1/(1 + e^z) would be inf/inf for large z
            bounded = value.replace(1 / (1 + sympy.exp(z)), (1 - sympy.tanh(z / 2)) / 2)
            slopes = [sympy.diff(bounded, own[s.name]) if s.name in own else sympy.S.Zero for s in symbols]
            arguments = [[own.get(s.name, s) for s in symbols], columns]
            program = sympy.lambdify(arguments, [value, *slopes], ["scipy", "numpy"], cse=True)
            found.append((place, tuple(parts), program))
        return cls(tuple(found), len(names))

    def at(self, values: Sequence[float], table: Any, rows: Any) -> tuple[Any, list[NDArray[Any] | None]]:
        """The rows at these parameter values, and their derivatives by each; `table` has the rows of the table."""
        moved, changes = rows.dense().copy(), np.zeros((self.n_parameters, len(rows), rows.n_columns))
        given = dict(enumerate(table.dense().T))
        for place, terms, program in self.columns:
            parts = [term_values(part, given) for part in terms]
            with np.errstate(over="ignore"):
                value, *slopes = program([float(v) for v in values], parts)
            moved[:, place] = value
            for change, slope in zip(changes, slopes, strict=True):
                change[:, place] = slope
        return replace(rows, numbers=moved), [change if change.any() else None for change in changes]


def _of_parts(term: Term, parts: dict[Term, int]) -> Term:
    """The term with a column for each maximal part that reads columns and has no parameter."""
    if not Formula(term).unknowns():
        return Column(parts.setdefault(term, len(parts))) if depends_on_variable(term) else term
    if not isinstance(term, Operation):
        return term
    if term.name == "fill":
        x, value = term.operands
        zero = Constant(Fraction(0))
        share = operation("product", (Operation("is_missing", (x,)), value))
        return _of_parts(operation("sum", (Operation("fill", (x, zero)), share)), parts)
    if term.name in COLUMN_FUNCTIONS:
        raise NoCounterpartError(f"{term.name}() has no derivative by the parameter inside it: use a number there")
    return operation(term.name, tuple(_of_parts(operand, parts) for operand in term.operands))


def formula_slopes(
    kernel: FormulaRadial | FormulaProduct, lag: NDArray[Any], numbers: TreeNumbers
) -> tuple[NDArray[Any], NDArray[Any], dict[int, NDArray[Any]]]:
    """f(t), f′(t), and the derivatives of f(t) by the parameters in it; all derivatives are 0 at t = 0."""
    apart = lag > 0
    shape: Formula = numbers.numeric(kernel.shape)
    value = np.where(apart, values(shape, lag), 1.0)
    by_lag = np.where(apart, jet(shape, lag).first, 0.0)
    slopes = {}
    for i in range(numbers.n_parameters):
        if any(numbers.slope(number)[i] for number in kernel.shape.unknowns()):
            found = slope_by_constants(kernel.shape, lag, numbers.value, partial(_slope_of, numbers, i))
            slopes[i] = np.where(apart, found, 0.0)
    return value, by_lag, slopes


def _slope_of(numbers: TreeNumbers, parameter: int, number: Any) -> float:
    return float(numbers.slope(number)[parameter])


def refuse_moving_directions(kernel: Kernel, moves: bool) -> None:
    """Raise NoCounterpartError for a kernel of directions whose rows depend on parameters."""
    if moves:
        raise NoCounterpartError(f"{kernel} compares rows that depend on a parameter: use a number there")


def closed_slopes(kernel: Radial | Coordinatewise, numbers: TreeNumbers) -> tuple[Slope, dict[str, Slope]]:
    """f′(t), and ∂f/∂a for the arguments a that depend on a parameter, by name; all derivatives are 0 at t = 0.

    Raises NoCounterpartError if one of these is not a number, or a derivative has no closed form.
    """
    moving = tuple(name for name in declared(type(kernel)) if numbers.depends(getattr(kernel, name)))
    for name in moving:
        if declared(type(kernel))[name][0].kind != "number":
            raise NoCounterpartError(
                f"'{name}' of {kernel} has no derivative by the parameter in it: use a number there"
            )
    arguments = [numbers.value(getattr(kernel, name)) for name in moving]
    # with 1 for the moving arguments: the key of the cache
    by_lag, by_argument = line_slopes(replace(kernel, dim=1, span=None, **dict.fromkeys(moving, 1)), moving)

    def apart(slope: Slope, lag: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(all="ignore"):  # in the cases of a piecewise derivative that do not apply
            found = np.asarray(slope(np.where(lag, lag, 1.0), *arguments), dtype=float)
        return np.where(lag, found, 0.0)

    slopes: dict[str, Slope] = {name: partial(apart, own) for name, own in zip(moving, by_argument, strict=True)}
    return partial(apart, by_lag), slopes
