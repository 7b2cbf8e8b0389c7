"""Bases of stationary kernels: functions of the distance, and products of one function over the columns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.catalogue import blame
from kernelspec.expressions.arguments import Scalar, length
from kernelspec.expressions.elementary import infinity, root
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic import stretched_exponential
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaf import Stationary
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Falling, Line, number, student_density
from kernelspec.special.elementary import Scaled

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive

__all__ = ["Coordinatewise", "Exponentials", "Radial"]


def _of_shape(kernel: Stationary, method: str, values: np.ndarray, argument: np.ndarray) -> np.ndarray:
    """The values of a method. Raises PluginError for a plug-in whose values do not have the shape of the argument."""
    if np.shape(values) not in ((), np.shape(argument)):
        blame((kernel,), f"{method}() of numbers of the shape {np.shape(argument)} has the shape {np.shape(values)}")
    return values


@dataclass(frozen=True, kw_only=True)
class Coordinatewise(Stationary):
    """k(Δ) = ∏ f(Δ_i), f a characteristic function on the line; ω has independent coordinates."""

    @abstractmethod
    def factor(self, lag: np.ndarray) -> np.ndarray:
        """f(t) as floats."""

    @abstractmethod
    def factor_expression(self, lag: Any) -> Any:
        """f(t) in SymPy."""

    def slope_expression(self, lag: Any) -> Any:
        """f(t) in a form whose derivatives by the arguments are finite for all of their values."""
        return self.factor_expression(lag)

    @abstractmethod
    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        """Independent draws of one coordinate of ω, in the given shape."""

    @abstractmethod
    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        """Density of one coordinate of ω. Raises NoDensityError for atoms."""

    @abstractmethod
    def factor_density_expression(self, frequency: Any) -> Any:
        """The same in SymPy, with DiracDelta for atoms."""

    @property
    def has_independent_coordinates(self) -> bool:
        return True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return pairs.product(lambda lag: _of_shape(self, "factor", self.factor(lag), lag))

    def scaled_factor(self, lag: np.ndarray) -> Scaled:
        """f(t) as m·e^s, even if it is too small for a float; by default f itself."""
        return Scaled.of(self.factor(lag))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        if self.exponent(pairs) is not None:
            return super().scaled_value(pairs)
        exponents = [np.zeros(())]

        def mantissa(lag: np.ndarray) -> np.ndarray:
            found = self.scaled_factor(lag)
            exponents.append(found.exponent)
            return found.mantissa

        product = Scaled.of(pairs.by_column(mantissa))
        return Scaled(product.mantissa, np.asarray(product.exponent + sum(exponents)))

    def expression(self, pairs: Pairs) -> Any:
        return pairs.product(self.factor_expression)

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        return self.draw_coordinates(stream, (n, self.dim))

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        return frequencies.product(lambda w: _of_shape(self, "factor_density", self.factor_density(w), w))

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        return frequency.product(self.factor_density_expression)


@dataclass(frozen=True, kw_only=True)
class Radial(Stationary):
    """k(Δ) = f(‖Δ‖) = E exp(−τ‖Δ‖²/2), so that ω | τ ~ N(0, τ I) in every dimension [Schoenberg 1938]."""

    is_round_at_zero: ClassVar[bool] = True

    @abstractmethod
    def profile(self, distance: np.ndarray) -> np.ndarray:
        """f(r) as floats."""

    @abstractmethod
    def profile_expression(self, distance: Any) -> Any:
        """f(r) in SymPy."""

    @abstractmethod
    def draw_variance(self, stream: Stream, n: int) -> np.ndarray | float:
        """n draws of τ, the variance of the coordinates of ω, (n,); or its only value."""

    @abstractmethod
    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        """Density of μ at ‖ω‖ = radius in `dim` dimensions."""

    @abstractmethod
    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        """The same in SymPy."""

    @property
    def is_radial(self) -> bool:
        return True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        distance = self.distance(pairs)
        return _of_shape(self, "profile", self.profile(distance), distance)

    def expression(self, pairs: Pairs) -> Any:
        return self.profile_expression(root(sympy.S(pairs.squared_norm())))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        normal = stream.normal("normal", (n, self.dim))
        variance = np.asarray(self.draw_variance(stream.in_blocks(self.dim), n))
        return np.asarray(normal * np.sqrt(variance if variance.ndim == 0 else variance[:, None]))

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        radius = np.sqrt(frequencies.squared_norm())
        return _of_shape(self, "radial_density", self.radial_density(radius, frequencies.dim), radius)

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        return self.radial_density_expression(root(sympy.S(frequency.squared_norm())), frequency.dim)


@dataclass(frozen=True, kw_only=True)
class Exponentials(Stationary):
    """What exp(−|Δ|/σ), σ = `scale` > 0, has in any norm: the Laplace kernel on one column; ω is Cauchy."""

    has_continued_density: ClassVar[bool] = True

    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        found = stretched_exponential(f, t)
        return None if found is None or found[1] != 1 else (1, {"scale": 1 / found[0]})

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return np.asarray(self.draw(stream, len(counts)) * counts[:, None])  # l Cauchy variables add up to l times one

    def decay_rate(self) -> Scalar:
        return 1 / self.scale

    def pieces(self, line: Line) -> Any:
        return line.decay([1], 1 / line.number(self.scale))

    def comparable_density(self, dim: int) -> Falling:
        return student_density(number(0.5), number(self.scale) ** 2, dim)

    def frequency_variance(self) -> Scalar:
        return infinity(self.scale)

    def pitch_law(self) -> Positive | None:
        """The law of the Laplace kernel; functions of the distance on several columns are not products."""
        if self.dim != 1 and not self.has_independent_coordinates:
            return None
        from kernelspec.distributions.gamma_family import Gamma

        return Gamma(shape=2, scale=self.scale)

    def raised(self, exponent: Scalar) -> Exponentials:
        return replace(self, scale=self.scale / exponent)

    def fuse(self, other: Stationary) -> Exponentials | None:
        if not isinstance(other, Exponentials) or type(other) is not type(self):
            return None
        return replace(self, scale=1 / (1 / self.scale + 1 / other.scale))
