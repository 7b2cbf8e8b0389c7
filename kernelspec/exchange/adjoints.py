"""The gradient of a function of a kernel matrix by parameters: backward differentiation over the tree of a kernel.

For L(K) with the symmetric adjoint G = ∂L/∂K every node gives its share to the numbers of the tree and to the rows it
is evaluated on: X̄ = ∂L/∂X, (n, d). For f(r) and W = G ∘ f′(r)/r that is 2 (diag(W1) X − W X), one matrix product for
all columns, so the work is O(n² d) and no array is larger than n × n.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.derivatives import Place, exact_leaf, formula_slopes, line_slopes, masked, moving_arguments
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.of_rows import RbfCosine
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.stationary import Coordinatewise, Radial

if TYPE_CHECKING:
    from kernelspec.exchange.derivatives import TreeNumbers
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.kernels.kernel import Kernel

__all__ = ["Backward", "adjoint_rule", "gradient"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Backward:
    """All pairs of the same n rows, the numbers of the tree, and what has been found of ∂L by each number.

    `direct` (p,) has the shares that are known by parameter.
    """

    pairs: NumericPairs
    numbers: TreeNumbers
    direct: NDArray[np.float64]
    found: dict[Any, float] = field(default_factory=lambda: defaultdict(float))

    def value(self, kernel: Kernel) -> Matrix:
        """k(x, y) for all pairs, (n, n)."""
        values = np.asarray(self.numbers.numeric(kernel).value(self.pairs), dtype=float)
        return np.broadcast_to(values, self.pairs.shape)

    def add(self, number: Any, share: float) -> None:
        """Add to ∂L by a number, if it depends on a parameter."""
        if number in self.numbers.slopes:
            self.found[number] += share


def gradient(kernel: Kernel, pairs: NumericPairs, numbers: TreeNumbers, adjoint: Matrix) -> NDArray[np.float64]:
    """∂L by each parameter, (p,), for the symmetric ∂L/∂K = `adjoint` (n, n) on all pairs of the same rows.

    Raises NoCounterpartError if a parameter reaches a kernel without a rule.
    """
    total = np.zeros(numbers.n_parameters)
    at = Backward(pairs, numbers, total)
    rows_adjoint(kernel, at, adjoint, rows_matter=False)
    for number, share in at.found.items():
        total += share * numbers.slope(number)
    return total


def rows_adjoint(kernel: Kernel, at: Backward, adjoint: Matrix, *, rows_matter: bool) -> Matrix | None:
    """X̄ of a kernel, (n, d), None if it is zero or nobody asks; what its numbers get is added to `at`."""
    if not rows_matter and not at.numbers.depends(kernel):
        return None
    return adjoint_rule(kernel, at, adjoint, rows_matter)


@singledispatch
def adjoint_rule(
    kernel: Kernel,
    at: Backward,
    adjoint: Matrix,  # noqa: ARG001
    rows_matter: bool,  # noqa: ARG001
) -> Matrix | None:
    """The same for a kind of kernel that a parameter reaches, or whose rows do."""
    if not at.numbers.depends(kernel) and not getattr(kernel, "reads_numbers", True):
        return None  # constant(), whatever the rows are
    raise NoCounterpartError(f"a parameter reaches {kernel}, whose derivatives are not known: give it a number there")


def _plus(first: Matrix | None, second: Matrix | None) -> Matrix | None:
    return second if first is None else first if second is None else first + second


@adjoint_rule.register
def _(kernel: Sum, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    total = None
    for weight, term in zip(kernel.weights, kernel.terms, strict=True):
        if at.numbers.depends(weight):
            at.add(weight, float(np.vdot(adjoint, at.value(term))))
        size = at.numbers.value(weight)
        total = _plus(total, rows_adjoint(term, at, size * adjoint, rows_matter=rows_matter))
    return total


@adjoint_rule.register
def _(kernel: Product, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    values, total = [at.value(factor) for factor in kernel.factors], None
    for place, factor in enumerate(kernel.factors):
        others = adjoint
        for other, value in enumerate(values):
            others = others if other == place else others * value
        total = _plus(total, rows_adjoint(factor, at, others, rows_matter=rows_matter))
    return total


@adjoint_rule.register
def _(kernel: Power, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    rise = kernel.exponent * at.value(kernel.base) ** (kernel.exponent - 1)
    return rows_adjoint(kernel.base, at, adjoint * rise, rows_matter=rows_matter)


@adjoint_rule.register
def _(kernel: Select, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    own = replace(at, pairs=at.pairs.select(kernel.positions))
    below = rows_adjoint(kernel.base, own, adjoint, rows_matter=rows_matter)
    if below is None:
        return None
    found = np.zeros((len(below), at.pairs.dim))
    for place, position in enumerate(kernel.positions):
        found[:, position] += below[:, place]
    return found


@adjoint_rule.register
def _(kernel: Stretch, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    """u = A x: Ā = Ū'X, and X̄ = Ū A."""
    matrix = np.asarray(at.numbers.numeric(kernel.matrix), dtype=float)
    depends = at.numbers.depends(kernel.matrix)
    own = replace(at, pairs=at.pairs.map(matrix))
    below = rows_adjoint(kernel.base, own, adjoint, rows_matter=rows_matter or depends)
    if below is None:
        return None
    if depends:
        rows = at.pairs.x.dense()
        shares = below.T @ rows if matrix.ndim == 2 else np.einsum("ij,ij->j", below, rows)
        for place, number in _numbered(kernel.matrix):
            at.add(number, float(shares[place] if place else shares.sum()))
    return np.asarray(below @ matrix if matrix.ndim == 2 else below * matrix)


def _numbered(matrix: Any, place: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
    """The numbers of a number, a vector or a matrix, with their places."""
    if not isinstance(matrix, tuple):
        return [(place, matrix)]
    return [found for i, part in enumerate(matrix) for found in _numbered(part, (*place, i))]


@adjoint_rule.register
def _(kernel: Radial, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    names = moving_arguments(kernel, at.numbers)
    by_lag, by_argument = line_slopes(exact_leaf(kernel, names), names)
    radius = np.sqrt(at.pairs.squared_norm())
    apart = radius > 0
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    for name, slope in zip(names, by_argument, strict=True):
        at.add(getattr(kernel, name), float(np.vdot(adjoint, masked(slope, radius, apart, arguments))))
    if not rows_matter:
        return None
    fall = adjoint * masked(by_lag, radius, apart, arguments) / np.where(apart, radius, 1.0)
    rows = at.pairs.x.dense()
    return np.asarray(2 * (fall.sum(axis=1)[:, None] * rows - fall @ rows))


@adjoint_rule.register
def _(kernel: Coordinatewise, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    numeric = at.numbers.numeric(kernel)
    names = moving_arguments(kernel, at.numbers)
    by_lag, by_argument = line_slopes(exact_leaf(kernel, names), names)
    arguments = [at.numbers.value(getattr(kernel, name)) for name in names]
    rows = at.pairs.x.dense()
    lags = [np.subtract.outer(rows[:, j], rows[:, j]) for j in range(at.pairs.dim)]
    factors = [np.broadcast_to(numeric.factor(lag), lag.shape) for lag in lags]
    found = np.zeros(rows.shape) if rows_matter else None
    for j, lag in enumerate(lags):
        others = adjoint
        for other, factor in enumerate(factors):
            others = others if other == j else others * factor
        apart = lag != 0
        for name, slope in zip(names, by_argument, strict=True):
            at.add(getattr(kernel, name), float(np.vdot(others, masked(slope, lag, apart, arguments))))
        if found is not None:  # odd in the lag: both sides of a pair say the same
            found[:, j] = 2 * (others * masked(by_lag, lag, apart, arguments)).sum(axis=1)
    return found


@adjoint_rule.register
def _(kernel: Cosine, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    """cos(w·Δ): −sin(w·Δ) Δ by w, −sin(w·Δ) w by Δ."""
    rows = at.pairs.x.dense()
    waves = np.array([at.numbers.value(entry) for entry in kernel.by])
    phase = rows @ waves
    fall = -adjoint * np.sin(np.subtract.outer(phase, phase))
    shares = fall.sum(axis=1) @ rows - fall.sum(axis=0) @ rows
    for entry, share in zip(kernel.by, shares, strict=True):
        at.add(entry, float(share))
    return np.outer(fall.sum(axis=1) - fall.sum(axis=0), waves) if rows_matter else None


@adjoint_rule.register
def _(kernel: FormulaRadial, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    radius = np.sqrt(at.pairs.squared_norm())
    _, by_lag, slopes = formula_slopes(kernel, radius, _place(at))
    _add_direct(at, slopes, adjoint)
    if not rows_matter:
        return None
    fall = adjoint * by_lag / np.where(radius > 0, radius, 1.0)
    rows = at.pairs.x.dense()
    return np.asarray(2 * (fall.sum(axis=1)[:, None] * rows - fall @ rows))


@adjoint_rule.register
def _(kernel: FormulaProduct, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    rows = at.pairs.x.dense()
    lags = [np.subtract.outer(rows[:, j], rows[:, j]) for j in range(at.pairs.dim)]
    parts = [formula_slopes(kernel, np.abs(lag), _place(at)) for lag in lags]
    found = np.zeros(rows.shape) if rows_matter else None
    for j, (lag, (_, by_lag, slopes)) in enumerate(zip(lags, parts, strict=True)):
        others = adjoint
        for other, (factor, _, _) in enumerate(parts):
            others = others if other == j else others * factor
        _add_direct(at, slopes, others)
        if found is not None:
            found[:, j] = 2 * (others * by_lag * np.sign(lag)).sum(axis=1)
    return found


@adjoint_rule.register
def _(kernel: RbfCosine, at: Backward, adjoint: Matrix, rows_matter: bool) -> Matrix | None:
    if rows_matter:
        raise NoCounterpartError(f"a parameter changes the rows that {kernel} compares: give it a number there")
    at.add(kernel.gamma, float(np.vdot(adjoint, (at.pairs.cosine() - 1) * at.value(kernel))))
    return None


def _place(at: Backward) -> Place:
    return Place(at.pairs, (None,) * at.numbers.n_parameters, at.numbers)


def _add_direct(at: Backward, slopes: list[Any], adjoint: Matrix) -> None:
    for i, slope in enumerate(slopes):
        if slope is not None:
            at.direct[i] += float(np.vdot(adjoint, slope))
