"""The uniform law on an interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import Isotropic, Positive
from kernelspec.errors import DimensionError, NoDensityError, RangeError
from kernelspec.expressions.arguments import Scalar, real
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Band, Line, number
from kernelspec.special.elementary import sinc

__all__ = ["Uniform", "cosine_integral_gap", "excess_over_log"]

_FEW_WAVES = 8.0
_NODES = 32


@dataclass(frozen=True, kw_only=True)
class Uniform(Isotropic, Positive):
    """U(a, b), a = `low` < b = `high`: density 1/(b − a), E cos tX = cos((a+b)t/2) sin((b−a)t/2) / ((b−a)t/2).

    For a ≥ 0 the Polya kernel is φ(t) = 1 − t E[1/R] up to a and (b − t − t ln(b/t)) / (b − a) from a to b, with E[1/R]
    = ln(b/a) / (b − a), infinite for a = 0; φ̂(ω) = (2/ω²)(Cin bω − Cin aω) / (b − a), Cin x = ∫₀^x (1 − cos u)/u du.
    Second moment (a² + ab + b²)/3. Symmetric for a = −b: the law in R^d is then the uniform law on the sphere of radius
    b for d = 3 [Archimedes] and its projection 1/(2πb√(b² − r²)) on the disc for d = 2; no such law exists for d ≥ 4.
    Reference: Schoenberg 1938.
    """

    name: ClassVar[str] = "uniform"
    formula: ClassVar[str] = "1 / (b − a) on (a, b)"
    reference: ClassVar[str] = "Schoenberg 1938"
    largest_dim: ClassVar[int | None] = 3
    reason: ClassVar[str] = (
        "sin(b‖Δ‖)/(b‖Δ‖) is the transform of the uniform law on a sphere of R³; a rotation-invariant law on R⁴ or "
        "more would project onto that sphere, but its projections have densities [Schoenberg 1938]"
    )

    low: Scalar = real()
    high: Scalar = real()

    def __post_init__(self) -> None:
        if holds(self.high <= self.low):
            raise RangeError(f"uniform() needs low < high, not low={self.low} and high={self.high}", self.span)

    @property
    def is_symmetric(self) -> bool:
        total = self.low + self.high
        return bool(total == 0 or (isinstance(total, float) and isnan(total)))  # NaN stands for a symbol

    def support(self) -> tuple[Scalar, Scalar]:
        return self.low, self.high

    def mean(self) -> Scalar:
        return (self.low + self.high) / 2

    def second_moment(self) -> Scalar:
        return (self.low**2 + self.low * self.high + self.high**2) / 3

    def kernel_pieces(self, line: Line) -> Any:
        return line.band(self.high)

    def comparable_density(self, dim: int) -> Band | None:
        return Band(number(self.high)) if dim == 1 else None

    def density(self, x: np.ndarray) -> np.ndarray:
        return np.where((x >= self.low) & (x <= self.high), 1 / (self.high - self.low), 0.0)

    def density_expression(self, x: Any) -> Any:
        inside = sympy.And(x >= self.low, x <= self.high)
        return sympy.Piecewise((1 / (sympy.S(self.high) - self.low), inside), (0, True))

    def characteristic_function(self, t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        return np.asarray(np.cos(t * float(self.mean())) * sinc(t * (float(self.high - self.low) / 2)))

    def characteristic_function_expression(self, t: Any) -> Any:
        low, high = sympy.S(self.low), sympy.S(self.high)
        return sympy.cos(t * (low + high) / 2) * sympy.sinc(t * (high - low) / 2)

    def roughness(self) -> float:
        return 1.0  # with a logarithm for a = 0

    def inverse_mean(self) -> Scalar:
        if isinstance(self.low, int | float) and isinstance(self.high, int | float):
            if self.low <= 0:
                return infinity(self.low)
            return float(np.log1p((self.high - self.low) / self.low) / (self.high - self.low))
        low, high = sympy.S(self.low), sympy.S(self.high)
        return sympy.Piecewise((sympy.log(high / low) / (high - low), low > 0), (sympy.oo, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        lag = np.asarray(lag, dtype=float)
        low, high = float(self.low), float(self.high)
        from_low = np.clip(lag, low, high)
        place = np.where(from_low > 0, from_low, high)
        # b − t − t ln(b/t) = t (e − ln(1 + e)), e = (b − t)/t; below a it continues along the tangent
        rest = np.where(from_low > 0, place * excess_over_log((high - place) / place), high)
        with np.errstate(divide="ignore"):
            slope = np.where(lag < low, np.log1p((high - low) / np.float64(low)), 0.0)
        return np.asarray(np.minimum((rest + (from_low - np.minimum(lag, from_low)) * slope) / (high - low), 1.0))

    def polya_kernel_expression(self, lag: Any) -> Any:
        low, high = sympy.S(self.low), sympy.S(self.high)
        inside = (high - lag - lag * sympy.log(high / lag)) / (high - low)
        pieces = [(1, sympy.Eq(lag, 0))]
        if not low.is_zero:
            pieces.append((1 - lag * sympy.log(high / low) / (high - low), lag < low))
        return sympy.Piecewise(*pieces, (inside, lag < high), (0, True))

    def polya_logarithms(self, line: Line, unit: Scalar = 1) -> list[Any] | None:
        low, high = sympy.S(self.low) * unit, sympy.S(self.high) * unit
        if not (low.is_zero or low.is_positive):
            return None
        size = 1 / (high - low)
        below = [] if low.is_zero else [(0, low, (1, -size * sympy.log(high / low)))]
        plain = line.polynomials([*below, (low, high, (size * high, -size * (1 + sympy.log(high))))])
        return [plain, line.polynomials([(low, high, (0, size))])]

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        frequency = np.abs(np.asarray(frequency, dtype=float))
        low, high = float(self.low), float(self.high)
        slow = frequency * (high - low) <= _FEW_WAVES
        values = np.empty(frequency.shape)
        middle, half = (low + high) / 2, (high - low) / 2
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        values[slow] = sum(
            weight / 2 * r * np.square(sinc(frequency[slow] * (r / 2)))
            for r, weight in zip(middle + half * nodes, weights, strict=True)
        )
        w = frequency[~slow]
        values[~slow] = 2 / w * (cosine_integral_gap(low * w, high * w) / (w * (high - low)))
        return values

    def polya_transform_expression(self, frequency: Any) -> Any:
        low, high, w = sympy.S(self.low), sympy.S(self.high), sympy.Abs(frequency)
        from_zero = sympy.EulerGamma + sympy.log(high * w) - sympy.Ci(high * w)
        if low.is_zero:
            gap = from_zero
        else:  # a symbolic low may or may not be zero
            between = sympy.log(high / low) - sympy.Ci(high * w) + sympy.Ci(low * w)
            gap = sympy.Piecewise((between, low > 0), (from_zero, True))
        return sympy.Piecewise(((low + high) / 2, sympy.Eq(w, 0)), (2 * gap / (w**2 * (high - low)), True))

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        return float(self.low) + float(self.high - self.low) * stream.uniforms("uniform", shape)

    def draw_isotropic(self, stream: Stream, n: int, dim: int) -> np.ndarray:
        if dim > 3:
            raise DimensionError(f"no rotation-invariant law on R^{dim} has the marginal {self}: {self.reason}")
        normal = stream.generator("normal").standard_normal((n, 3))
        sphere = normal / np.sqrt(np.square(normal).sum(axis=1, keepdims=True))
        return np.asarray(float(self.high) * sphere[:, :dim])

    def isotropic_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        absent = self.without_isotropic_density(dim)
        if absent is not None:
            raise NoDensityError(absent)
        radius = np.asarray(radius, dtype=float)
        if dim == 1:
            return self.density(radius)
        b = self.high
        with np.errstate(divide="ignore", invalid="ignore"):
            values = 1 / (2 * np.pi * b * np.sqrt((b - radius) * (b + radius)))
        return np.where(radius <= b, values, 0.0)

    def isotropic_density_expression(self, radius: Any, dim: Scalar) -> Any:
        b = sympy.S(self.high)
        if dim == 1:
            return self.density_expression(radius)
        if dim == 2:
            values = 1 / (2 * sympy.pi * b * sympy.sqrt(b**2 - radius**2))
            return sympy.Piecewise((values, radius < b), (0, True))
        if dim == 3:
            return sympy.DiracDelta(radius - b) / (4 * sympy.pi * b**2)
        raise NoDensityError(f"the law with a uniform marginal depends on the dimension: {self.reason}")

    def without_isotropic_density(self, dim: Scalar) -> str | None:
        if dim == 3:
            return f"the spectral measure is uniform on the sphere of radius {self.high}, which has no volume"
        if isinstance(dim, int) and dim > 3:
            return f"no rotation-invariant law on R^{dim} has the marginal {self}: {self.reason}"
        return None


_COSINE_TERMS = 14


def excess_over_log(x: np.ndarray) -> np.ndarray:
    """x − ln(1 + x) for x ≥ 0, to a relative error of 1e-15.

    Up to x = ½ with r = x/(2 + x): ln(1 + x) = 2 artanh r and x − 2r = xr, so it is r(x − 2(r²/3 + r⁴/5 + …)).
    """
    x = np.asarray(x, dtype=float)
    small = np.minimum(x, 0.5)
    r = small / (2 + small)
    series = np.zeros_like(r)
    for k in range(_COSINE_TERMS, 0, -1):
        series = np.square(r) * (1 / (2 * k + 1) + series)
    return np.asarray(np.where(x <= 0.5, r * (small - 2 * series), x - np.log1p(x)))


def cosine_integral_gap(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """∫_low^high (1 − cos u)/u du for 0 ≤ low and high ≥ low + 8, to a relative error of 1e-14 [DLMF 6.2.13]."""
    far = low >= 1
    outer, inner = np.where(far, low, 1.0), np.where(far, 0.0, low)
    beyond = np.log1p((high - outer) / outer) - (special.sici(high)[1] - special.sici(outer)[1])
    # from low to 1 by the cosine's series, (x^{2k} − low^{2k}) / (2k (2k)!) with alternating signs
    series, factor = np.zeros_like(inner), np.ones_like(inner)
    for k in range(1, _COSINE_TERMS):
        factor = -factor / ((2 * k - 1) * (2 * k))
        series -= factor * (1 - inner ** (2 * k)) / (2 * k)
    return np.asarray(beyond + np.where(far, 0.0, series))
