"""Products over the columns: laplace(), cauchy(), triangle() and sinc()."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity, known_sign
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic import monomial
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.stationary import Coordinatewise, Exponentials
from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Band, Falling, Fejer, Line, exponential_density, number
from kernelspec.special.elementary import floats, sinc
from kernelspec.special.exact_draws import draw_fejer, fejer_density

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive

__all__ = ["Cauchy", "Laplace", "Sho", "Sinc", "Triangle"]


@dataclass(frozen=True, kw_only=True)
class Laplace(Exponentials, Coordinatewise):
    """k(Δ) = exp(−‖Δ‖₁ / σ) on R^d, σ = `scale` > 0; every ω_i ~ Cauchy(0, 1/σ).

    Density ∏ σ / π(1 + σ²ω_i²). Second moment infinite. Reference: Rahimi and Recht 2007.
    """

    name: ClassVar[str] = "laplace"
    formula: ClassVar[str] = "exp(−‖Δ‖₁ / σ)"
    frequencies: ClassVar[str] = "Cauchy(0, 1/σ) in every coordinate"
    reference: ClassVar[str] = "Rahimi and Recht 2007"
    recognized_in: ClassVar[tuple[str, ...]] = ("product",)
    decay_limit: ClassVar[str] = "1/σ"

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-pairs.absolute_sum() / float(self.scale))

    def expression(self, pairs: Pairs) -> Any:
        return sympy.exp(-pairs.absolute_sum() / sympy.S(self.scale))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.exp(-np.abs(lag) / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        return sympy.exp(-sympy.Abs(lag) / sympy.S(self.scale))

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return np.tan(np.pi * (stream.uniform("angle", shape) - 0.5)) / float(self.scale)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return scale / (np.pi * (1 + np.square(scale * frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        scale = sympy.S(self.scale)
        return scale / (sympy.pi * (1 + scale**2 * frequency**2))


@dataclass(frozen=True, kw_only=True)
class Cauchy(Coordinatewise):
    """k(Δ) = ∏ 1 / (1 + Δ_i²/σ²) on R^d, σ = `scale` > 0; every ω_i ~ Laplace(0, 1/σ).

    Density ∏ (σ/2) exp(−σ|ω_i|). Second moment 2d/σ². Reference: Rahimi and Recht 2007.
    """

    name: ClassVar[str] = "cauchy"
    formula: ClassVar[str] = "∏ 1 / (1 + Δ_i²/σ²)"
    frequencies: ClassVar[str] = "Laplace(0, 1/σ) in every coordinate"
    reference: ClassVar[str] = "Rahimi and Recht 2007"
    recognized_in: ClassVar[tuple[str, ...]] = ("product",)
    is_round_at_zero: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True

    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        rate = monomial(1 / f - 1, t, 2)
        return None if rate is None else (1, {"scale": 1 / sympy.sqrt(rate)})

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.square(lag / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        return 1 / (1 + lag**2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return stream.laplace("laplace", shape) / float(self.scale)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        # a Laplace variable is the difference of two exponential ones, whose sums are gamma distributed
        shape = np.repeat(counts[:, None], self.dim, axis=1)
        rise, fall = (stream.generator(purpose).standard_gamma(shape) for purpose in ("rise", "fall"))
        return np.asarray((rise - fall) / float(self.scale))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray(0.5 * scale * np.exp(-scale * np.abs(frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        scale = sympy.S(self.scale)
        return scale / 2 * sympy.exp(-scale * sympy.Abs(frequency))

    def pieces(self, line: Line) -> Any:
        rate = line.number(self.scale)
        return line.spectral(line.decay([1], rate, rate / 2))

    def comparable_density(self, dim: int) -> Falling:
        return exponential_density(number(self.scale))

    def frequency_variance(self) -> Scalar:
        return 2 / self.scale**2


@dataclass(frozen=True, kw_only=True)
class Triangle(Coordinatewise):
    """k(Δ) = ∏ max(0, 1 − |Δ_i|/c) on R^d, c = `width` > 0; every ω_i of Fejér density (1 − cos cω)/(πcω²).

    Second moment infinite. Positive definite as a product over columns; the tent of ‖Δ‖₂ is not for d ≥ 2.
    Reference: Feller 1971, section XV.2.
    """

    name: ClassVar[str] = "triangle"
    formula: ClassVar[str] = "∏ max(0, 1 − |Δ_i| / c)"
    frequencies: ClassVar[str] = "Fejér, (1 − cos cω) / (πcω²), in every coordinate"
    reference: ClassVar[str] = "Feller 1971, section XV.2"
    recognized_in: ClassVar[tuple[str, ...]] = ("product", "radial on a line")

    width: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        if f.func is not sympy.Max or len(f.args) != 2 or sympy.S.Zero not in f.args:
            return None
        (side,) = (part for part in f.args if part != 0)
        start = side.subs(t, 0)
        rate = monomial(1 - side / start, t, 1) if start.is_positive else None
        return None if rate is None else (start, {"width": 1 / rate})

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.maximum(0, 1 - np.abs(lag) / float(self.width)))

    def factor_expression(self, lag: Any) -> Any:
        return sympy.Max(0, 1 - sympy.Abs(lag) / sympy.S(self.width))

    def decay_rate(self) -> Scalar:
        return infinity(self.width)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return draw_fejer(stream, shape) / float(self.width)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        width = float(self.width)
        return width * fejer_density(width * frequency)

    def factor_density_expression(self, frequency: Any) -> Any:
        width = sympy.S(self.width)
        return width / (2 * sympy.pi) * sympy.sinc(width * frequency / 2) ** 2

    def pieces(self, line: Line) -> Any:
        return line.tents([(line.number(self.width), line.number(1))])

    def comparable_density(self, dim: int) -> Fejer:
        return Fejer(number(self.width))

    def frequency_variance(self) -> Scalar:
        return infinity(self.width)

    def pitch_law(self) -> Positive:
        from kernelspec.distributions.discrete import Discrete

        return Discrete(values=(self.width,), weights=(1,))


@dataclass(frozen=True, kw_only=True)
class Sinc(Coordinatewise):
    """k(Δ) = ∏ sin(bΔ_i) / (bΔ_i) on R^d, b = `bandwidth` > 0; every ω_i ~ U(−b, b).

    Density (2b)^{−d} on the cube. Second moment db²/3. Reference: Tobar 2019.
    """

    name: ClassVar[str] = "sinc"
    formula: ClassVar[str] = "∏ sin(bΔ_i) / (bΔ_i)"
    frequencies: ClassVar[str] = "U(−b, b) in every coordinate"
    reference: ClassVar[str] = "Tobar 2019"
    recognized_in: ClassVar[tuple[str, ...]] = ("product", "radial on a line")
    is_analytic: ClassVar[bool] = True

    bandwidth: Scalar = real(1, above=0)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        for wave in f.atoms(sympy.sin):
            rate = monomial(wave.args[0], t, 1)
            size = None if rate is None else monomial(f * t / wave, t, 0)
            if size is not None:
                return size * rate, {"bandwidth": rate}
        return None

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return sinc(self.bandwidth * lag)

    def factor_expression(self, lag: Any) -> Any:
        return sympy.sinc(sympy.S(self.bandwidth) * lag)

    def product_density(self, other: Stationary, omega: Any) -> Any | None:
        """Two boxes give a trapezium, whichever is wider; other kernels know their mass between two frequencies."""
        if not isinstance(other, Sinc):
            return other.product_density(self, omega)
        a, b = sympy.S(self.bandwidth), sympy.S(other.bandwidth)
        return sympy.Max(0, sympy.Min(2 * a, 2 * b, a + b - sympy.Abs(omega))) / (4 * a * b)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return float(self.bandwidth) * (2 * stream.uniform("uniform", shape) - 1)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return np.where(np.abs(frequency) <= self.bandwidth, 0.5 / self.bandwidth, 0.0)

    def factor_density_expression(self, frequency: Any) -> Any:
        bandwidth = sympy.S(self.bandwidth)
        return sympy.Piecewise((1 / (2 * bandwidth), sympy.Abs(frequency) <= bandwidth), (0, True))

    def pieces(self, line: Line) -> Any:
        return line.band(self.bandwidth)

    def comparable_density(self, dim: int) -> Band:
        return Band(number(self.bandwidth))

    def frequency_variance(self) -> Scalar:
        return self.bandwidth**2 / 3


@dataclass(frozen=True, kw_only=True)
class Sho(Coordinatewise):
    """k(Δ) = ∏ e^{−βt}(cos αt + (β/α) sin αt), t = |Δ_i|, β = ω₀/2Q, α² = ω₀² − β²: a damped oscillation.

    ω₀ = `frequency` > 0 and the quality Q = `quality` > 0: an overdamped one, with cosh and sinh, for Q < ½. Density
    ω₀³/(πQ ((ω² − ω₀²)² + ω²ω₀²/Q²)) in every coordinate, drawn by inversion of its distribution function. Second
    moment dω₀². Reference: Foreman-Mackey, Agol, Ambikasaran and Angus 2017, section 4.
    """

    name: ClassVar[str] = "sho"
    formula: ClassVar[str] = "∏ e^(−βt)(cos αt + (β/α) sin αt), t = |Δ_i|, β = ω₀/2Q, α² = ω₀² − β²"
    frequencies: ClassVar[str] = "of density ∝ 1/((ω² − ω₀²)² + ω²ω₀²/Q²) in every coordinate"
    reference: ClassVar[str] = "Foreman-Mackey, Agol, Ambikasaran and Angus 2017, section 4"

    frequency: Scalar = real(above=0)
    quality: Scalar = real(above=0, at_most=MAX_SHAPE)

    def roughness(self) -> float:
        return 3

    def factor(self, lag: np.ndarray) -> np.ndarray:
        beta, alpha = self._damping
        t = np.abs(lag)
        if abs(alpha) < _CRITICAL * beta:
            return floats(np.exp(-beta * t) * (1 + beta * t))
        if alpha.imag == 0:
            return floats(np.exp(-beta * t) * (np.cos(alpha.real * t) + beta / alpha.real * np.sin(alpha.real * t)))
        fast = beta + alpha.imag
        slow = float(self.frequency) ** 2 / fast
        return floats((fast * np.exp(-slow * t) - slow * np.exp(-fast * t)) / (fast - slow))

    def factor_expression(self, lag: Any) -> Any:
        t, omega, quality = sympy.Abs(lag), sympy.S(self.frequency), sympy.S(self.quality)
        beta = omega / (2 * quality)
        if known_sign(quality - sympy.S.Half) == 0:
            return sympy.exp(-beta * t) * (1 + beta * t)
        if known_sign(quality - sympy.S.Half) == -1:
            alpha = sympy.sqrt(beta**2 - omega**2)
            return sympy.exp(-beta * t) * (sympy.cosh(alpha * t) + beta / alpha * sympy.sinh(alpha * t))
        alpha = sympy.sqrt(omega**2 - beta**2)
        return sympy.exp(-beta * t) * (sympy.cos(alpha * t) + beta / alpha * sympy.sin(alpha * t))

    def slope_expression(self, lag: Any) -> Any:
        """The overdamped case, the wave, and where both are 0/0 a series in s = α²: it is even in α."""
        t, omega, quality = sympy.Abs(lag), sympy.S(self.frequency), sympy.S(self.quality)
        beta = omega / (2 * quality)
        square = omega**2 - beta**2
        alpha = sympy.sqrt(sympy.Abs(square))
        terms = [
            (-square) ** k * t ** (2 * k) / factorial(2 * k) * (1 + beta * t / (2 * k + 1)) for k in range(_N_TERMS)
        ]
        fast, slow = beta + alpha, omega**2 / (beta + alpha)
        return sympy.Piecewise(
            (sympy.exp(-beta * t) * sympy.Add(*terms), alpha < _NEARLY_CRITICAL * beta),
            ((fast * sympy.exp(-slow * t) - slow * sympy.exp(-fast * t)) / (fast - slow), square < 0),
            (sympy.exp(-beta * t) * (sympy.cos(alpha * t) + beta / alpha * sympy.sin(alpha * t)), True),
        )

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        """By bisection for the tangent of half the angle, to the last digits."""
        uniform = stream.uniform("quantile", shape)
        low, high = np.zeros(shape), np.full(shape, np.pi / 2)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self._distribution(np.tan(middle)) < np.abs(2 * uniform - 1)
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(np.sign(uniform - 0.5) * np.tan((low + high) / 2) * float(self.frequency))

    def _distribution(self, x: np.ndarray) -> np.ndarray:
        """P(|ω| ≤ ω₀ x)."""
        beta, alpha = self._damping
        beta, a = beta / float(self.frequency), abs(alpha) / float(self.frequency)
        if a < _CRITICAL * beta:
            return np.asarray(2 / np.pi * (np.arctan(x) + x / (1 + x**2)))
        if alpha.imag == 0:
            angles = np.arctan2(x - a, beta) + np.arctan2(x + a, beta)
            turn = np.log1p(4 * a * x / ((x - a) ** 2 + beta**2))
            return np.asarray((angles + beta / (2 * a) * turn) / np.pi)
        slow, fast = 1 / (beta + a), beta + a
        return np.asarray(2 / np.pi * (fast * np.arctan(x / slow) - slow * np.arctan(x / fast)) / (fast - slow))

    @property
    def _damping(self) -> tuple[float, complex]:
        """β, and α, which is imaginary for Q < ½."""
        omega, quality = float(self.frequency), float(self.quality)
        square = omega**2 * (quality - 0.5) * (quality + 0.5) / quality**2  # ω₀² − β² without cancellation
        root = np.sqrt(abs(square))
        return omega / (2 * quality), complex(0, root) if square < 0 else complex(root, 0)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        omega, quality = float(self.frequency), float(self.quality)
        x = np.square(frequency / omega)
        return np.asarray(1 / (omega * np.pi * quality * (np.square(x - 1) + x / quality**2)))

    def factor_density_expression(self, frequency: Any) -> Any:
        omega, quality = sympy.S(self.frequency), sympy.S(self.quality)
        bend = (frequency**2 - omega**2) ** 2 + frequency**2 * omega**2 / quality**2
        return omega**3 / (sympy.pi * quality * bend)

    def pieces(self, line: Line) -> Any | None:
        sign = known_sign(self.quality - Fraction(1, 2))
        if sign is None:
            return None
        omega, quality = line.number(self.frequency), line.number(self.quality)
        rate = omega / (2 * quality)
        if sign == 0:
            return line.decay([1, 1], omega)
        wave = line.root(sign * (omega**2 - rate**2))
        if sign > 0:
            return line.damped(rate, wave, rate / wave)
        slow, fast = rate - wave, rate + wave
        return line.total([(fast / (2 * wave), line.decay([1], slow)), (-slow / (2 * wave), line.decay([1], fast))])

    def frequency_variance(self) -> Scalar:
        return self.frequency**2


_CRITICAL, _HALVINGS = 1e-7, 60  # |α|/β below which the damping counts as critical; bisection steps for a quantile
_NEARLY_CRITICAL, _N_TERMS = 0.01, 4  # α/β below which derivatives use the series, with an error near 1e-14
