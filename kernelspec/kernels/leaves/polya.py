"""Polya kernels: mixtures of triangles, one for every positive distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Positive
from kernelspec.distributions.distribution import Scaled as ScaledLaw
from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, distribution, real
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import Scaled, far_out
from kernelspec.special.exact_draws import draw_fejer

if TYPE_CHECKING:
    from kernelspec.kernels.leaf import Leaf
    from kernelspec.random.streams import Stream
    from kernelspec.special.closed_forms import Line

__all__ = ["Polya"]


@dataclass(frozen=True, kw_only=True)
class Polya(Coordinatewise):
    """k(Δ) = ∏ φ(Δ_i), φ(t) = E max(0, 1 − |t|/R), R > 0 of the distribution given; ω_i = X/R, X of Fejér's law.

    φ is convex and decreasing on t ≥ 0 with φ(0) = 1 and area E R. With `area` a, R is replaced by R·a/E R, so that
    the area is a. Density φ̂(ω_i)/2π in every coordinate, second moment infinite. Reference: Polya 1949.
    """

    name: ClassVar[str] = "polya"
    formula: ClassVar[str] = "∏ E max(0, 1 − |Δ_i| / R)"
    frequencies: ClassVar[str] = "X / R in every coordinate, X of Fejér's law (1 − cos x) / πx²"
    reference: ClassVar[str] = "Polya 1949"

    distribution: Positive = distribution()
    area: Scalar | None = real(None, above=0)

    def __post_init__(self) -> None:
        law = self.distribution
        if not isinstance(law, Positive):
            raise RangeError(
                f"polya() needs a distribution on (0, ∞), such as gamma(shape=2): {law} has mass below 0", law.span
            )
        low = law.support()[0]
        if holds(low < 0):
            raise RangeError(
                f"polya() needs a distribution on (0, ∞): {law} has mass below 0, down to {low:g}", law.span
            )
        if holds(law.mass_at_zero() > 0):
            raise RangeError(
                f"polya() needs a distribution on (0, ∞): {law} has mass at 0, where the triangle has no width",
                law.span,
            )
        if self.area is not None and holds(law.mean() == infinity(law.mean())):
            raise RangeError(f"the area cannot be set: it is the mean, and {law} has an infinite mean", self.span)

    @cached_property
    def law(self) -> Positive:
        """The law of R after it has been scaled to the area."""
        if self.area is None:
            return self.distribution
        return ScaledLaw(base=self.distribution, factor=self.area / self.distribution.mean())

    @property
    def length(self) -> Scalar | None:
        """The mean width; None where it is infinite."""
        mean = self.law.mean()
        return None if mean == infinity(mean) else mean

    @property
    def length_name(self) -> str:
        return "mean width"

    def pitch_law(self) -> Positive:
        return self.law

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return self.law.polya_kernel(np.abs(lag))

    def scaled_factor(self, lag: np.ndarray) -> Scaled:
        return far_out(self.factor(lag), np.abs(lag), self.law.log_polya_kernel)

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return self.law.polya_kernel_expression(sympy.Abs(lag))

    def tolerance(self) -> float:
        return self.law.tolerance()

    def decay_rate(self) -> Scalar:
        return self.law.decay_rate()

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return np.asarray(draw_fejer(stream, shape) / self.law.draw(stream, shape))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return self.law.polya_transform(frequency) / (2 * np.pi)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        return self.law.polya_transform_expression(frequency) / (2 * sympy.pi)

    def pieces(self, line: Line) -> Any | None:
        return self.law.polya_pieces(line)

    def simplest(self) -> Leaf:
        law = self.law
        if isinstance(law, GeneralizedGamma) and law.power() == 1 and law.order() == 2:
            return Laplace(scale=law.unit(), dim=self.dim, span=self.span)
        return self

    def frequency_variance(self) -> Scalar:
        return infinity(self.law.mean())
