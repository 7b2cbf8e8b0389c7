"""The contract of a distribution on the line, shared helpers, and the distributions by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kernelspec.catalogue import DISTRIBUTIONS
from kernelspec.expressions.arguments import Scalar, call_text, declared
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.loading import Span, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Density, Line

__all__ = ["LARGEST", "SMALLEST", "Distribution", "Isotropic", "Positive", "Scaled", "load_distribution", "square_root"]


def square_root(value: Scalar, *parameters: Scalar) -> Scalar:
    """√value ≥ 0, of the same kind (float or SymPy) as the value and the parameters."""
    if all(isinstance(each, int | float) for each in (value, *parameters)):
        return math.sqrt(value)
    return sympy.sqrt(value)


@dataclass(frozen=True, kw_only=True)
class Distribution(ABC):
    """A law on the line with declared arguments: floats in numeric trees, SymPy expressions in symbolic ones."""

    span: Span | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str]
    formula: ClassVar[str]
    reference: ClassVar[str]

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether X and −X have the same law, for all values of the parameters that are still symbols."""

    @abstractmethod
    def support(self) -> tuple[Scalar, Scalar]:
        """The ends of the smallest closed interval that carries all the mass."""

    @abstractmethod
    def mean(self) -> Scalar:
        """E X; NaN if it does not exist."""

    @abstractmethod
    def density(self, x: np.ndarray) -> np.ndarray:
        """The density as floats. Raises NoDensityError for atoms."""

    @abstractmethod
    def density_expression(self, x: Any) -> Any:
        """The density in SymPy, with DiracDelta for atoms."""

    @abstractmethod
    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        """Exact independent draws; the first rows do not depend on how many follow."""

    def __str__(self) -> str:
        return call_text(self)


SMALLEST = 1e-280
LARGEST = 1e280
"""Draws are clipped to this range, so that R is never zero or infinite and quotients by it are finite."""


@dataclass(frozen=True, kw_only=True)
class Positive(Distribution):
    """The law of R > 0, with its Polya kernel φ(t) = E max(0, 1 − |t|/R), of area E R over the line.

    φ(t) = P(R > t) − t E[1/R; R > t] for t ≥ 0; its Fourier transform φ̂(ω) = ∫ e^{−iωt} φ(t) dt equals (2/ω²) E[(1 −
    cos Rω)/R], and E R at ω = 0. Reference: Feller 1971, section XV.3.
    """

    def support(self) -> tuple[Scalar, Scalar]:
        return 0, infinity(*(getattr(self, name) for name in declared(type(self))))

    @abstractmethod
    def inverse_mean(self) -> Scalar:
        """M = E[1/R]; infinite if there is too much mass near zero."""

    def roughness(self) -> float | None:
        """β with 1 − φ(t) ~ t^β as t → 0, up to a logarithm: 1 for a finite E[1/R]; None if that is not known."""
        inverse = self.inverse_mean()
        return 1.0 if holds(inverse < infinity(inverse)) else None

    def decay_rate(self) -> Scalar:
        """β₀ such that φ(t) e^{βt} is integrable for all β < β₀: ∞ for bounded R; 0 if unknown."""
        high = self.support()[1]
        return infinity(high) if holds(high < infinity(high)) else 0

    @abstractmethod
    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """φ(t) as floats for t ≥ 0, to a relative error of 1e-12 from t = 0 to the smallest values."""

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        """ln φ(t) at lags (n,) at which φ(t) underflows; −∞ where φ is 0.

        The default takes the logarithm of φ(t), for laws whose φ has a power tail or bounded support.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.polya_kernel(lag)))

    @abstractmethod
    def polya_kernel_expression(self, lag: Any) -> Any:
        """φ(t) in SymPy, for a non-negative expression t."""

    @abstractmethod
    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        """φ̂(ω) as floats for any real ω, to a relative error of 1e-12 unless 1 − Re cf cancels further."""

    @abstractmethod
    def polya_transform_expression(self, frequency: Any) -> Any:
        """φ̂(ω) in SymPy: a closed form if one is known, else an unevaluated integral."""

    def polya_pieces(self, line: Line) -> Any | None:
        """φ as piecewise polynomials times exponentials; None if it does not have this form."""
        return None

    def polya_logarithms(self, line: Line, unit: Scalar = 1) -> list[Any] | None:
        """The p_j of φ(t/unit) = Σ p_j(t) (log t)^j, piecewise polynomials; None if it does not have this form."""
        return None

    @property
    def is_symmetric(self) -> bool:
        return False

    def mass_at_zero(self) -> Scalar:
        """P(R = 0), which polya() does not allow."""
        return 0

    def unscaled(self) -> Positive:
        """The law before it was scaled to an area; by default, the law itself."""
        return self

    def tolerance(self) -> float:
        """Error of the distribution function that `draw` inverts: 0 for exact draws."""
        return 0.0


@dataclass(frozen=True, kw_only=True)
class Isotropic(Distribution):
    """A symmetric law whose characteristic function, at ‖t‖, is also one in R^d: a law that bochner() accepts.

    The law on R^d is then unique [Schoenberg 1938], and is this law for d = 1. If the property fails for large d,
    `largest_dim` bounds d and `reason` explains why. The characteristic function is E cos tX: the whole for symmetric
    laws, the real part for others.
    """

    largest_dim: ClassVar[int | None] = None
    reason: ClassVar[str] = ""

    @property
    def is_symmetric(self) -> bool:
        return True

    def support(self) -> tuple[Scalar, Scalar]:
        end = infinity(*(getattr(self, name) for name in declared(type(self))))
        return -end, end

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
        """ln E cos tX if it is an exponential that may underflow; None for other laws."""
        return None

    @abstractmethod
    def characteristic_function_expression(self, t: Any) -> Any:
        """E cos tX in SymPy."""

    @abstractmethod
    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        """n draws of the rotation-invariant law on R^dim with this marginal, (n, dim)."""

    @abstractmethod
    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        """Its density on R^dim at distance `radius` from the origin. Raises NoDensityError if it has none."""

    @abstractmethod
    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        """`isotropic_density` in SymPy."""

    def tolerance(self) -> float:
        """Error of the distribution function behind draws and transform: 0 for closed forms."""
        return 0.0

    def kernel_pieces(self, line: Line) -> Any | None:
        """The kernel on one column whose frequencies have this law, piecewise; None if neither it nor the density is
        closed.

        For symmetric laws only.
        """
        return None

    def comparable_density(self, dim: int) -> Density | None:
        """The density on R^dim in a form whose weighted sums have provable signs, to 30 digits; None without one."""
        return None

    def without_isotropic_density(self, dim: Scalar) -> str | None:
        """Why the law on R^dim has no density; None if it has one."""
        return None


@dataclass(frozen=True, kw_only=True)
class Scaled(Positive):
    """The law of c·R, c = `factor` > 0: φ(t/c), φ̂ = c φ̂(cω), mean c E R, and E[1/R]/c."""

    name: ClassVar[str] = "scaled"
    formula: ClassVar[str] = "p(x/c) / c"
    reference: ClassVar[str] = "change of variables"

    base: Positive
    factor: Scalar

    def validate(self) -> None:
        """Raise ValueError unless the factor is positive: a law loaded from a file may have any factor."""
        if not self.factor > 0:
            raise ValueError(f"the factor is {self.factor}")

    def unscaled(self) -> Positive:
        return self.base

    def support(self) -> tuple[Scalar, Scalar]:
        low, high = self.base.support()
        return self.factor * low, self.factor * high

    def decay_rate(self) -> Scalar:
        return self.base.decay_rate() / self.factor

    def tolerance(self) -> float:
        return self.base.tolerance()

    def polya_pieces(self, line: Line) -> Any | None:
        found = self.base.polya_pieces(line)
        return None if found is None else line.stretched(found, 1 / line.number(self.factor))

    def polya_logarithms(self, line: Line, unit: Scalar = 1) -> list[Any] | None:
        return self.base.polya_logarithms(line, unit * self.factor)

    def mean(self) -> Scalar:
        return self.factor * self.base.mean()

    def inverse_mean(self) -> Scalar:
        return self.base.inverse_mean() / self.factor

    def roughness(self) -> float | None:
        return self.base.roughness()

    def mass_at_zero(self) -> Scalar:
        return self.base.mass_at_zero()

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.base.density(np.asarray(x) / self.factor) / self.factor)

    def density_expression(self, x: Any) -> Any:
        return self.base.density_expression(x / self.factor) / self.factor

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self.base.polya_kernel(np.asarray(lag) / self.factor)

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self.base.log_polya_kernel(np.asarray(lag) / self.factor)

    def polya_kernel_expression(self, lag: Any) -> Any:
        return self.base.polya_kernel_expression(lag / self.factor)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return np.asarray(self.factor * self.base.polya_transform(self.factor * np.asarray(frequency)))

    def polya_transform_expression(self, frequency: Any) -> Any:
        return self.factor * self.base.polya_transform_expression(self.factor * frequency)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.clip(self.factor * self.base.draw(stream, shape), SMALLEST, LARGEST))


def load_distribution(name: str) -> type[Distribution]:
    """The class of a distribution."""
    found: type[Distribution] = DISTRIBUTIONS.load(name)
    return found
