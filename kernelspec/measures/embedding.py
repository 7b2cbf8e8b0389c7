"""A measure on some of the columns, times δ₀ on the others: the spectral side of a selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.nodes.select import Select
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["IGNORED_COLUMN", "Embedding"]

IGNORED_COLUMN = "a kernel that ignores a column has all its frequencies at zero there: there is no density on R^d"
"""Why a measure on some of the columns has no density."""


@dataclass(frozen=True)
class Embedding(Measure):
    """μ on the columns `positions` of a space of `space` dimensions, all other coordinates zero."""

    part: Measure
    positions: tuple[int, ...]
    space: Scalar

    @property
    def dim(self) -> Scalar:
        return self.space

    @property
    def fills_space(self) -> bool:
        """Whether the selection is all of the columns, in some order."""
        return isinstance(self.space, int) and len(self.positions) == self.space

    @property
    def is_complex(self) -> bool:
        return self.part.is_complex

    def total_mass(self) -> Scalar:
        return self.part.total_mass()

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        frequencies = np.zeros((n, self.dim))
        frequencies[:, list(self.positions)] = self.part.sample(stream, n)
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return self.part.characteristic_function(lags[:, list(self.positions)])

    def without_density(self) -> str | None:
        if not self.fills_space:
            return IGNORED_COLUMN
        return self.part.without_density()

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.require_density()
        return self.part.density_and_error(frequencies[:, list(self.positions)])

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

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


@measure_rule.register
def _(kernel: Select) -> Embedding:
    return Embedding(measure_of(kernel.base), kernel.positions, kernel.dim)
