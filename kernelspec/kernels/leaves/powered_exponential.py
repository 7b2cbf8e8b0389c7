"""The powered exponential (stable) kernel of the Euclidean distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import log, pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import square_root
from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity, known_number
from kernelspec.kernels.leaves.exponential import Exponential
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.stationary import Radial
from kernelspec.limits import MAX_SIZE
from kernelspec.special.elementary import floats
from kernelspec.special.exact_draws import LARGEST_VARIANCE, log_stable_mixture

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.kernels.leaf import Leaf, Stationary
    from kernelspec.random.streams import Stream

__all__ = ["PoweredExponential"]


@dataclass(frozen=True, kw_only=True)
class PoweredExponential(Radial):
    """k(Δ) = exp(−(‖Δ‖/ℓ)^α) on R^d, 0 < α = `alpha` ≤ 2, ℓ = `scale` > 0; ω ~ symmetric α-stable.

    τ = 2A/ℓ² with A positive α/2-stable, E e^{−sA} = e^{−s^{α/2}} [Kanter 1975]. The density is elementary
    for α = 1 and 2 only; otherwise it is a Hankel integral. Second moment infinite, 2d/ℓ² for α = 2.
    Reference: Schoenberg 1938, also for why α > 2 is not positive definite.
    """

    name: ClassVar[str] = "powered_exponential"
    formula: ClassVar[str] = "exp(−(‖Δ‖₂ / ℓ)^α)"
    frequencies: ClassVar[str] = "N(0, 2A ℓ⁻² I) with A positive α/2-stable"
    reference: ClassVar[str] = "Schoenberg 1938; Kanter 1975"

    alpha: Scalar = real(above=0, at_most=2)
    scale: Scalar = length(1)

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-((np.sqrt(pairs.squared_norm()) / float(self.scale)) ** float(self.alpha)))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return np.exp(-((distance / float(self.scale)) ** float(self.alpha)))

    def profile_expression(self, distance: Any) -> Any:
        import sympy

        return sympy.exp(-((distance / sympy.S(self.scale)) ** sympy.S(self.alpha)))

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray | float:
        if self.alpha == 2:
            return 2 / float(self.scale) ** 2
        a = self.alpha / 2
        share = stream.uniform("angle", n)
        angle, sine = np.pi * share, np.sin(np.pi * np.minimum(share, 1 - share))  # sin angle, exact near π too
        exponential = stream.exponential("exponential", n)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            rest = (1 - a) / a * (np.log(np.sin((1 - a) * angle)) - np.log(exponential))
            stable = np.exp(np.log(np.sin(a * angle)) - np.log(sine) / a + rest)
            at_zero = a * ((1 - a) / exponential) ** ((1 - a) / a)
            variance = np.minimum(2 * np.where(share > 0, stable, at_zero), LARGEST_VARIANCE)
        return np.asarray(variance / float(self.scale) ** 2)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        """Stable laws: l^(1/α) times one draw, no entry beyond the root of the largest variance."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = self.draw(stream, len(counts)) * (counts.astype(float) ** (1 / float(self.alpha)))[:, None]
        largest = LARGEST_VARIANCE**0.5 / float(self.scale)
        return np.clip(np.nan_to_num(sums, nan=0.0), -largest, largest)

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        special = self._elementary()
        if special is not None:
            return special.radial_density(radius, dim)
        c = np.square(self.scale * np.asarray(radius) / 2)
        constant = dim / 2 * log(self.scale**2 / (4 * pi))
        return np.exp(constant + log_stable_mixture(self.alpha / 2, c, dim))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        import sympy

        special = self._elementary()
        if special is not None:
            return special.radial_density_expression(radius, dim)
        r = sympy.Symbol("r", positive=True)
        kernel, half = self.profile_expression(r), sympy.S(dim) / 2
        if dim == 1:
            return sympy.Integral(kernel * sympy.cos(radius * r), (r, 0, sympy.oo)) / sympy.pi
        integral = sympy.Integral(kernel * sympy.besselj(half - 1, radius * r) * r**half, (r, 0, sympy.oo))
        return (2 * sympy.pi) ** -half * radius ** (1 - half) * integral

    def frequency_variance(self) -> Scalar:
        if self.alpha == 2:
            return 2 / self.scale**2
        if isinstance(self.alpha, int | float) or not self.alpha.free_symbols:
            return infinity(self.alpha, self.scale)
        import sympy

        return sympy.Piecewise((2 / self.scale**2, sympy.Eq(self.alpha, 2)), (sympy.oo, True))

    def fuse(self, other: Stationary) -> PoweredExponential | None:
        if not isinstance(other, PoweredExponential) or other.alpha != self.alpha:
            return None
        rate = self.scale**-self.alpha + other.scale**-self.alpha
        try:
            scale = rate ** (-1 / self.alpha)
        except OverflowError:
            return None
        size = known_number(scale)
        if size is not None and not 1 / MAX_SIZE <= size <= MAX_SIZE:
            return None  # of tiny orders: too small or large to reckon with
        return PoweredExponential(alpha=self.alpha, scale=scale, dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> PoweredExponential:
        scale = self.scale * exponent ** (-1 / self.alpha)
        return PoweredExponential(alpha=self.alpha, scale=scale, dim=self.dim, span=self.span)

    def derivatives(self) -> float:
        return math.inf if float(self.alpha) == 2 else 0

    def simplest(self) -> Leaf:
        if self.alpha == 1:
            return Exponential(scale=self.scale, dim=self.dim, span=self.span).simplest()
        if self.alpha == 2:
            return Gaussian(scale=self.scale / square_root(2, self.scale), dim=self.dim, span=self.span)
        return self

    def _elementary(self) -> Radial | None:
        if self.alpha == 1:
            return Exponential(scale=self.scale, dim=self.dim)
        if self.alpha == 2:
            return Gaussian(scale=(2 * self.scale**-2) ** Fraction(-1, 2), dim=self.dim)
        return None
