"""A kernel matrix with its derivatives by parameters: forward differentiation over the tree of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache, partial, singledispatch
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.evaluation import values
from kernelspec.expressions.formula import Formula
from kernelspec.expressions.jets import jet, slope_by_constants
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.of_rows import RbfCosine
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.stationary import Coordinatewise, Radial

__all__ = [
    "Place",
    "Slope",
    "Slopes",
    "Tangents",
    "TreeNumbers",
    "compile_numbers",
    "exact_leaf",
    "formula_slopes",
    "line_slopes",
    "masked",
    "moving_arguments",
    "plus",
    "tangent_rule",
    "tangents",
]

Slope = Callable[..., "NDArray[np.float64]"]
"""From lags t and the values of the arguments to a derivative of f(t)."""

_KEPT = 64


@lru_cache(maxsize=_KEPT)
def line_slopes(leaf: Radial | Coordinatewise, names: tuple[str, ...]) -> tuple[Slope, tuple[Slope, ...]]:
    """∂f/∂t and ∂f/∂a for each named argument a, of the function f that the kernel is on one column.

    `leaf` has numbers, exact where they can be, for the other arguments. Raises NoCounterpartError for an argument by
    which there is no derivative in closed form.
    """
    import sympy

    lag = sympy.Symbol("t", positive=True) if isinstance(leaf, Radial) else sympy.Symbol("t", real=True)
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    named = replace(leaf, **symbols)
    profile = named.profile_expression(lag) if isinstance(named, Radial) else named.factor_expression(lag)
    found = []
    for variable in (lag, *symbols.values()):
        slope = sympy.diff(profile, variable)
        if slope.has(sympy.Derivative, sympy.Subs, sympy.Integral):
            raise NoCounterpartError(
                f"{type(leaf).name}() has no derivative by '{variable}' in closed form: give it a number"
            )
        found.append(sympy.lambdify([lag, *symbols.values()], slope, ["scipy", "numpy"], cse=True))
    return found[0], tuple(found[1:])


@dataclass(frozen=True)
class TreeNumbers:
    """Every expression in the tree, with its value and its slopes: the derivatives by each parameter, (p,)."""

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
        """The same part of the tree with floats for expressions."""
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
    """From values of the parameters of these names to the numbers of a symbolic tree."""
    import sympy

    found = list(dict.fromkeys(_expressions(kernel)))
    met = {symbol.name: symbol for number in found for symbol in number.free_symbols}
    symbols = [met.get(name, sympy.Symbol(name)) for name in names]
    slopes = [[sympy.diff(number, symbol) for symbol in symbols] for number in found]
    program = sympy.lambdify([list(symbols)], [found, slopes], "numpy", cse=True)
    n = len(names)

    def numbers(values: Sequence[float]) -> TreeNumbers:
        own, derivatives = program([float(value) for value in values])
        table = np.array(derivatives, dtype=float).reshape(len(found), n)
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


Slopes: TypeAlias = list[NDArray[Any] | None]
"""The derivative of k for all pairs by each parameter, None where it is zero."""

Tangents: TypeAlias = tuple[NDArray[Any], Slopes]
"""k for all pairs, and its derivatives."""

Move: TypeAlias = tuple[NDArray[Any], NDArray[Any]] | None
"""How the rows on both sides change with a parameter, None where they do not."""


@dataclass(frozen=True)
class Place:
    """Pairs of rows, how they change with each parameter, and the numbers of the tree."""

    pairs: NumericPairs
    moves: tuple[Move, ...]
    numbers: TreeNumbers

    def lag(self, column: int) -> NDArray[Any]:
        """Δ of one column for all pairs."""
        return _differences(self.pairs.x.dense(), self.pairs.y.dense(), column)

    def zero(self) -> Slopes:
        """No derivative, for each parameter."""
        return [None] * len(self.moves)

    def moved_lag(self, parameter: int, column: int) -> NDArray[Any] | None:
        """∂Δ of one column by a parameter."""
        move = self.moves[parameter]
        return None if move is None else _differences(*move, column)


def tangents(kernel: Kernel, at: Place) -> Tangents:
    """k(x, y) and its derivatives. Raises NoCounterpartError where a parameter reaches a kernel without a rule."""
    if not at.numbers.depends(kernel) and not any(move is not None for move in at.moves):
        value = np.asarray(at.numbers.numeric(kernel).value(at.pairs), dtype=float)
        return np.broadcast_to(value, at.pairs.shape), [None] * len(at.moves)
    return tangent_rule(kernel, at)


@singledispatch
def tangent_rule(kernel: Kernel, at: Place) -> Tangents:
    """The same for a kind of kernel that a parameter reaches."""
    if not at.numbers.depends(kernel) and not getattr(kernel, "reads_numbers", True):
        return tangents(kernel, replace(at, moves=(None,) * len(at.moves)))  # constant(), whatever the rows are
    raise NoCounterpartError(
        f"a parameter reaches {kernel}, whose derivatives are not known: give it a number there; sums, products, "
        "powers, selections, stretches, radial kernels, formulas and products over the columns have derivatives"
    )


@tangent_rule.register
def _(kernel: Sum, at: Place) -> Tangents:
    total, slopes = np.zeros(at.pairs.shape), at.zero()
    for weight, term in zip(kernel.weights, kernel.terms, strict=True):
        value, own = tangents(term, at)
        size, change = at.numbers.value(weight), at.numbers.slope(weight)
        total = total + size * value
        for i, slope in enumerate(own):
            slopes[i] = plus(slopes[i], None if slope is None else size * slope)
            slopes[i] = plus(slopes[i], change[i] * value if change[i] else None)
    return total, slopes


@tangent_rule.register
def _(kernel: Product, at: Place) -> Tangents:
    total, slopes = np.ones(at.pairs.shape), at.zero()
    for factor in kernel.factors:
        value, own = tangents(factor, at)
        for i, slope in enumerate(own):
            kept = None if slopes[i] is None else slopes[i] * value
            slopes[i] = plus(kept, None if slope is None else total * slope)
        total = total * value
    return total, slopes


@tangent_rule.register
def _(kernel: Power, at: Place) -> Tangents:
    value, own = tangents(kernel.base, at)
    rise = kernel.exponent * value ** (kernel.exponent - 1)
    return value**kernel.exponent, [None if slope is None else rise * slope for slope in own]


@tangent_rule.register
def _(kernel: Select, at: Place) -> Tangents:
    chosen = list(kernel.positions)
    moves = tuple(None if move is None else (move[0][:, chosen], move[1][:, chosen]) for move in at.moves)
    return tangents(kernel.base, replace(at, pairs=at.pairs.select(kernel.positions), moves=moves))


@tangent_rule.register
def _(kernel: Stretch, at: Place) -> Tangents:
    """Rows become A x; they change by (∂A) x + A ∂x."""
    matrix = np.asarray(at.numbers.numeric(kernel.matrix), dtype=float)
    rows = (at.pairs.x.dense(), at.pairs.y.dense())
    moves: list[Move] = []
    for i, move in enumerate(at.moves):
        change = _entries(kernel.matrix, lambda entry, i=i: at.numbers.slope(entry)[i])
        parts = [_mapped(change, rows) if change.any() else None, None if move is None else _mapped(matrix, move)]
        known = [part for part in parts if part is not None]
        moves.append((_sum([x for x, _ in known]), _sum([y for _, y in known])) if known else None)
    return tangents(kernel.base, replace(at, pairs=at.pairs.map(matrix), moves=tuple(moves)))


def plus(first: NDArray[Any] | None, second: NDArray[Any] | None) -> NDArray[Any] | None:
    """The sum of two derivatives, either of which may be zero."""
    return second if first is None else first if second is None else first + second


def _differences(x: NDArray[Any], y: NDArray[Any], column: int) -> NDArray[Any]:
    return np.asarray(np.subtract.outer(x[:, column], y[:, column]))


def _sum(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.asarray(np.sum(parts, axis=0))


def _mapped(matrix: NDArray[Any], rows: tuple[NDArray[Any], NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    return (rows[0] @ matrix.T, rows[1] @ matrix.T) if matrix.ndim == 2 else (rows[0] * matrix, rows[1] * matrix)


def _entries(matrix: Any, entry_of: Any) -> NDArray[Any]:
    """A function of each entry of a number, a vector or a matrix, in that shape."""
    if isinstance(matrix, tuple):
        return np.array([_entries(part, entry_of) for part in matrix])
    return np.asarray(entry_of(matrix), dtype=float)


@tangent_rule.register
def _(kernel: Radial, at: Place) -> Tangents:
    """f(r): f′(r) (Δ·∂Δ)/r + Σ ∂f/∂a ∂a; zero at r = 0, where f = 1 whatever the arguments are."""
    value = at.numbers.numeric(kernel).numbers(at.pairs)
    names = moving_arguments(kernel, at.numbers)
    by_lag, by_argument = line_slopes(exact_leaf(kernel, names), names)
    radius = np.sqrt(at.pairs.squared_norm())
    apart = radius > 0
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    slopes = at.zero()
    for name, slope in zip(names, by_argument, strict=True):
        own = masked(slope, radius, apart, arguments)
        for i, change in enumerate(at.numbers.slope(getattr(kernel, name))):
            slopes[i] = plus(slopes[i], change * own if change else None)
    if any(move is not None for move in at.moves):
        fall = masked(by_lag, radius, apart, arguments) / np.where(apart, radius, 1.0)
        for i, j in product(range(len(at.moves)), range(at.pairs.dim)):
            moved = at.moved_lag(i, j)
            slopes[i] = plus(slopes[i], None if moved is None else fall * at.lag(j) * moved)
    return value, slopes


@tangent_rule.register
def _(kernel: Coordinatewise, at: Place) -> Tangents:
    """∏ f(Δ_j), one column after the other; f(0) = 1 whatever the arguments are."""
    numeric = at.numbers.numeric(kernel)
    names = moving_arguments(kernel, at.numbers)
    by_lag, by_argument = line_slopes(exact_leaf(kernel, names), names)
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    total, slopes = np.ones(at.pairs.shape), at.zero()
    for j in range(at.pairs.dim):
        lag = at.lag(j)
        apart, factor = lag != 0, numeric.factor(lag)
        own = at.zero()
        for name, slope in zip(names, by_argument, strict=True):
            found = masked(slope, lag, apart, arguments)
            for i, change in enumerate(at.numbers.slope(getattr(kernel, name))):
                own[i] = plus(own[i], change * found if change else None)
        if any(move is not None for move in at.moves):
            fall = masked(by_lag, lag, apart, arguments)
            for i in range(len(at.moves)):
                moved = at.moved_lag(i, j)
                own[i] = plus(own[i], None if moved is None else fall * moved)
        for i, change in enumerate(own):
            kept = None if slopes[i] is None else slopes[i] * factor
            slopes[i] = plus(kept, None if change is None else total * change)
        total = total * factor
    return total, slopes


@tangent_rule.register
def _(kernel: FormulaRadial, at: Place) -> Tangents:
    """f(r), f(0) = 1 whatever its constants are: one-sided derivatives at a kink."""
    radius = np.sqrt(at.pairs.squared_norm())
    value, by_lag, slopes = formula_slopes(kernel, radius, at)
    fall = by_lag / np.where(radius > 0, radius, 1.0)
    for i, j in product(range(len(at.moves)), range(at.pairs.dim)):
        moved = at.moved_lag(i, j)
        slopes[i] = plus(slopes[i], None if moved is None else fall * at.lag(j) * moved)
    return value, slopes


@tangent_rule.register
def _(kernel: FormulaProduct, at: Place) -> Tangents:
    """∏ f(|Δ_j|), one column after the other."""
    total, slopes = np.ones(at.pairs.shape), at.zero()
    for j in range(at.pairs.dim):
        lag = at.lag(j)
        factor, by_lag, own = formula_slopes(kernel, np.abs(lag), at)
        for i in range(len(at.moves)):
            moved = at.moved_lag(i, j)
            change = plus(own[i], None if moved is None else by_lag * np.sign(lag) * moved)
            kept = None if slopes[i] is None else slopes[i] * factor
            slopes[i] = plus(kept, None if change is None else total * change)
        total = total * factor
    return total, slopes


def formula_slopes(
    kernel: FormulaRadial | FormulaProduct, lag: NDArray[Any], at: Place
) -> tuple[NDArray[Any], NDArray[Any], Slopes]:
    """f(t), f′(t), and the derivative of f(t) by each parameter; all of these are 0 at t = 0."""
    apart = lag > 0
    shape: Formula = at.numbers.numeric(kernel.shape)
    value = np.where(apart, values(shape, lag), 1.0)
    by_lag = np.where(apart, jet(shape, lag).first, 0.0)
    slopes = at.zero()
    for i in range(len(at.moves)):
        if any(at.numbers.slope(number)[i] for number in kernel.shape.unknowns()):
            found = slope_by_constants(kernel.shape, lag, at.numbers.value, partial(_slope_of, at.numbers, i))
            slopes[i] = np.where(apart, found, 0.0)
    return value, by_lag, slopes


def _slope_of(numbers: TreeNumbers, parameter: int, number: Any) -> float:
    return float(numbers.slope(number)[parameter])


@tangent_rule.register
def _(kernel: Cosine, at: Place) -> Tangents:
    """cos(w·Δ): −sin(w·Δ)(∂w·Δ + w·∂Δ)."""
    columns = range(at.pairs.dim)
    waves = [at.numbers.value(entry) for entry in kernel.by]
    phase = np.sum([wave * at.lag(j) for j, wave in zip(columns, waves, strict=True)], axis=0)
    slopes = at.zero()
    for i in range(len(at.moves)):
        for j, wave in zip(columns, waves, strict=True):
            change, moved = at.numbers.slope(kernel.by[j])[i], at.moved_lag(i, j)
            slopes[i] = plus(slopes[i], change * at.lag(j) if change else None)
            slopes[i] = plus(slopes[i], None if moved is None else wave * moved)
    return np.cos(phase), [None if slope is None else -np.sin(phase) * slope for slope in slopes]


@tangent_rule.register
def _(kernel: RbfCosine, at: Place) -> Tangents:
    """exp(−γ(1 − ρ)): −(1 − ρ) k ∂γ."""
    if any(move is not None for move in at.moves):
        raise NoCounterpartError(f"a parameter changes the rows that {kernel} compares: give it a number there")
    value = at.numbers.numeric(kernel).numbers(at.pairs)
    fall = (at.pairs.cosine() - 1) * value
    return value, [fall * change if change else None for change in at.numbers.slope(kernel.gamma)]


def moving_arguments(kernel: Radial | Coordinatewise, numbers: TreeNumbers) -> tuple[str, ...]:
    """The arguments that depend on a parameter. Raises NoCounterpartError for those that are no numbers."""
    moving = tuple(name for name in declared(type(kernel)) if numbers.depends(getattr(kernel, name)))
    for name in moving:
        if declared(type(kernel))[name][0].kind != "number":
            raise NoCounterpartError(f"a parameter reaches '{name}' of {kernel}: there are no derivatives by it")
    return moving


def exact_leaf(kernel: Radial | Coordinatewise, moving: tuple[str, ...]) -> Any:
    """The kernel with 1 for the arguments that move: what the compiled derivatives are kept for."""
    return replace(kernel, dim=1, span=None, **dict.fromkeys(moving, 1))


def masked(slope: Any, lag: NDArray[Any], apart: NDArray[np.bool_], arguments: list[float]) -> NDArray[Any]:
    """A derivative where the rows are apart, and zero where they are equal."""
    values = np.asarray(slope(np.where(apart, lag, 1.0), *arguments), dtype=float)
    return np.where(apart, values, 0.0)
