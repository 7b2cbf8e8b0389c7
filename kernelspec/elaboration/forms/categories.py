"""Kernels of categories made of other kernels: hamming(), and levels() with a similarity matrix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import sqrt
from operator import sub as minus
from operator import truediv as over
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelspec.elaboration.call_arguments import match_arguments, require_arguments
from kernelspec.elaboration.column_functions import LevelNumber, pulled_back
from kernelspec.elaboration.forms.form import Form, positive, require_given_columns
from kernelspec.elaboration.operators import require_few_factors, weighted_sum
from kernelspec.elaboration.scope import Columns, Definitions, exact
from kernelspec.errors import ArgumentError, DimensionError, ParameterError, RangeError, TypeMismatchError
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.kernels.leaves.of_rows import Linear, Match
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.sums_and_products import Product, Sum
from kernelspec.language import nodes

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Elaborator
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.loading import Span

__all__ = ["HAMMING", "LEVELS", "Negative", "factored"]


def _hamming(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["scale"], HAMMING.signature)
    require_given_columns(node, columns)
    count = columns.count or 1
    elaborator.counts.count_kernels(2 * count, node)
    scale = positive(elaborator, node, given, "scale", columns, scope)
    if columns.count is None and not elaborator.checking:
        raise DimensionError("hamming() needs the number of columns: set dim= or columns=", node.span)
    arithmetic = elaborator.arithmetic
    share = elaborator.compute(partial(over, arithmetic.literal(Fraction(-1, count)), scale), node)
    floor = elaborator.compute(lambda: arithmetic.function("exp", share), node)
    rest = elaborator.compute(partial(minus, arithmetic.literal(Fraction(1)), floor), node)
    weights = tuple(elaborator.argument(weight, node, "a weight of hamming()") for weight in (floor, rest))
    flat = Constant(dim=columns.dim, span=node.span)
    factors = tuple(
        Sum(terms=(flat, _match(j, columns, node.span)), weights=weights, dim=columns.dim, span=node.span)
        for j in range(count)
    )
    require_few_factors(factors, 1, node)
    return factors[0] if count == 1 else Product(factors=factors, dim=columns.dim, span=node.span)


def _match(position: int, columns: Columns, span: Span) -> Kernel:
    if columns.count in (None, 1):
        return Match(dim=columns.dim, span=span)
    return Select(base=Match(dim=1, span=span), positions=(position,), dim=columns.dim, span=span)


HAMMING = Form(
    "hamming(scale=1)",
    "exp(−share of unequal columns / scale), of categories: ∏ (a + (1 − a) 1[x_j = y_j])",
    _hamming,
    is_one_between_equal=lambda node: True,
)


_MOST_LEVELS = 100
_LEVELS_SHOWN = 'levels(["low", "high"], [[1, 0.5], [0.5, 1]])'
_ROUNDING = Fraction(1, 10**12)
"""Rounding error of entries that are not rational, relative to the largest one."""


def _levels(elaborator: Elaborator, node: nodes.Call, columns: Columns, scope: Definitions) -> Kernel:
    given = match_arguments(node, ["levels", "matrix", "unknown"], LEVELS.signature)
    require_arguments(node, given, ("levels", "matrix"), f"{LEVELS.signature}, such as {_LEVELS_SHOWN}")
    require_given_columns(node, columns)
    elaborator.counts.count_kernels(3, node)
    if columns.count not in (None, 1):
        raise DimensionError(
            f"levels() is a kernel of one column, not {columns.count}: select it, as in "
            f"levels(…)[{columns.names[0] if columns.names else 0}]",
            node.span,
        )
    names = _names(given["levels"], scope)
    matrix, slack = _matrix(elaborator, given["matrix"], names, columns, scope)
    own = _is_own(given.get("unknown"))
    features = None if matrix is None else factored(matrix, slack)
    if isinstance(features, Negative):
        entries = ", ".join(f"{own} for {name}" for name, own in zip(names, features.vector, strict=True) if own)
        message = f"the matrix is not positive semidefinite: for v = ({entries}), v'Bv = {features.value}"
        raise RangeError(f"{message}", given["matrix"].span)
    if features is None:  # some numbers are unknown while a spec is checked
        features = ((1.0,) * len(names),)
    other = 0.0 if own else None
    functions = tuple(LevelNumber(0, names, numbers, other, i) for i, numbers in enumerate(features))
    inner = Linear(dim=max(1, len(functions)), span=node.span)
    terms: list[Kernel] = [pulled_back(elaborator, inner, functions, columns, node.span)] if functions else []
    if own:
        is_other = LevelNumber(0, names, (0.0,) * len(names), 1.0, len(functions))
        among = pulled_back(elaborator, Linear(dim=1, span=node.span), (is_other,), columns, node.span)
        terms.append(Product(factors=(among, Match(dim=columns.dim, span=node.span)), dim=columns.dim, span=node.span))
    return weighted_sum([(1, term) for term in terms], columns, node.span)


def _names(node: nodes.Expression, scope: Definitions) -> tuple[str | int | float, ...]:
    """The levels in a list of quoted texts or numbers. Raises TypeMismatchError, ArgumentError, RangeError."""
    if isinstance(node, nodes.Name) and (found := scope.let(node.identifier)) is not None:
        node = found[0].value
    if not isinstance(node, nodes.Vector):
        raise TypeMismatchError('the levels must be a list of categories, as in ["low", "high"]', node.span)
    found_names: dict[str | int | float, None] = {}
    for item in node.items:
        if isinstance(item, nodes.Text):
            level: str | int | float = item.value
        elif (number := nodes.signed_number(item)) is not None:
            level = int(number.value) if number.value.denominator == 1 else float(number.value)
        else:
            raise TypeMismatchError("a level must be a quoted string or a number", item.span)
        if level in found_names:
            raise ArgumentError(f"the level {item.span.text} appears twice", item.span)
        found_names[level] = None
    if len(found_names) > _MOST_LEVELS:
        raise RangeError(f"there are {len(found_names)} levels, but at most {_MOST_LEVELS} are allowed", node.span)
    return tuple(found_names)


def _is_own(node: nodes.Expression | None) -> bool:
    if node is None:
        return False
    if isinstance(node, nodes.Text) and node.value in ("own", "refuse"):
        return node.value == "own"
    raise ArgumentError('\'unknown\' of levels() must be "refuse", or "own" for a category like no other', node.span)


_Matrix = tuple[tuple[Fraction, ...], ...]


def _matrix(
    elaborator: Elaborator, node: nodes.Expression, names: Sequence[Any], columns: Columns, scope: Definitions
) -> tuple[_Matrix | None, Fraction]:
    """The exact matrix, or None while some numbers are unknown, and its possible rounding error.

    Raises TypeMismatchError, DimensionError for a wrong shape, RangeError for an asymmetric matrix.
    """
    rows = elaborator.value(node, columns, scope)
    if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
        raise TypeMismatchError("the similarities must be a matrix, as in [[1, 0.5], [0.5, 1]]", node.span)
    n = len(names)
    if len(rows) != n or any(len(row) != n for row in rows):
        raise DimensionError(f"{n} levels need a matrix of {n} rows and {n} columns", node.span)
    elaborator.counts.count_columns(n * n, node)
    flat = [elaborator.number(entry, node, "an entry of the matrix") for row in rows for entry in row]
    free = [entry for entry in flat if elaborator.arithmetic.known(elaborator.argument(entry, node)) is None]
    if free:
        if elaborator.checking:
            return None, Fraction(0)
        symbol = min(symbol.name for symbol in free[0].free_symbols)
        if symbol == "d" and scope.find("d") is None:
            raise DimensionError("levels() needs the number of columns, d: set dim= or columns=", node.span)
        name = re.sub(r"__\d+$", "", symbol)  # an entry of a vector
        raise ParameterError(
            f"levels() needs numbers, but '{name}' is a free parameter: set it; tune() cannot change it, so fix it "
            f"with fixed=['{name}'], or write 'let {name} = …'",
            node.span,
        )
    rational = [isinstance(entry, Fraction) or getattr(entry, "is_Rational", False) for entry in flat]
    found = [Fraction(str(entry)) if own else exact(float(entry)) for entry, own in zip(flat, rational, strict=True)]
    matrix = tuple(tuple(found[i : i + n]) for i in range(0, n * n, n))
    for i, j in ((row, column) for row in range(n) for column in range(row)):
        if matrix[i][j] != matrix[j][i]:
            raise RangeError(
                f"the matrix is not symmetric: {matrix[i][j]} in row {i + 1}, column {j + 1}, and {matrix[j][i]} in "
                f"row {j + 1}, column {i + 1}",
                node.span,
            )
    return matrix, Fraction(0) if all(rational) else _ROUNDING * max(map(abs, found))


class Negative(NamedTuple):
    """An exact vector v with v'Bv < 0, which shows that the matrix B is not positive semidefinite."""

    vector: Sequence[Fraction]
    value: Fraction


@lru_cache(maxsize=32)
def factored(matrix: _Matrix, slack: Fraction) -> tuple[tuple[float, ...], ...] | Negative:
    """The columns of L with B = LL', a number per level, by LDL' over the rationals; or a counterexample.

    The largest pivot comes first. Pivots of at most `slack` count as 0.
    """
    n = len(matrix)
    rest = [list(row) for row in matrix]
    # B = Σ_k d_k l_k l_k' + rest; the rows of `inverse` are w_i with w_i'B w_j = rest_ij
    inverse = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    left, columns = list(range(n)), []
    while left:
        pivot = max(left, key=lambda i: rest[i][i])
        size = rest[pivot][pivot]
        lowest = min(left, key=lambda i: rest[i][i])
        if rest[lowest][lowest] < -slack:
            return Negative(inverse[lowest], rest[lowest][lowest])
        if size <= slack:
            pairs = [(abs(rest[i][j]), i, j) for i in left for j in left if i < j]
            largest, i, j = max(pairs, default=(slack, 0, 0))
            if largest <= slack:
                break
            off = rest[i][j]
            sign = -1 if off > 0 else 1  # the diagonal is 0: v = w_i ± w_j has ±2 off
            vector = [a + sign * b for a, b in zip(inverse[i], inverse[j], strict=True)]
            return Negative(vector, rest[i][i] + rest[j][j] + 2 * sign * off)
        factor = [rest[i][pivot] / size if i in left else Fraction(0) for i in range(n)]
        columns.append(tuple(float(f) * sqrt(size) for f in factor))
        left.remove(pivot)
        for i in left:
            if factor[i]:
                inverse[i] = [a - factor[i] * b for a, b in zip(inverse[i], inverse[pivot], strict=True)]
                for j in left:
                    rest[i][j] -= factor[i] * size * factor[j]
    return tuple(columns)


def _has_ones(node: nodes.Call) -> bool:
    """Whether the diagonal of the matrix is written as ones."""
    matrix = match_arguments(node, ["levels", "matrix", "unknown"], LEVELS.signature).get("matrix")
    rows = matrix.items if isinstance(matrix, nodes.Vector) else ()
    diagonal = [row.items[i] for i, row in enumerate(rows) if isinstance(row, nodes.Vector) and i < len(row.items)]
    return all(isinstance(entry, nodes.Number) and entry.value == 1 for entry in diagonal) and len(diagonal) > 0


LEVELS = Form(
    'levels([…], [[…]], unknown="refuse")',
    "B_ij for the levels i and j of a category, B a matrix of similarities: exact features, the columns of its factor",
    _levels,
    maps_columns=True,
    is_one_between_equal=_has_ones,
)
