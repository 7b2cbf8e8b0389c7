"""The kernel whose spectral distribution is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Isotropic
from kernelspec.errors import DimensionError, RangeError
from kernelspec.expressions.arguments import Scalar, boolean, distribution
from kernelspec.expressions.elementary import root
from kernelspec.kernels.kernel import Verdict
from kernelspec.kernels.leaf import Stationary

if TYPE_CHECKING:
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.random.streams import Stream
    from kernelspec.special.closed_forms import Density, Line

__all__ = ["Bochner"]


@dataclass(frozen=True, kw_only=True)
class Bochner(Stationary):
    """k(Δ) = ∏ cf(Δ_i) on R^d: every ω_i has the law given, with characteristic function cf, independently.

    With `isotropic` k(Δ) = cf(‖Δ‖) and ω is the rotation-invariant law on R^d with that marginal, where one
    exists. The law must be symmetric: otherwise k is complex. Second moment d·E ω_i². Reference: Bochner 1932.
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
        import sympy

        from kernelspec.expressions.symbolic import half_matern_order

        size, nu, rate = half_matern_order(f, t) or (None, None, None)
        if size is None:
            return None
        return size, {"distribution": ("student_t", {"dof": 2 * nu, "scale": rate / sympy.sqrt(2 * nu)})}

    def __post_init__(self) -> None:
        law = self.distribution
        if not law.is_symmetric:
            raise RangeError(
                f"bochner() needs a distribution that is symmetric about zero: with {law} the kernel would be complex",
                self.span,
            )
        if self.isotropic and isinstance(self.dim, int) and law.largest_dim is not None and self.dim > law.largest_dim:
            raise DimensionError(
                f"no rotation-invariant law on {self.dim} columns has the marginal {law}: {law.reason}; "
                f"leave out isotropic, or select at most {law.largest_dim} columns",
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
        import sympy

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

    def band(self) -> Scalar | None:
        return None if self.isotropic and self.dim != 1 else self.distribution.band()

    def frequency_variance(self) -> Scalar:
        return self.distribution.second_moment()

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        if self.isotropic:
            return self.distribution.isotropic_density(np.sqrt(frequencies.squared_norm()), frequencies.dim)
        return frequencies.product(self.distribution.density)

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

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
