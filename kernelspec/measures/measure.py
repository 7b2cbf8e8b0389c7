"""The contract of a spectral measure: the representation between a kernel and its features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Measure"]


@dataclass(frozen=True)
class Measure(ABC):
    """A finite measure μ on R^dim with k(Δ) = ∫ exp(i ω·Δ) μ(dω); μ(−ω) = conj μ(ω), because k is real.

    It is even, unless it is complex, which it is for an asymmetric kernel.

    A sampler and a characteristic function always exist; a density is optional.
    """

    @property
    @abstractmethod
    def dim(self) -> Scalar:
        """Dimension of the space."""

    @property
    def is_complex(self) -> bool:
        """Whether the density, or the weights of the atoms, may be complex."""
        return False

    @abstractmethod
    def total_mass(self) -> Scalar:
        """∫ dμ = k(0)."""

    @abstractmethod
    def sample(self, stream: Stream, n: int) -> np.ndarray:
        """n independent frequencies from μ / k(0), (n, dim), exactly.

        Raises PlanError for a measure with negative parts: those are sampled part by part, with signs.
        """

    @abstractmethod
    def characteristic_function(self, lags: np.ndarray) -> np.ndarray:
        """∫ exp(i ω·Δ) μ(dω) for lags (n, dim) → (n,)."""

    @abstractmethod
    def without_density(self) -> str | None:
        """Why there is no density with respect to Lebesgue measure on R^dim; None where there is one."""

    def require_density(self) -> None:
        """Raise NoDensityError, with the reason, where there is no density."""
        reason = self.without_density()
        if reason is not None:
            raise NoDensityError(reason)

    @abstractmethod
    def density(self, frequencies: np.ndarray) -> np.ndarray:
        """The density at frequencies (n, dim) → (n,).

        Raises NoDensityError where there is none, or none that can be evaluated.
        """

    def density_and_error(self, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The density at frequencies (n, dim), and bounds on the error of numerical integration in each value, (n,).

        The bounds are 0 for closed forms. Raises NoDensityError as `density` does.
        """
        return self.density(frequencies), np.zeros(len(frequencies))

    @abstractmethod
    def expression(self, frequency: SymbolicPairs) -> Any:
        """The density in SymPy; `DiracDelta` for atoms, an unevaluated convolution where no closed form exists."""

    @abstractmethod
    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        """E‖Aω‖² under μ / k(0); A is the identity, a number, one number per column, or a matrix."""

    @abstractmethod
    def describe(self) -> str:
        """The measure in a few words, for plans and reports."""

    def atoms(self) -> Atoms | None:
        """The atoms of a discrete measure; None for the others."""
        return None

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        """All atoms as ((point, weight), …) in exact numbers, where there are finitely many; else None."""
        return None
