"""Kernels of a distribution: polya() of random widths, and bochner() of random frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.distribution import Isotropic, Positive
from kernelspec.distributions.distribution import Scaled as ScaledLaw
from kernelspec.distributions.generalized_gamma import GeneralizedGamma
from kernelspec.errors import DimensionError, RangeError
from kernelspec.expressions.arguments import Scalar, boolean, distribution, real
from kernelspec.expressions.elementary import holds, infinity, root
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic import half_matern_order
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Density, Line
from kernelspec.special.elementary import Scaled, far_out
from kernelspec.special.exact_draws import draw_fejer

__all__ = ["Bochner", "Polya"]


@dataclass(frozen=True, kw_only=True)
class Polya(Coordinatewise):
    """k(Δ) = ∏ φ(Δ_i), φ(t) = E max(0, 1 − |t|/R), R > 0 from the given distribution; ω_i = X/R, X from Fejér's
    distribution.

    φ is convex and decreasing on t ≥ 0 with φ(0) = 1 and area E R. With `area` a, R is replaced by R·a/E R, so that the
    area is a. Density φ̂(ω_i)/2π in every coordinate, second moment infinite. Reference: Polya 1949.
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
        """The distribution of R after scaling to the area."""
        if self.area is None:
            return self.distribution
        return ScaledLaw(base=self.distribution, factor=self.area / self.distribution.mean())

    @property
    def length(self) -> Scalar | None:
        """The mean width; None if it is infinite."""
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
        return self.law.polya_transform_expression(frequency) / (2 * sympy.pi)

    def pieces(self, line: Line) -> Any | None:
        return self.law.polya_pieces(line)

    def logarithmic_pieces(self, line: Line, unit: Any = 1) -> list[Any] | None:
        return self.law.polya_logarithms(line, unit)

    def simplest(self) -> Leaf:
        order, power, unit = self.law.stacy() if isinstance(self.law, GeneralizedGamma) else (0, 0, 0)
        return Laplace(scale=unit, dim=self.dim, span=self.span) if (order, power) == (2, 1) else self

    def frequency_variance(self) -> Scalar:
        return infinity(self.law.mean())


@dataclass(frozen=True, kw_only=True)
class Bochner(Stationary):
    """k(Δ) = ∏ cf(Δ_i) on R^d: the ω_i are independent with the given distribution, with characteristic function cf.

    With `isotropic`, k(Δ) = cf(‖Δ‖) and ω has the rotation-invariant distribution on R^d with that marginal, if one
    exists. The distribution must be symmetric: otherwise k is complex. Second moment d·E ω_i². Reference: Bochner 1932.
    """

    name: ClassVar[str] = "bochner"
    formula: ClassVar[str] = "∏ cf(Δ_i), or cf(‖Δ‖₂)"
    frequencies: ClassVar[str] = "the distribution given, in every coordinate, or rotation-invariant"
    reference: ClassVar[str] = "Bochner 1932"
    recognized_in: ClassVar[tuple[str, ...]] = ("product",)

    distribution: Isotropic = distribution()
    isotropic: bool = boolean(False)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        """Matérn functions of half-integer order in every column, whose frequencies have Student's t."""
        found = half_matern_order(f, t)
        if found is None:
            return None
        scale = found.rate / sympy.sqrt(2 * found.nu)
        return found.size, {"distribution": ("student_t", {"dof": 2 * found.nu, "scale": scale})}

    def __post_init__(self) -> None:
        law = self.distribution
        if isinstance(law, Discrete):
            raise RangeError(
                "bochner() needs a distribution with a density, not discrete(): atoms at v and -v are the kernel "
                "cosine(by=v) of one column, as in 0.3*cosine(by=1) + 0.7*cosine(by=3)",
                self.span,
            )
        if not law.is_symmetric:
            raise RangeError(
                f"bochner() needs a distribution that is symmetric about zero: with {law} the kernel would be complex",
                self.span,
            )
        if self.isotropic and isinstance(self.dim, int) and law.largest_dim is not None and self.dim > law.largest_dim:
            raise DimensionError(
                f"no rotation-invariant law on {self.dim} columns has the marginal {law}: {law.reason}; "
                f"omit isotropic, or select at most {law.largest_dim} columns",
                self.span,
            )

    @property
    def has_independent_coordinates(self) -> bool:
        return not self.isotropic

    @property
    def is_radial(self) -> bool:
        return self.isotropic

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        if self.isotropic:
            return self.distribution.characteristic_function(np.sqrt(pairs.squared_norm()))
        return pairs.product(self.distribution.characteristic_function)

    def exponent(self, pairs: NumericPairs) -> np.ndarray | None:
        if self.isotropic:
            return self.distribution.log_characteristic_function(np.sqrt(pairs.squared_norm()))
        found: list[np.ndarray] = []

        def logarithm(lag: np.ndarray) -> np.ndarray:
            own = self.distribution.log_characteristic_function(lag)
            found.extend([] if own is None else [own])
            return np.ones(lag.shape)

        pairs.by_column(logarithm)
        return np.sum(found, axis=0) if found else None

    def expression(self, pairs: Pairs) -> Any:
        if self.isotropic:
            return self.distribution.characteristic_function_expression(root(sympy.S(pairs.squared_norm())))
        return pairs.product(self.distribution.characteristic_function_expression)

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        if self.isotropic:
            return self.distribution.draw_isotropic(stream, n, self.dim)
        return self.distribution.draw(stream, (n, self.dim))

    def pieces(self, line: Line) -> Any | None:
        return self.distribution.kernel_pieces(line)

    def comparable_density(self, dim: int) -> Density | None:
        return self.distribution.comparable_density(dim)

    def tolerance(self) -> float:
        return self.distribution.tolerance()

    def frequency_variance(self) -> Scalar:
        return self.distribution.second_moment()

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        if self.isotropic:
            return self.distribution.isotropic_density(np.sqrt(frequencies.squared_norm()), frequencies.dim)
        return frequencies.product(self.distribution.density)

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        if self.isotropic:
            radius = root(sympy.S(frequency.squared_norm()))
            return self.distribution.isotropic_density_expression(radius, frequency.dim)
        return frequency.product(self.distribution.density_expression)

    def without_density(self) -> str | None:
        return self.distribution.without_isotropic_density(self.dim) if self.isotropic else None

    def verdict(self) -> Verdict:
        law = self.distribution
        if self.isotropic and not isinstance(self.dim, int) and law.largest_dim is not None:
            return Verdict("unknown", (f"{self}: positive definite exactly for d ≤ {law.largest_dim}: {law.reason}",))
        return super().verdict()
