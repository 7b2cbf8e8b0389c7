"""Kernels of the Euclidean distance, k = f(‖Δ‖), all of them mixtures of Gaussians over the scale."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.kernels.leaf import Stationary
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import root
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs, Pairs
    from kernelspec.notation.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream

__all__ = ["Radial"]


@dataclass(frozen=True, kw_only=True)
class Radial(Stationary):
    """k(Δ) = f(‖Δ‖) = E exp(−τ‖Δ‖²/2), so that ω | τ ~ N(0, τ I) in every dimension [Schoenberg 1938]."""

    @abstractmethod
    def profile(self, distance: np.ndarray) -> np.ndarray:
        """f(r) as floats."""

    @abstractmethod
    def profile_expression(self, distance: Any) -> Any:
        """f(r) in SymPy."""

    @abstractmethod
    def draw_variance(self, stream: Stream, n: int) -> np.ndarray | float:
        """n draws of τ, the variance of the coordinates of ω, (n,); or the one value it always has."""

    @abstractmethod
    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        """Density of μ at ‖ω‖ = radius in `dim` dimensions."""

    @abstractmethod
    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        """The same in SymPy."""

    @property
    def is_radial(self) -> bool:
        return True

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂."""
        return floats(np.sqrt(pairs.squared_norm()))

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return self.profile(self.distance(pairs))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return self.profile_expression(root(sympy.S(pairs.squared_norm())))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        normal = stream.normal("normal", (n, self.dim))
        variance = np.asarray(self.draw_variance(stream.in_blocks(self.dim), n))
        return np.asarray(normal * np.sqrt(variance if variance.ndim == 0 else variance[:, None]))

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        return self.radial_density(np.sqrt(frequencies.squared_norm()), frequencies.dim)

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        return self.radial_density_expression(root(sympy.S(frequency.squared_norm())), frequency.dim)
