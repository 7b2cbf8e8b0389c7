"""Laws given by their density or quantiles alone; everything else by quadrature and numerical inversion."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Distribution, Isotropic, Positive
from kernelspec.distributions.panels import Panels, QuantilePanels, density_panels, quantile_panels
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, declared
from kernelspec.expressions.elementary import undefined
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream

__all__ = ["FromDensity", "FromQuantile", "SymmetricFromDensity", "SymmetricFromQuantile"]

Law = TypeVar("Law", bound=Distribution)

_TOLERANCE = 1e-10
"""Error of the distribution function; other quantities are accurate in proportion if the density is smooth."""

_TOLERANCE_OF_QUANTILES = 1e-8

_CHECKED = np.array([0.05, 0.2, 0.4])  # probabilities at which quantiles are compared with their mirror images


@dataclass(frozen=True, kw_only=True)
class FromDensity(Positive):
    """A law on (0, ∞), or on its `support`, given by its density alone.

    Everything else is computed from about a thousand panels of Gauss–Legendre nodes, to 1e-10 of the distribution
    function. Closed forms that the class defines replace the computed ones.
    """

    powers: ClassVar[tuple[int, ...]] = (1, -1)
    """The moments to compute, if finite."""

    resolution: ClassVar[tuple[float, float]] = (1e-13, 1e-17)
    """Panels are halved until the halves agree with the whole: up to a share of its mass, and up to a probability."""

    def support(self) -> tuple[Scalar, Scalar]:
        return 0.0, math.inf

    def tolerance(self) -> float:
        return _TOLERANCE

    def mean(self) -> Scalar:
        return self._moment(1)

    def inverse_mean(self) -> Scalar:
        return self._moment(-1)

    def roughness(self) -> None:
        """Not known of a law in numbers."""

    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """r with P(R ≤ r) = p."""
        return self._panels.quantile(probability)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return np.clip(self.quantile(stream.uniform("quantile", shape)), SMALLEST, LARGEST)

    def density_expression(self, x: Any) -> Any:
        return sympy.Function(f"density_of_{self.name}")(x)

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        return self._panels.tents(np.asarray(lag, dtype=float))

    def polya_kernel_expression(self, lag: Any) -> Any:
        r = sympy.Symbol("r", positive=True)
        return sympy.Integral((1 - lag / r) * self.density_expression(r), (r, lag, sympy.oo))

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        return self._panels.transform(np.asarray(frequency, dtype=float))

    def polya_transform_expression(self, frequency: Any) -> Any:
        r = sympy.Symbol("r", positive=True)
        wave = (1 - sympy.cos(frequency * r)) / r * self.density_expression(r)
        return 2 / frequency**2 * sympy.Integral(wave, (r, 0, sympy.oo))

    @property
    def _panels(self) -> Panels:
        return _panels_of(self)

    def _moment(self, power: int) -> Scalar:
        """A number if all parameters are numbers, exact or not; NaN if one is a symbol."""
        law = _in_numbers(self)
        return undefined(*_parameters(self).values()) if law is None else law._panels.moments[power]


def _parameters(law: Distribution) -> dict[str, Any]:
    return {name: getattr(law, name) for name in declared(type(law))}


def _in_numbers(law: Law) -> Law | None:
    """The law with floats for its parameters; None if one of them is a symbol."""
    try:
        numbers: dict[str, Any] = {name: float(value) for name, value in _parameters(law).items()}
    except TypeError:
        return None
    return replace(law, **numbers)


@dataclass(frozen=True, kw_only=True)
class FromQuantile(FromDensity):
    """A law on (0, ∞), or on an interval in it, given by its quantiles alone: a smooth increasing function.

    The density is computed from polynomials through the quantiles, to 1e-8, and everything else from the density; draws
    are quantiles of uniform numbers.
    """

    resolution: ClassVar[tuple[float, float]] = (1e-9, 1e-12)

    @abstractmethod
    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """r with P(R ≤ r) = p, for p from 0 to 1."""

    def support(self) -> tuple[Scalar, Scalar]:
        law = _in_numbers(self)
        if law is None:
            return 0.0, math.inf
        with np.errstate(all="ignore"):
            low, high = np.asarray(law.quantile(np.array([0.0, 1.0])), dtype=float).tolist()
        return (low if math.isfinite(low) else 0.0), (high if math.isfinite(high) else math.inf)

    def tolerance(self) -> float:
        return _TOLERANCE_OF_QUANTILES

    def density(self, x: np.ndarray) -> np.ndarray:
        return _quantiles_of(self).density(np.asarray(x, dtype=float))


@dataclass(frozen=True, kw_only=True)
class SymmetricFromDensity(Isotropic):
    """A law on the line, symmetric about zero, given by its density alone, for kernels on single columns.

    Transform, second moment and draws are computed, to 1e-10 of the distribution function.
    """

    largest_dim: ClassVar[int | None] = 1
    reason: ClassVar[str] = "the law is known in numbers alone, and on a line"

    @abstractmethod
    def density(self, x: np.ndarray) -> np.ndarray:
        """The density as floats."""

    def tolerance(self) -> float:
        return _TOLERANCE

    def mean(self) -> Scalar:
        return 0.0

    def second_moment(self) -> Scalar:
        law = _in_numbers(self)
        return undefined(*_parameters(self).values()) if law is None else law.modulus.panels.moments[2]

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        return self.modulus.panels.cosine(np.asarray(t, dtype=float))

    def characteristic_function_expression(self, t: Any) -> Any:
        x = sympy.Symbol("x", positive=True)
        return 2 * sympy.Integral(sympy.cos(t * x) * self.density_expression(x), (x, 0, sympy.oo))

    def density_expression(self, x: Any) -> Any:
        return sympy.Function(f"density_of_{self.name}")(x)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        size = self.modulus.draw(stream, shape)
        return np.where(stream.generator("sign").random(shape) < 0.5, -size, size)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        return self.draw(stream, (n, dim))

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        return self.density(radius)

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        return self.density_expression(radius)

    @property
    def modulus(self) -> Modulus:
        """The law of |X|."""
        return Modulus(law=self, span=self.span)


@dataclass(frozen=True, kw_only=True)
class SymmetricFromQuantile(SymmetricFromDensity):
    """A law on the line, symmetric about zero, given by its quantiles alone: a smooth increasing function.

    The density is computed from polynomials through the quantiles, to 1e-8, and everything else from the density; draws
    are quantiles of uniform numbers.
    """

    @abstractmethod
    def quantile(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """x with P(X ≤ x) = p, for p from 0 to 1."""

    def tolerance(self) -> float:
        return _TOLERANCE_OF_QUANTILES

    def density(self, x: np.ndarray) -> np.ndarray:
        return _quantiles_of(self).density(np.abs(np.asarray(x, dtype=float))) / 2

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return np.clip(self.quantile(stream.uniform("quantile", shape)), -LARGEST, LARGEST)


@dataclass(frozen=True, kw_only=True)
class Modulus(FromDensity):
    """|X| of a symmetric law. Raises RangeError on evaluation if the law is not symmetric about zero."""

    name: ClassVar[str] = "modulus"
    formula: ClassVar[str] = "2 p(x)"
    reference: ClassVar[str] = "change of variables"
    powers: ClassVar[tuple[int, ...]] = (2,)

    law: SymmetricFromDensity

    def __str__(self) -> str:
        return str(self.law)

    def support(self) -> tuple[Scalar, Scalar]:
        return 0.0, self.law.support()[1]

    @property
    def resolution(self) -> tuple[float, float]:  # type: ignore[override]
        own = isinstance(self.law, SymmetricFromQuantile)
        return FromQuantile.resolution if own else FromDensity.resolution

    @property
    def panels(self) -> Panels:
        """The density as panels."""
        return self._panels

    def density(self, x: np.ndarray) -> np.ndarray:
        values = self.law.density(x)
        if not np.allclose(values, self.law.density(-x), rtol=1e-9, atol=0, equal_nan=True):
            raise RangeError(f"the density of {self.law} is not the same at x and −x", self.law.span)
        return 2 * values


@lru_cache(maxsize=32)
def _panels_of(law: FromDensity) -> Panels:
    return density_panels(law, law.powers, *law.resolution)


@lru_cache(maxsize=32)
def _quantiles_of(law: FromQuantile | SymmetricFromQuantile) -> QuantilePanels:
    """Raises RangeError if quantiles jump, do not increase, or are not symmetric about zero where they must be.

    Quantiles of |X| are taken from the left end, where probabilities have full relative precision.
    """
    if isinstance(law, FromQuantile):
        return quantile_panels(law, lambda s: law.quantile(special.expit(s)), float(law.support()[0]), is_even=False)
    if not np.allclose(law.quantile(1 - _CHECKED), -law.quantile(_CHECKED), rtol=1e-9, atol=1e-12):
        raise RangeError(f"the quantiles of {law} are not those of a law that is symmetric about zero", law.span)
    return quantile_panels(law, lambda s: -law.quantile(special.expit(-s) / 2), 0.0, is_even=True)
