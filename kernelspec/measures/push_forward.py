"""The image of a measure under a linear map: the spectral side of a stretch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["PushForward"]


@dataclass(frozen=True)
class PushForward(Measure):
    """The law of A'ω, ω ~ μ, so that k(AΔ) is its transform. A: a number, one number per column, or rows."""

    part: Measure
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
    def is_complex(self) -> bool:
        return self.part.is_complex

    def total_mass(self) -> Scalar:
        return self.part.total_mass()

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        return self._image(self.part.sample(stream, n))

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        a = np.asarray(self.matrix, dtype=float)
        return self.part.characteristic_function(lags @ a.T if a.ndim == 2 else lags * a)

    def without_density(self) -> str | None:
        if self.is_matrix and not self._is_invertible():
            return "the matrix of stretch() has no inverse: the frequencies do not fill the space"
        return self.part.without_density()

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

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
        import sympy

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
        # a matrix may send two atoms to one point
        return Atoms.merged(self._image(found.points), found.weights, found.omitted)

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        found = self.part.finite_atoms()
        if found is None:
            return None
        if self.is_matrix:
            columns = tuple(zip(*self.matrix, strict=True))
            return tuple((tuple(_inner(column, point) for column in columns), weight) for point, weight in found)
        if isinstance(self.matrix, tuple):
            return tuple((tuple(a * p for a, p in zip(self.matrix, point, strict=True)), w) for point, w in found)
        return tuple((tuple(self.matrix * p for p in point), w) for point, w in found)

    def _is_invertible(self) -> bool:
        rows, columns = np.shape(self.matrix)
        if rows != columns:
            return False
        try:
            return bool(np.linalg.matrix_rank(np.asarray(self.matrix, dtype=float)) == rows)
        except TypeError:  # there are symbols in it
            import sympy

            return not sympy.Matrix(self.matrix).det().equals(0)

    def _image(self, frequencies: np.ndarray) -> np.ndarray:
        a = np.asarray(self.matrix, dtype=float)
        return np.asarray(frequencies @ a if a.ndim == 2 else frequencies * a)


def _inner(row: tuple[Scalar, ...], point: tuple[Scalar, ...]) -> Scalar:
    return sum(a * p for a, p in zip(row, point, strict=True))


def _as_matrix(entries: np.ndarray, size: int) -> np.ndarray:
    if entries.ndim == 2:
        return entries
    return np.diag(np.broadcast_to(entries, (size,)))


@measure_rule.register
def _(kernel: Stretch) -> PushForward:
    return PushForward(measure_of(kernel.base), kernel.matrix, kernel.dim)
