"""A measure times a wave: the spectral side of a translation of the lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.infinity import undefined

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Shifted"]


@dataclass(frozen=True)
class Shifted(Measure):
    """e^{ir·ω} μ(dω), r = `by`: complex, of the same modulus. `mass` is k(r), k the transform of μ."""

    part: Measure
    by: tuple[Scalar, ...]
    mass: Scalar

    @property
    def dim(self) -> Scalar:
        return self.part.dim

    @property
    def is_complex(self) -> bool:
        return True

    def total_mass(self) -> Scalar:
        return self.mass

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        raise PlanError("a complex measure has no sampler of its own: its modulus is drawn, with a phase")

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        return self.part.characteristic_function(lags + np.asarray(self.by, dtype=float))

    def without_density(self) -> str | None:
        return self.part.without_density()

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, errors = self.part.density_and_error(frequencies)
        return np.asarray(values * self.phases(frequencies)), errors

    def phases(self, frequencies: np.ndarray) -> np.ndarray:
        """e^{ir·ω}, (m,)."""
        return np.asarray(np.exp(1j * (frequencies @ np.asarray(self.by, dtype=float))))

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        return self.part.expression(frequency) * sympy.exp(sympy.I * frequency.inner(self.by))

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """Not defined: see the second moments of the parts, which the uniform bound takes."""
        del matrix
        return undefined(*self.by)

    def describe(self) -> str:
        return f"a phase times {self.part.describe()}"

    def atoms(self) -> Atoms | None:
        found = self.part.atoms()
        if found is None:
            return None
        return Atoms(found.points, found.weights * self.phases(found.points), found.omitted)


@measure_rule.register
def _(kernel: Shift) -> Shifted:
    return Shifted(measure_of(kernel.base), kernel.by, kernel.diagonal())
