"""Derivatives by parameters, of a kernel matrix or of a function of it: backward differentiation over the kernel tree.

For L(K) with the symmetric adjoint G = ∂L/∂K, every node adds its share to the gradient by the numbers of the tree and
by the rows it is evaluated on: X̄ = ∂L/∂X, (n, d). For f(r) and W = G ∘ f′(r)/r the latter is 2 (diag(W1) X − W X), one
matrix product for all columns, so the work is O(n² d) and no array is larger than n × n. For the derivatives of the
matrix itself, the same rules add matrices instead of their sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce, singledispatch
from operator import mul
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.derivatives import (
    TreeNumbers,
    closed_slopes,
    coordinate_slopes,
    formula_slopes,
    refuse_moving_directions,
)
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.discrete import Wave
from kernelspec.kernels.leaves.gaussian import Gneiting
from kernelspec.kernels.leaves.of_rows import InnerProduct, RbfCosine, Shaped
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum, elementary_symmetric
from kernelspec.kernels.stationary import Coordinatewise, Radial

__all__ = ["PairsOnce", "gradient", "slopes"]

Matrix = NDArray[np.float64]
_Kept = TypeVar("_Kept")


@dataclass(frozen=True)
class PairsOnce(NumericPairs):
    """Pairs that compute distances, mapped rows and values of leaves once: values and gradient use the same ones.

    Given `counted`, they share counts of equal categories with other pairs of the same rows.
    """

    counted: dict[tuple[int, ...], Matrix] | None = None

    def map(self, matrix: Any) -> NumericPairs:
        own = np.asarray(matrix, dtype=float)
        return self._kept(("map", own.shape, own.tobytes()), lambda: self._apart(super(PairsOnce, self).map(own)))

    def select(self, positions: tuple[int, ...]) -> NumericPairs:
        return self._kept(("select", positions), lambda: self._apart(super(PairsOnce, self).select(positions)))

    def _apart(self, pairs: NumericPairs) -> NumericPairs:
        """Pairs of other columns, whose counts are others."""
        return pairs if pairs is self else replace(pairs, counted=None)  # type: ignore[call-arg]

    def count_equal(self, positions: Sequence[int]) -> Matrix:
        kept, key = ({} if self.counted is None else self.counted), tuple(positions)
        if key not in kept:
            kept[key] = super().count_equal(positions)
        return kept[key]

    def squared_norm(self) -> Matrix:
        return self._kept("squared norm", super().squared_norm)

    def of(self, leaf: Any) -> Matrix:
        return self._kept(leaf, lambda: super(PairsOnce, self).of(leaf))

    def _kept(self, key: Any, compute: Callable[[], _Kept]) -> _Kept:
        known: dict[Any, _Kept] = self._met  # type: ignore[assignment]
        if key not in known:
            known[key] = compute()
        return known[key]


@dataclass(frozen=True)
class RowSums:
    """X̄ = ∂L/∂X, (n, d), for all pairs of the same rows."""

    values: Matrix

    def __add__(self, other: RowSums) -> RowSums:
        return RowSums(self.values + other.values)

    def spread(self, positions: tuple[int, ...], dim: int) -> RowSums:
        """The same for rows of `dim` columns, whose columns `positions` these are."""
        found = np.zeros((len(self.values), dim))
        for place, position in enumerate(positions):
            found[:, position] += self.values[:, place]
        return RowSums(found)

    def mapped(self, matrix: Matrix) -> RowSums:
        """The same for the rows x, if these are A x."""
        return RowSums(self.values @ matrix if matrix.ndim == 2 else self.values * matrix)

    def times(self, place: int, x: Matrix, y: Matrix) -> float:
        """∂L if column `place` of the rows changes by x, (n,)."""
        return float(self.values[:, place] @ x)


@dataclass(frozen=True)
class RowsOfPairs:
    """∂k/∂x and ∂k/∂y for all pairs of rows, as functions of the column, since all columns would fill the memory."""

    x: Callable[[int], Matrix]
    y: Callable[[int], Matrix]

    def __add__(self, other: RowsOfPairs) -> RowsOfPairs:
        return RowsOfPairs(lambda j: self.x(j) + other.x(j), lambda j: self.y(j) + other.y(j))

    def spread(self, positions: tuple[int, ...], dim: int) -> RowsOfPairs:
        """The same for rows of `dim` columns, whose columns `positions` these are."""
        return self._each(lambda side, j: [side(place) for place, own in enumerate(positions) if own == j])

    def mapped(self, matrix: Matrix) -> RowsOfPairs:
        """The same for the rows x, if these are A x."""
        if matrix.ndim == 2:
            return self._each(lambda side, j: [a * side(q) for q, a in enumerate(matrix[:, j]) if a])
        return self._each(lambda side, j: [side(j) * (matrix[j] if matrix.ndim else matrix)])

    def times(self, place: int, x: Matrix, y: Matrix) -> Matrix:
        """∂k if column `place` of the rows changes by x (n,) and y (m,)."""
        return self.x(place) * x[:, None] + self.y(place) * y

    def _each(self, parts: Callable[[Callable[[int], Matrix], int], list[Matrix]]) -> RowsOfPairs:
        x, y = (lambda j, side=side: sum(parts(side, j), np.zeros(())) for side in (self.x, self.y))
        return RowsOfPairs(x, y)


@dataclass(frozen=True)
class Backward:
    """All pairs of rows, the numbers of the tree, and the accumulated ∂L by each number, or by parameter.

    `of_pairs`: the derivatives are those of every k(x, y), not of a function of all of them on pairs of the same rows.
    """

    pairs: NumericPairs
    numbers: TreeNumbers
    of_pairs: bool = False
    found: dict[Any, Any] = field(default_factory=lambda: defaultdict(float))
    by_parameter: dict[int, Any] = field(default_factory=lambda: defaultdict(float))

    def value(self, kernel: Kernel) -> Matrix:
        """k(x, y) for all pairs, (n, m)."""
        values = np.asarray(self.numbers.numeric(kernel).value(self.pairs), dtype=float)
        return np.broadcast_to(values, self.pairs.shape)

    def add(self, number: Any, adjoint: Matrix, slope: Matrix) -> None:
        """Add to ∂L by a number, if it may depend on a parameter, for the derivative `slope` of k."""
        if number in self.numbers.slopes:
            self.found[number] += self.share(adjoint, slope)

    def add_directly(self, slopes: Mapping[int, Matrix], adjoint: Matrix) -> None:
        """Add to ∂L by parameters."""
        for i, slope in slopes.items():
            self.by_parameter[i] += self.share(adjoint, slope)

    def share(self, adjoint: Matrix, slope: Matrix) -> Any:
        return adjoint * slope if self.of_pairs else float(np.vdot(adjoint, slope))

    def lag(self, column: int) -> Matrix:
        """Δ of one column for all pairs."""
        return np.asarray(np.subtract.outer(self.pairs.x.dense()[:, column], self.pairs.y.dense()[:, column]))

    def by_lag(self, slope: Callable[[int], Matrix]) -> RowAdjoint:
        """∂L by the rows from ∂L by Δ_j, which is odd in Δ."""
        if self.of_pairs:
            return RowsOfPairs(slope, lambda j: -slope(j))
        return RowSums(np.column_stack([2 * slope(j).sum(axis=1) for j in range(self.pairs.dim)]))

    def by_distance(self, fall: Matrix) -> RowAdjoint:
        """The same if ∂L by Δ is `fall` times Δ."""
        if self.of_pairs:
            return self.by_lag(lambda j: fall * self.lag(j))
        rows = self.pairs.x.dense()
        return RowSums(np.asarray(2 * (fall.sum(axis=1)[:, None] * rows - fall @ rows)))


RowAdjoint: TypeAlias = Any
"""`RowSums` or `RowsOfPairs`."""


def gradient(
    kernel: Kernel,
    pairs: NumericPairs,
    numbers: TreeNumbers,
    adjoint: Matrix,
    changes: Sequence[Matrix | None] = (),
) -> NDArray[np.float64]:
    """∂L by each parameter, (p,), for the symmetric ∂L/∂K = `adjoint` (n, n) on all pairs of the same rows.

    `changes` are the derivatives of the rows by each parameter, (n, d), None for zero. Raises NoCounterpartError if a
    parameter occurs in a kernel without a rule.
    """
    return np.array(_by_parameters(kernel, Backward(pairs, numbers), adjoint, changes), dtype=float)


def slopes(
    kernel: Kernel, pairs: NumericPairs, numbers: TreeNumbers, changes: Sequence[Matrix | None] = ()
) -> list[Matrix]:
    """∂k(x, y) by each parameter for all pairs of rows, (n, m), or 0; the arguments are those of `gradient`."""
    return _by_parameters(kernel, Backward(pairs, numbers, of_pairs=True), np.ones(()), changes)


def _by_parameters(kernel: Kernel, at: Backward, adjoint: Matrix, changes: Sequence[Matrix | None]) -> list[Any]:
    moves = any(change is not None for change in changes)
    by_rows = rows_adjoint(kernel, at, adjoint, rows_matter=moves)
    total: list[Any] = [at.by_parameter.get(i, 0.0) for i in range(at.numbers.n_parameters)]
    for i, change in enumerate(changes):
        if by_rows is not None and change is not None:
            moving = np.flatnonzero(change.any(axis=0)).tolist()
            total[i] = sum((by_rows.times(j, change[:, j], change[:, j]) for j in moving), total[i])
    for number, share in at.found.items():
        for i in np.flatnonzero(slope := at.numbers.slope(number)).tolist():
            total[i] = total[i] + slope[i] * share
    return total


def rows_adjoint(kernel: Kernel, at: Backward, adjoint: Matrix, *, rows_matter: bool) -> RowAdjoint | None:
    """∂L by the rows of a kernel, None if it is zero or not needed; adds the shares of the kernel's numbers to `at`."""
    if not rows_matter and not at.numbers.depends(kernel):
        return None
    return adjoint_rule(kernel, at, adjoint, rows_matter)


@singledispatch
def adjoint_rule(
    kernel: Kernel,
    at: Backward,
    adjoint: Matrix,  # noqa: ARG001
    rows_matter: bool,  # noqa: ARG001
) -> RowAdjoint | None:
    """`rows_adjoint` for a kind of kernel that depends on a parameter, or whose rows do."""
    if not at.numbers.depends(kernel) and not getattr(kernel, "reads_numbers", True):
        return None  # constant(), for any rows
    raise NoCounterpartError(
        f"{kernel} has no known derivative by the parameter in it: use a number there. Sums, products, "
        "powers, selections, stretches, radial kernels, formulas, products over the columns, gneiting(), gibbs() and "
        "brownian() have derivatives"
    )


def _plus(first: RowAdjoint | None, second: RowAdjoint | None) -> RowAdjoint | None:
    return second if first is None else first if second is None else first + second


@adjoint_rule.register
def _(kernel: Sum, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    total, weighted = None, defaultdict(list)
    for weight, term in zip(kernel.weights, kernel.terms, strict=True):
        if at.numbers.depends(weight):
            weighted[weight].append(term)
        if rows_matter or at.numbers.depends(term):
            size = at.numbers.value(weight)
            total = _plus(total, rows_adjoint(term, at, size * adjoint, rows_matter=rows_matter))
    for weight, terms in weighted.items():
        sums = terms[0] if len(terms) == 1 else Sum(terms=tuple(terms), weights=(1.0,) * len(terms), dim=kernel.dim)
        at.add(weight, adjoint, at.value(sums))
    return total


@adjoint_rule.register
def _(kernel: Product, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    others, total = _others([at.value(factor) for factor in kernel.factors], adjoint), None
    for place, factor in enumerate(kernel.factors):
        if rows_matter or at.numbers.depends(factor):
            total = _plus(total, rows_adjoint(factor, at, others(place), rows_matter=rows_matter))
    return total


@adjoint_rule.register
def _(kernel: Additive, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """∂e_q/∂k_i = e_{q−1} of the other columns, e_q of all minus k_i times that: a recursion in q."""
    columns = [Select(base=kernel.base, positions=(i,), dim=kernel.dim) for i in range(int(kernel.dim))]
    values = [np.broadcast_to(at.value(column), at.pairs.shape) for column in columns]
    sums = [np.ones(at.pairs.shape)]
    sums += [np.asarray(elementary_symmetric(values, q, np.ones(()))) for q in range(1, kernel.order)]
    total = None
    for column, value in zip(columns, values, strict=True):
        others = sums[0]
        for q in range(1, kernel.order):
            others = sums[q] - value * others
        total = _plus(total, rows_adjoint(column, at, adjoint * others / kernel.n_sets, rows_matter=rows_matter))
    return total


@adjoint_rule.register
def _(kernel: Power, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    rise = kernel.exponent * at.value(kernel.base) ** (kernel.exponent - 1)
    return rows_adjoint(kernel.base, at, adjoint * rise, rows_matter=rows_matter)


@adjoint_rule.register
def _(kernel: Select, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    own = replace(at, pairs=at.pairs.select(kernel.positions))
    below = rows_adjoint(kernel.base, own, adjoint, rows_matter=rows_matter)
    return None if below is None else below.spread(kernel.positions, at.pairs.dim)


@adjoint_rule.register
def _(kernel: Stretch, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """u = A x: Ā = Ū'X, and X̄ = Ū A."""
    matrix = np.asarray(at.numbers.numeric(kernel.matrix), dtype=float)
    depends = at.numbers.depends(kernel.matrix)
    own = replace(at, pairs=at.pairs.map(matrix))
    below = rows_adjoint(kernel.base, own, adjoint, rows_matter=rows_matter or depends)
    if below is None:
        return None
    x, y = at.pairs.x.dense(), at.pairs.y.dense()
    for place, number in _numbered(kernel.matrix) if depends else ():
        if number in at.numbers.slopes:
            entries = [(place[0], place[-1])] if place else [(j, j) for j in range(at.pairs.dim)]
            at.found[number] += sum(below.times(q, x[:, j], y[:, j]) for q, j in entries)
    return below.mapped(matrix)


def _numbered(matrix: Any, place: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
    """The entries of a number, a vector or a matrix, with their indices."""
    if not isinstance(matrix, tuple):
        return [(place, matrix)]
    return [found for i, part in enumerate(matrix) for found in _numbered(part, (*place, i))]


@adjoint_rule.register
def _(kernel: Radial, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    by_lag, by_argument = closed_slopes(kernel, at.numbers)
    radius = np.sqrt(at.pairs.squared_norm())
    for name, slope in by_argument.items():
        at.add(getattr(kernel, name), adjoint, slope(radius))
    return at.by_distance(adjoint * by_lag(radius) / np.where(radius > 0, radius, 1.0)) if rows_matter else None


@adjoint_rule.register
def _(kernel: Coordinatewise, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    numeric = at.numbers.numeric(kernel)
    by_lag, by_argument = closed_slopes(kernel, at.numbers)
    lags = [at.lag(j) for j in range(at.pairs.dim)]
    others = _others([np.broadcast_to(numeric.factor(lag), lag.shape) for lag in lags], adjoint)
    for j, lag in enumerate(lags if by_argument else ()):
        for name, slope in by_argument.items():
            at.add(getattr(kernel, name), others(j), slope(lag))
    return at.by_lag(lambda j: others(j) * by_lag(lags[j])) if rows_matter else None


def _others(factors: list[Matrix], adjoint: Matrix) -> Callable[[int], Matrix]:
    """∂L by each factor of a product."""
    return lambda place: reduce(mul, (factor for j, factor in enumerate(factors) if j != place), adjoint)


@adjoint_rule.register
def _(kernel: Wave, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """cos(w·Δ): −sin(w·Δ) Δ by w, −sin(w·Δ) w by Δ."""
    waves = np.array([at.numbers.value(entry) for entry in kernel.wave])
    fall = -adjoint * np.sin(np.subtract.outer(at.pairs.x.dense() @ waves, at.pairs.y.dense() @ waves))
    for j, entry in enumerate(kernel.wave):
        at.add(entry, fall, at.lag(j))
    return at.by_lag(lambda j: fall * waves[j]) if rows_matter else None


@adjoint_rule.register
def _(kernel: Shaped, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """A closed form in x_j and y_j, from its derivatives by x_j; no argument of these kernels changes their values."""
    if not rows_matter:
        return None
    x, y = at.pairs.x.dense(), at.pairs.y.dense()
    by_column = coordinate_slopes(replace(at.numbers.numeric(kernel), span=None))

    def side(j: int) -> Matrix:
        return adjoint * by_column[j](*x.T[..., None], *y.T[:, None, :])

    def other_side(j: int) -> Matrix:
        return adjoint * by_column[j](*y.T[:, None, :], *x.T[..., None])

    if at.of_pairs:
        return RowsOfPairs(side, other_side)
    return RowSums(np.column_stack([2 * side(j).sum(axis=1) for j in range(at.pairs.dim)]))


@adjoint_rule.register
def _(kernel: Gneiting, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """k = ρ^{−d/2} φ(v), v = ‖h‖/√ρ, ρ = 1 + γ: by the arguments of φ, by ρ, and by h and u."""
    space, d = kernel.space, int(kernel.space.dim)
    by_lag, by_argument = closed_slopes(space, at.numbers)
    alpha, scale = at.numbers.value(kernel.alpha), at.numbers.value(kernel.scale)
    far, later = at.pairs.select(tuple(range(d))).squared_norm(), at.pairs.select((d,)).squared_norm()
    ratio = np.where(later > 0, later, 1.0) / scale**2
    rise = np.where(later > 0, ratio**alpha, 0.0)
    root = np.sqrt(1 + rise)
    radius = np.sqrt(far) / root
    size = adjoint * root**-d
    for name, slope in by_argument.items():
        at.add(getattr(space, name), size, slope(radius))
    fall = by_lag(radius)
    profile = np.asarray(at.numbers.numeric(space).profile(radius), dtype=float)
    by_rise = -(d * profile + radius * fall) / (2 * (1 + rise))
    at.add(kernel.scale, size, by_rise * rise * (-2 * alpha / scale))
    at.add(kernel.alpha, size, by_rise * rise * np.log(ratio))
    if not rows_matter:
        return None
    in_space = size * fall / (np.where(radius > 0, radius, 1.0) * (1 + rise))
    in_time = size * by_rise * 2 * alpha * rise / np.where(later > 0, later, 1.0)
    return at.by_lag(lambda j: (in_time if j == d else in_space) * at.lag(j))


@adjoint_rule.register
def _(kernel: FormulaRadial, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    radius = np.sqrt(at.pairs.squared_norm())
    _, by_lag, by_parameter = formula_slopes(kernel, radius, at.numbers)
    at.add_directly(by_parameter, adjoint)
    if not rows_matter:
        return None
    return at.by_distance(adjoint * by_lag / np.where(radius > 0, radius, 1.0))


@adjoint_rule.register
def _(kernel: FormulaProduct, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    lags = [at.lag(j) for j in range(at.pairs.dim)]
    factors, falls, by_parameter = zip(*(formula_slopes(kernel, np.abs(lag), at.numbers) for lag in lags), strict=True)
    others = _others(list(factors), adjoint)
    for j, own in enumerate(by_parameter):
        if own:
            at.add_directly(own, others(j))
    return at.by_lag(lambda j: others(j) * falls[j] * np.sign(lags[j])) if rows_matter else None


@adjoint_rule.register
def _(kernel: InnerProduct, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    """x·y: X̄ = (G + G')X."""
    refuse_moving_directions(kernel, kernel.of_directions and rows_matter)
    x, y = at.pairs.x.dense(), at.pairs.y.dense()
    if not rows_matter or at.of_pairs:
        return RowsOfPairs(lambda j: adjoint * y[:, j], lambda j: adjoint * x[:, j, None]) if rows_matter else None
    return RowSums((adjoint + adjoint.T) @ x)


@adjoint_rule.register
def _(kernel: RbfCosine, at: Backward, adjoint: Matrix, rows_matter: bool) -> RowAdjoint | None:
    refuse_moving_directions(kernel, rows_matter)
    at.add(kernel.gamma, adjoint, (at.pairs.cosine() - 1) * at.value(kernel))
    return None
