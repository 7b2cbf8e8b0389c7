"""The periodic kernel, a product over the columns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import Height, height_of_answers, is_known_whole, known_number
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.expressions.pairs import NumericPairs
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.kernels.leaf import Stationary
    from kernelspec.random.streams import Stream

__all__ = ["Periodic"]

_LEAST_SCALE = 1e-4


@dataclass(frozen=True, kw_only=True)
class Periodic(Coordinatewise):
    """k(Δ) = exp(−2 Σ sin²(πΔ_i/p) / ℓ²) on R^d, p = `period` > 0, ℓ = `scale` ≥ 1e-4.

    Every ω_i = 2πn/p with n a difference of two Poisson variables of mean 1/2ℓ² (Skellam): atoms of weight
    e^{−1/ℓ²} I_n(1/ℓ²), n ∈ Z, and no density. Second moment 4π²d/(p²ℓ²). A function of each column: the
    same sine of ‖Δ‖₂ is not positive definite for d ≥ 2. Reference: MacKay 1998; Solin and Särkkä 2014.
    """

    name: ClassVar[str] = "periodic"
    formula: ClassVar[str] = "exp(−2 Σ sin²(πΔ_i / p) / ℓ²)"
    frequencies: ClassVar[str] = "2πn/p, n the difference of two Poisson(1/2ℓ²), in every coordinate"
    reference: ClassVar[str] = "Solin and Särkkä 2014"
    is_discrete: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True

    period: Scalar = length()
    scale: Scalar = real(1, at_least=_LEAST_SCALE)

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂: near 0 the logarithm of k is quadratic."""
        return floats(np.sqrt(pairs.squared_norm()))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        period, scale = float(self.period), float(self.scale)
        return floats(np.exp(-2 * np.square(np.sin(np.pi * (np.fmod(lag, period) / period)) / scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.exp(-2 * sympy.sin(sympy.pi * lag / sympy.S(self.period)) ** 2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        rate = 0.5 / float(self.scale) ** 2
        orders = stream.generator("up").poisson(rate, shape) - stream.generator("down").poisson(rate, shape)
        return orders * (2 * np.pi / float(self.period))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of atoms: it has no density")

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        n = sympy.Symbol("n", integer=True)
        rate = sympy.S(self.scale) ** -2
        weight = sympy.exp(-rate) * sympy.besseli(n, rate)
        delta = sympy.DiracDelta(frequency - 2 * sympy.pi * n / sympy.S(self.period))
        return sympy.Sum(weight * delta, (n, -sympy.oo, sympy.oo))

    def height(self, lag: Sequence[Scalar]) -> Height:
        """The frequencies are all multiples of 2π/p in every column, those of even and of odd order."""
        return height_of_answers(is_known_whole(entry / self.period) for entry in lag)

    def frequency_variance(self) -> Scalar:
        pi = np.pi
        if not isinstance(self.scale * self.period, int | float):
            import sympy

            pi = sympy.pi
        return (2 * pi / (self.period * self.scale)) ** 2

    def atoms(self) -> Atoms:
        from scipy.special import ive

        from kernelspec.kernels.atoms import Atoms

        rate = float(self.scale) ** -2
        last = ceil(9 * sqrt(rate)) + 20  # the mass beyond is below 1e-17
        orders = np.arange(-last, last + 1)
        points = (orders * (2 * np.pi / float(self.period)))[:, None]
        return Atoms.heaviest(points, ive(np.abs(orders), rate)).power(int(self.dim))

    def fuse(self, other: Stationary) -> Periodic | None:
        if not isinstance(other, Periodic) or other.period != self.period:
            return None
        scale = (self.scale**-2 + other.scale**-2) ** Fraction(-1, 2)
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> Periodic | None:
        """Another scale ℓ/√s, where that is one of the scales there are: k is infinitely divisible."""
        scale = self.scale * exponent ** Fraction(-1, 2)
        known = known_number(scale)
        if known is not None and known < _LEAST_SCALE:
            return None
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)
