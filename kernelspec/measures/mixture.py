"""Weighted sums of measures, measures on some columns, and images under linear maps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import repeat
from operator import mul
from typing import Any

import numpy as np

from kernelspec.errors import NotStationaryError, PlanError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import known_number, undefined
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Additive, Sum
from kernelspec.kernels.parts import written_out
from kernelspec.loading import sympy
from kernelspec.measures.measure import Measure, measure_of, measure_rule
from kernelspec.random.streams import Stream

__all__ = ["IGNORED_COLUMN", "Embedding", "Mixture", "PushForward", "atoms_apart"]


@dataclass(frozen=True)
class Mixture(Measure):
    """Σ w_i μ_i; signed if a weight is negative."""

    parts: tuple[Measure, ...]
    weights: tuple[Scalar, ...]
    space: Scalar

    @property
    def dim(self) -> Scalar:
        return self.space

    @property
    def is_complex(self) -> bool:
        return any(part.is_complex for part in self.parts)

    def total_mass(self) -> Scalar:
        return sum(w * part.total_mass() for w, part in zip(self.weights, self.parts, strict=True))

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        masses = np.array([w * part.total_mass() for w, part in zip(self.weights, self.parts, strict=True)], float)
        if (masses < 0).any() or not len(masses):
            raise PlanError("a measure with negative parts cannot be sampled directly: its parts are drawn with signs")
        frequencies = np.empty((n, self.dim))
        for i, (part, chosen) in enumerate(zip(self.parts, stream.choose(masses / masses.sum(), n), strict=True)):
            frequencies[chosen] = part.sample(stream.part(i, chosen, n), len(chosen))
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        parts = zip(self.weights, self.parts, strict=True)
        return sum((w * part.characteristic_function(lags) for w, part in parts), np.zeros(len(lags)))

    def coordinates_read(self) -> list[int]:
        return sorted({i for part in self.parts for i in part.coordinates_read()})

    def without_density(self) -> str | None:
        return next((reason for part in self.parts if (reason := part.without_density()) is not None), None)

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros(len(frequencies), dtype=complex if self.is_complex else float)
        errors = np.zeros(len(frequencies))
        for w, part in zip(self.weights, self.parts, strict=True):
            found, doubt = part.density_and_error(frequencies)
            values, errors = values + w * found, errors + abs(w) * doubt
        return values, errors

    def expression(self, frequency: SymbolicPairs) -> Any:
        return sympy.Add(*[w * part.expression(frequency) for w, part in zip(self.weights, self.parts, strict=True)])

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        masses = [w * part.total_mass() for w, part in zip(self.weights, self.parts, strict=True)]
        if sum(masses) == 0:  # not a probability
            return undefined(*masses)
        moments = [part.second_moment(matrix) for part in self.parts]
        return sum(m * moment for m, moment in zip(masses, moments, strict=True)) / sum(masses)

    def describe(self) -> str:
        if not self.parts:
            return "the zero measure"
        known = [known_number(w) for w in self.weights]
        shown = [str(w) if value is None else f"{value:.3g}" for w, value in zip(self.weights, known, strict=True)]
        return "mixture of " + ", ".join(
            f"{w} × ({part.describe()})" for w, part in zip(shown, self.parts, strict=True)
        )

    def atoms(self) -> Atoms | None:
        parts = [part.atoms() for part in self.parts]
        scaled = [
            Atoms(found.points, found.weights * float(w), found.omitted * abs(float(w)))
            for w, found in zip(self.weights, parts, strict=True)
            if found is not None
        ]
        if not scaled or len(scaled) < len(parts):
            return None
        return reduce(Atoms.add, scaled[1:], Atoms.heaviest(scaled[0].points, scaled[0].weights, scaled[0].omitted))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = [part.finite_atoms() for part in self.parts]
        if not found or None in found:
            return None
        return tuple((p, w * q) for w, atoms in zip(self.weights, found, strict=True) for p, q in atoms or ())


def atoms_apart(measure: Measure) -> tuple[Mixture, Mixture] | None:
    """The atoms of a mixture, and the part with a density, on all columns or some; None unless it has both."""
    if not isinstance(measure, Mixture):
        return None
    discrete = [part.atoms() is not None for part in measure.parts]
    if all(discrete) or not any(discrete):
        return None
    atoms, rest = (
        Mixture(
            tuple(part for part, own in zip(measure.parts, discrete, strict=True) if own == wanted),
            tuple(weight for weight, own in zip(measure.weights, discrete, strict=True) if own == wanted),
            measure.space,
        )
        for wanted in (True, False)
    )
    diffuse = (part.part if isinstance(part, Embedding) else part for part in rest.parts)
    return (atoms, rest) if all(part.without_density() is None for part in diffuse) else None


@measure_rule.register
def _(kernel: Sum) -> Mixture:
    return Mixture(tuple(measure_of(term) for term in kernel.terms), kernel.weights, kernel.dim)


_MOST_SETS = 100


@measure_rule.register
def _(kernel: Additive) -> Measure:
    if kernel.n_sets > _MOST_SETS:
        raise NotStationaryError(
            f"the spectral measure of {kernel} is a mixture over {kernel.n_sets:,} sets of columns, which is not "
            "written out; its samples are drawn exactly"
        )
    return measure_of(written_out(kernel))


IGNORED_COLUMN = "a kernel that ignores a column has all its frequencies at zero there, so it has no density on R^d"
"""Why a measure on some of the columns has no density."""


@dataclass(frozen=True)
class _Image(Measure):
    """An image of a measure, of the same mass."""

    part: Measure

    @property
    def is_complex(self) -> bool:
        return self.part.is_complex

    def total_mass(self) -> Scalar:
        return self.part.total_mass()


@dataclass(frozen=True)
class Embedding(_Image):
    """μ on the columns `positions` of a space of `space` dimensions, all other coordinates zero."""

    positions: tuple[int, ...]
    space: Scalar

    @property
    def dim(self) -> Scalar:
        return self.space

    @property
    def fills_space(self) -> bool:
        """Whether the selection is all of the columns, in some order."""
        return isinstance(self.space, int) and len(self.positions) == self.space

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        frequencies = np.zeros((n, self.dim))
        frequencies[:, list(self.positions)] = self.part.sample(stream, n)
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return self.part.characteristic_function(lags[:, list(self.positions)])

    def coordinates_read(self) -> list[int]:
        return sorted({self.positions[i] for i in self.part.coordinates_read()})

    def without_density(self) -> str | None:
        if not self.fills_space:
            return IGNORED_COLUMN
        return self.part.without_density()

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        return self.part.density_and_error(frequencies[:, list(self.positions)])

    def expression(self, frequency: SymbolicPairs) -> Any:
        own = self.part.expression(frequency.select(self.positions))
        if not isinstance(self.space, int):
            return own * sympy.Function("delta_elsewhere")(sympy.Symbol("omega"))
        others = [i for i in range(self.space) if i not in self.positions]
        return own * sympy.Mul(*[sympy.DiracDelta(frequency.component(i + 1)) for i in others])

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        if matrix is None or np.ndim(matrix) == 0:
            return self.part.second_moment(matrix)
        entries = np.asarray(matrix)
        return self.part.second_moment(entries[..., list(self.positions)])

    def describe(self) -> str:
        return self.part.describe()

    def atoms(self) -> Atoms | None:
        found = self.part.atoms()
        if found is None:
            return None
        points = np.zeros((len(found.points), int(self.space)))
        points[:, list(self.positions)] = found.points
        return Atoms(points, found.weights, found.omitted)

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = self.part.finite_atoms()
        if found is None or not isinstance(self.space, int):
            return None
        where = {position: i for i, position in enumerate(self.positions)}
        return tuple(
            (tuple(point[where[i]] if i in where else 0 for i in range(self.space)), weight) for point, weight in found
        )


measure_rule.register(Select, lambda kernel: Embedding(measure_of(kernel.base), kernel.positions, kernel.dim))


@dataclass(frozen=True)
class PushForward(_Image):
    """The law of A'ω, ω ~ μ, so that k(AΔ) is its transform. A: a number, one number per column, or rows."""

    matrix: Any
    space: Scalar

    @property
    def dim(self) -> Scalar:
        return self.space

    @property
    def is_matrix(self) -> bool:
        """Whether A is a full matrix rather than a number or a diagonal."""
        return isinstance(self.matrix, tuple) and isinstance(self.matrix[0], tuple)

    @property
    def factor(self) -> Scalar | None:
        """The number a if the transform is k(at); None if A has several."""
        numbers = np.ravel(np.asarray(self.matrix, dtype=object))
        return numbers[0] if len(numbers) == 1 else None

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        return self._image(self.part.sample(stream, n))

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        a = np.asarray(self.matrix, dtype=float)
        return self.part.characteristic_function(lags @ a.T if a.ndim == 2 else lags * a)

    def coordinates_read(self) -> list[int]:
        return super().coordinates_read() if self.is_matrix else self.part.coordinates_read()

    def without_density(self) -> str | None:
        if self.is_matrix and not self._is_invertible():
            return "the matrix of stretch() has no inverse: the frequencies do not fill the space"
        return self.part.without_density()

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        a = np.asarray(self.matrix, dtype=float)
        if a.ndim == 2:
            volume = abs(np.linalg.det(a))
            values, errors = self.part.density_and_error(np.linalg.solve(a.T, frequencies.T).T)
        else:
            volume = np.prod(np.broadcast_to(np.abs(a), (frequencies.shape[1],)))
            values, errors = self.part.density_and_error(frequencies / a)
        return np.asarray(values / volume), np.asarray(errors / volume)

    def expression(self, frequency: SymbolicPairs) -> Any:
        if self.is_matrix:
            exact = self.finite_atoms()
            if exact is not None:
                return sympy.Add(*[w * frequency.shift(point).product(sympy.DiracDelta) for point, w in exact])
            a = sympy.Matrix(self.matrix)
            if not self._is_invertible():
                own = frequency.renewed(a.rows)  # the part lives on the rows of A
                return sympy.Function("push_forward")(a, self.part.expression(own))
            inverse = a.T.inv()
            rows = tuple(tuple(inverse[i, j] for j in range(a.cols)) for i in range(a.rows))
            return self.part.expression(frequency.map(rows)) / abs(a.det())
        if isinstance(self.matrix, tuple):
            reciprocals = tuple(1 / sympy.S(entry) for entry in self.matrix)
            return self.part.expression(frequency.map(reciprocals)) / sympy.Abs(sympy.Mul(*self.matrix))
        scale = sympy.S(self.matrix)
        return self.part.expression(frequency.map(1 / scale)) / sympy.Abs(scale) ** self.dim

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        own, outer = np.asarray(self.matrix), np.asarray(1 if matrix is None else matrix)
        if own.ndim < 2 and outer.ndim < 2:
            combined = np.asarray(outer * own)
            return self.part.second_moment(combined.item() if combined.ndim == 0 else combined)
        size = own.shape[1] if own.ndim == 2 else outer.shape[1]
        return self.part.second_moment(_as_matrix(outer, size) @ _as_matrix(own, size).T)

    def describe(self) -> str:
        return f"linear image of {self.part.describe()}"

    def atoms(self) -> Atoms | None:
        found = self.part.atoms()
        if found is None:
            return None
        # a matrix may map two atoms to one point
        return Atoms.merged(self._image(found.points), found.weights, found.omitted)

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = self.part.finite_atoms()
        if found is None:
            return None
        if self.is_matrix:
            columns = tuple(zip(*self.matrix, strict=True))
            return tuple((tuple(sum(map(mul, column, point)) for column in columns), w) for point, w in found)
        scales = self.matrix if isinstance(self.matrix, tuple) else repeat(self.matrix)
        return tuple((tuple(map(mul, scales, point)), w) for point, w in found)

    def _is_invertible(self) -> bool:
        rows, columns = np.shape(self.matrix)
        if rows != columns:
            return False
        try:
            return bool(np.linalg.matrix_rank(np.asarray(self.matrix, dtype=float)) == rows)
        except TypeError:  # it has symbols
            return not sympy.Matrix(self.matrix).det().equals(0)

    def _image(self, frequencies: np.ndarray) -> np.ndarray:
        a = np.asarray(self.matrix, dtype=float)
        return np.asarray(frequencies @ a if a.ndim == 2 else frequencies * a)


def _as_matrix(entries: np.ndarray, size: int) -> np.ndarray:
    if entries.ndim == 2:
        return entries
    return np.diag(np.broadcast_to(entries, (size,)))


measure_rule.register(Stretch, lambda kernel: PushForward(measure_of(kernel.base), kernel.matrix, kernel.dim))
