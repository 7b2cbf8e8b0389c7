"""The Gaussian (squared exponential) kernel, and Gneiting's space-time kernels made of mixtures of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity, root
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.structured_pairs import number_text
from kernelspec.expressions.symbolic import stretched_exponential
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.stationary import Radial
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Falling, Line, normal_density, number
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian

__all__ = ["Gaussian", "Gneiting"]


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
        found = stretched_exponential(f, t)
        if found is None or found[1] != 2:
            return None
        return 1, {"scale": 1 / sympy.sqrt(2 * found[0])}

    @property
    def has_independent_coordinates(self) -> bool:
        return True  # the only distribution that is also radial

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.draw(stream, len(counts)) * np.sqrt(counts)[:, None])

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(pairs.squared_norm() * (-0.5 / float(self.scale) ** 2))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return floats(np.exp(-0.5 * np.square(distance / self.scale)))

    def profile_expression(self, distance: Any) -> Any:
        return sympy.exp(-(distance**2) / (2 * self.scale**2))

    def draw_variance(self, stream: Stream, n: int) -> float:
        return float(self.scale) ** -2

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        return np.asarray((self.scale**2 / (2 * np.pi)) ** (dim / 2) * np.exp(-0.5 * np.square(self.scale * radius)))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        return (self.scale**2 / (2 * sympy.pi)) ** (sympy.S(dim) / 2) * sympy.exp(-(self.scale**2) * radius**2 / 2)

    def pieces(self, line: Line) -> Any:
        return line.bell(self.scale)

    def comparable_density(self, dim: int) -> Falling:
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


@dataclass(frozen=True, kw_only=True)
class Gneiting(Stationary):
    """k(h, u) = (1 + γ)^{−d/2} φ(‖h‖/√(1 + γ)), γ = (|u|/τ)^{2α}, on d columns of space and a last one of time.

    φ is `space`, a mixture of Gaussians E exp(−s‖h‖²/2) on d columns; 0 < α = `alpha` ≤ 1, τ = `scale`. Frequencies √s
    z in space, z ~ N(0, I), and (‖z‖²/2)^{1/2α} S/τ in time, S symmetric and 2α-stable: E e^{iω·h − γ‖z‖²/2} = k.
    Reference: Gneiting 2002.
    """

    name: ClassVar[str] = "gneiting"
    formula: ClassVar[str] = "(1 + γ)^{−d/2} φ(‖h‖/√(1 + γ)), γ = (|u|/τ)^{2α}"
    frequencies: ClassVar[str] = "√s z and (‖z‖²/2)^{1/2α} S/τ, z ~ N(0, I), S 2α-stable"
    reference: ClassVar[str] = "Gneiting 2002"

    space: Radial
    alpha: Scalar = real(1, above=0, at_most=1)
    scale: Scalar = length(1)

    def children(self) -> Iterator[Kernel]:
        """None on all columns: `space` is on the first d."""
        return iter(())

    def validate(self) -> None:
        super().validate()
        if self.space.dim != self.dim - 1:
            raise ValueError(f"a kernel of space on {self.space.dim} columns and time stand on {self.dim}")

    def _parts(self, pairs: Pairs) -> tuple[Any, Any]:
        """‖h‖² and |u|²."""
        d = int(self.space.dim)
        return pairs.select(tuple(range(d))).squared_norm(), pairs.select((d,)).squared_norm()

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        space, time = self._parts(pairs)
        rise = 1 + (time / float(self.scale) ** 2) ** float(self.alpha)
        return floats(self.space.profile(np.sqrt(space / rise)) * rise ** (-int(self.space.dim) / 2))

    def expression(self, pairs: Pairs) -> Any:
        space, time = (sympy.S(part) for part in self._parts(pairs))
        rise = 1 + (time / self.scale**2) ** self.alpha
        return self.space.profile_expression(root(space / rise)) / rise ** sympy.Rational(int(self.space.dim), 2)

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        d, a = int(self.space.dim), float(self.alpha)
        normal, own = stream.normal("normal", (n, d)), stream.child(0)
        variance = np.asarray(self.space.draw_variance(stream.child(1).in_blocks(d), n))
        space = normal * np.sqrt(variance if variance.ndim == 0 else variance[:, None])
        if a == 1:
            stable = np.sqrt(2) * own.normal("stable", n)
        else:  # Chambers, Mallows and Stuck 1976
            angle, waiting = np.pi * (own.uniform("angle", n) - 0.5), own.exponential("waiting", n)
            ratio = np.cos((1 - 2 * a) * angle) / waiting
            stable = np.sin(2 * a * angle) / np.cos(angle) ** (1 / (2 * a)) * ratio ** ((1 - 2 * a) / (2 * a))
        time = (np.square(normal).sum(axis=1) / 2) ** (1 / (2 * a)) * stable / float(self.scale)
        return np.column_stack([space, time])

    def frequency_variance(self) -> Scalar:
        """E ω_i², here its average over the columns: they differ."""
        if self.alpha != 1:
            return infinity(self.scale)
        d = self.space.dim
        return (d * self.space.frequency_variance() + d / self.scale**2) / (d + 1)

    def without_density(self) -> str | None:
        return f"the density of {self} has no closed form; its frequencies are drawn exactly"

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(str(self.without_density()))

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        raise NoDensityError(str(self.without_density()))

    def verdict(self) -> Verdict:
        reason = f"{self}: positive definite by Gneiting's theorem, as {self.space} is a mixture of Gaussian kernels"
        return replace(super().verdict(), reasons=(f"{reason} [{self.reference}]",))

    def __str__(self) -> str:
        alpha, scale = number_text(self.alpha), number_text(self.scale)
        return f"gneiting(space={self.space}, alpha={alpha}, scale={scale})"
