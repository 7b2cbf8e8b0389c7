"""A kernel matrix with its derivatives by parameters: forward differentiation over the tree of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, singledispatch
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.tree_numbers import TreeNumbers
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.notation.pairs import NumericPairs

__all__ = ["Place", "Slopes", "Tangents", "plus", "tangent_rule", "tangents"]

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
    _rules()
    return tangent_rule(kernel, at)


@singledispatch
def tangent_rule(kernel: Kernel, at: Place) -> Tangents:
    """The same for a kind of kernel that a parameter reaches."""
    if not at.numbers.depends(kernel) and not getattr(kernel, "reads_numbers", True):
        return tangents(kernel, replace(at, moves=(None,) * len(at.moves)))  # constant(), whatever the rows are
    raise NoCounterpartError(
        f"a parameter reaches {kernel}, whose derivatives are not known: give it a number there; sums, products, "
        "powers, selections, stretches, radial kernels and products over the columns have derivatives"
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


@cache
def _rules() -> None:
    import_module("kernelspec.exchange.leaf_tangents")
