"""The Gaussian (squared exponential) kernel."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length
from kernelspec.kernels.stationary import Radial
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.kernels.leaf import Leaf, Stationary
    from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian
    from kernelspec.random.streams import Stream
    from kernelspec.special.closed_forms import Falling, Line

__all__ = ["Gaussian"]


@dataclass(frozen=True, kw_only=True)
class Gaussian(Radial):
    """k(Δ) = exp(−‖Δ‖² / 2σ²) on R^d, σ = `scale` > 0; ω ~ N(0, σ⁻² I).

    Density (σ²/2π)^{d/2} exp(−σ²‖ω‖²/2). Second moment d/σ². Reference: Rahimi and Recht 2007.
    """

    name: ClassVar[str] = "gaussian"
    formula: ClassVar[str] = "exp(−‖Δ‖² / 2σ²)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I)"
    reference: ClassVar[str] = "Rahimi and Recht 2007"
    recognized_in: ClassVar[tuple[str, ...]] = ("product", "radial")
    is_analytic: ClassVar[bool] = True
    powers_are_one_draw: ClassVar[bool] = True

    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        import sympy

        from kernelspec.expressions.symbolic import stretched_exponential

        found = stretched_exponential(f, t)
        if found is None or found[1] != 2:
            return None
        return 1, {"scale": 1 / sympy.sqrt(2 * found[0])}

    @property
    def has_independent_coordinates(self) -> bool:
        return True  # the only law that is radial as well

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.draw(stream, len(counts)) * np.sqrt(counts)[:, None])

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(pairs.squared_norm() * (-0.5 / float(self.scale) ** 2))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return floats(np.exp(-0.5 * np.square(distance / self.scale)))

    def profile_expression(self, distance: Any) -> Any:
        import sympy

        return sympy.exp(-(distance**2) / (2 * self.scale**2))

    def draw_variance(self, stream: Stream, n: int) -> float:
        del stream, n
        return float(self.scale) ** -2

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        return np.asarray((self.scale**2 / (2 * np.pi)) ** (dim / 2) * np.exp(-0.5 * np.square(self.scale * radius)))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        return (self.scale**2 / (2 * sympy.pi)) ** (sympy.S(dim) / 2) * sympy.exp(-(self.scale**2) * radius**2 / 2)

    def pieces(self, line: Line) -> Any:
        return line.bell(self.scale)

    def comparable_density(self, dim: int) -> Falling:
        from kernelspec.special.closed_forms import normal_density, number

        return normal_density(number(self.scale) ** 2, dim)

    def frequency_variance(self) -> Scalar:
        return self.scale**-2

    def fuse(self, other: Stationary) -> Gaussian | None:
        if not isinstance(other, Gaussian):
            return None
        return Gaussian(scale=(self.scale**-2 + other.scale**-2) ** Fraction(-1, 2), dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> Gaussian:
        return Gaussian(scale=self.scale * exponent ** Fraction(-1, 2), dim=self.dim, span=self.span)

    def shifted(self, by: tuple[Scalar, ...]) -> ShiftGaussian:
        from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian

        return ShiftGaussian(scale=self.scale, by=by, dim=self.dim, span=self.span)

    def tilted(self, by: tuple[Scalar, ...]) -> Leaf:
        from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian

        return CoshGaussian(scale=self.scale, by=by, dim=self.dim, span=self.span)
