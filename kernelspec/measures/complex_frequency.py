"""A density at complex frequencies: the measure of a kernel times an exponential of the lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.kernels.leaf import Stationary
from kernelspec.measures.measure import Measure
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.infinity import undefined
from kernelspec.notation.pairs import NumericPairs
from kernelspec.special.scaled import Scaled

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["ComplexFrequency"]


@dataclass(frozen=True)
class ComplexFrequency(Measure):
    """p(ω + iβ) dω, β = `by`, p the density of k, whose transform is k(Δ) e^{β·Δ}: complex.

    Finite where that is integrable, so that p continues into the strip [Paley and Wiener 1934]. What derives from it
    says what p is there.
    """

    kernel: Stationary
    by: tuple[Scalar, ...]

    @property
    def dim(self) -> Scalar:
        return self.kernel.dim

    @property
    def is_complex(self) -> bool:
        return True

    def total_mass(self) -> Scalar:
        return 1

    def sample(self, stream: Stream, n: int) -> np.ndarray:
        raise PlanError("a complex measure has no sampler of its own")

    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        rise = Scaled(np.ones(()), lags @ np.asarray(self.by, dtype=float))
        return self.kernel.scaled_value(NumericPairs.of_vectors(lags)).times(rise).value()

    def without_density(self) -> str | None:
        return None

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """Not defined: see the second moments of the parts, which the uniform bound takes."""
        del matrix
        return undefined(*self.by)

    def describe(self) -> str:
        return f"{self.kernel}: the density of its frequencies, continued to ω + iβ"
