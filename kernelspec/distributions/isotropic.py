"""Laws on the line that are marginals of rotation-invariant laws on R^d."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Distribution

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar
    from kernelspec.random.streams import Stream

__all__ = ["Isotropic"]


@dataclass(frozen=True, kw_only=True)
class Isotropic(Distribution):
    """A symmetric law whose characteristic function, taken of ‖t‖, is one in R^d again: what bochner() takes.

    The law on R^d is then unique [Schoenberg 1938]; for d = 1 it is this one. `largest_dim` bounds d where that ends,
    for a `reason`.
    The characteristic function is E cos tX: all of it for a symmetric law, its real part for others.
    """

    largest_dim: ClassVar[int | None] = None
    reason: ClassVar[str] = ""

    @property
    def is_symmetric(self) -> bool:
        return True

    def density(self, x: np.ndarray) -> np.ndarray:
        return self.isotropic_density(np.abs(x), 1)

    def density_expression(self, x: Any) -> Any:
        return self.isotropic_density_expression(x, 1)

    @abstractmethod
    def second_moment(self) -> Scalar:
        """E X², infinite for heavy tails."""

    @abstractmethod
    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        """E cos tX as floats."""

    def log_characteristic_function(self, t: np.ndarray) -> np.ndarray | None:
        """ln E cos tX, where that is an exponential that becomes too small for floats; None for the other laws."""
        del t
        return None

    @abstractmethod
    def characteristic_function_expression(self, t: Any) -> Any:
        """E cos tX in SymPy."""

    @abstractmethod
    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        """n draws of the rotation-invariant law on R^dim with this marginal, (n, dim)."""

    @abstractmethod
    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        """Its density on R^dim at distance `radius` from the origin. Raises NoDensityError where it has none."""

    @abstractmethod
    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        """The same in SymPy."""

    def without_isotropic_density(self, dim: Scalar) -> str | None:
        """Why the law on R^dim has no density; None where it has one."""
        del dim
        return None
