"""Weighted sums of measures: the spectral side of a sum of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.infinity import undefined

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Mixture"]


@dataclass(frozen=True)
class Mixture(Measure):
    """Σ w_i μ_i; signed where a weight is negative."""

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
            raise PlanError("a measure with negative parts has no sampler of its own: its parts are drawn with signs")
        frequencies = np.empty((n, self.dim))
        for i, (part, chosen) in enumerate(zip(self.parts, stream.choose(masses / masses.sum(), n), strict=True)):
            frequencies[chosen] = part.sample(stream.part(i, chosen, n), len(chosen))
        return frequencies

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        values = np.zeros(len(lags))
        for w, part in zip(self.weights, self.parts, strict=True):
            values += w * part.characteristic_function(lags)
        return values

    def without_density(self) -> str | None:
        return next((reason for part in self.parts if (reason := part.without_density()) is not None), None)

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        return self.density_and_error(frequencies)[0]

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros(len(frequencies), dtype=complex if self.is_complex else float)
        errors = np.zeros(len(frequencies))
        for w, part in zip(self.weights, self.parts, strict=True):
            found, doubt = part.density_and_error(frequencies)
            values, errors = values + w * found, errors + abs(w) * doubt
        return values, errors

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        return sympy.Add(*[w * part.expression(frequency) for w, part in zip(self.weights, self.parts, strict=True)])

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        masses = [w * part.total_mass() for w, part in zip(self.weights, self.parts, strict=True)]
        if sum(masses) == 0:  # there is no probability to speak of
            return undefined(*masses)
        moments = [part.second_moment(matrix) for part in self.parts]
        return sum(m * moment for m, moment in zip(masses, moments, strict=True)) / sum(masses)

    def describe(self) -> str:
        if not self.parts:
            return "the zero measure"
        return "mixture of " + ", ".join(
            f"{float(w):.3g} × ({part.describe()})" for w, part in zip(self.weights, self.parts, strict=True)
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


@measure_rule.register
def _(kernel: Sum) -> Mixture:
    return Mixture(tuple(measure_of(term) for term in kernel.terms), kernel.weights, kernel.dim)
