"""Products over the columns: laplace(), cauchy(), triangle() and sinc()."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity
from kernelspec.kernels.stationary import Coordinatewise, Exponentials
from kernelspec.special.elementary import floats, sinc
from kernelspec.special.exact_draws import draw_fejer, fejer_density

if TYPE_CHECKING:
    from kernelspec.distributions.distribution import Positive
    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.special.closed_forms import Band, Falling, Fejer, Line

__all__ = ["Cauchy", "Laplace", "Sinc", "Triangle"]


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
        import sympy

        return sympy.exp(-pairs.absolute_sum() / sympy.S(self.scale))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.exp(-np.abs(lag) / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.exp(-sympy.Abs(lag) / sympy.S(self.scale))

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return np.tan(np.pi * (stream.uniform("angle", shape) - 0.5)) / float(self.scale)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return scale / (np.pi * (1 + np.square(scale * frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

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
    is_analytic: ClassVar[bool] = True

    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        import sympy

        from kernelspec.expressions.symbolic import monomial

        rate = monomial(1 / f - 1, t, 2)
        return None if rate is None else (1, {"scale": 1 / sympy.sqrt(rate)})

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂: near 0 the logarithm of k is quadratic."""
        return floats(np.sqrt(pairs.squared_norm()))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.square(lag / float(self.scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return 1 / (1 + lag**2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return stream.laplace("laplace", shape) / float(self.scale)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        # a Laplace variable is the difference of two exponential ones, whose sums have gamma laws
        shape = np.repeat(counts[:, None], self.dim, axis=1)
        rise, fall = (stream.generator(purpose).standard_gamma(shape) for purpose in ("rise", "fall"))
        return np.asarray((rise - fall) / float(self.scale))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        scale = float(self.scale)
        return np.asarray(0.5 * scale * np.exp(-scale * np.abs(frequency)))

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        scale = sympy.S(self.scale)
        return scale / 2 * sympy.exp(-scale * sympy.Abs(frequency))

    def pieces(self, line: Line) -> Any:
        rate = line.number(self.scale)
        return line.spectral(line.decay([1], rate, rate / 2))

    def comparable_density(self, dim: int) -> Falling:
        from kernelspec.special.closed_forms import exponential_density, number

        del dim
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
        import sympy

        from kernelspec.expressions.symbolic import monomial

        if f.func is not sympy.Max or len(f.args) != 2 or sympy.S.Zero not in f.args:
            return None
        (side,) = (part for part in f.args if part != 0)
        start = side.subs(t, 0)
        rate = monomial(1 - side / start, t, 1) if start.is_positive else None
        return None if rate is None else (start, {"width": 1 / rate})

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return floats(np.maximum(0, 1 - np.abs(lag) / float(self.width)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.Max(0, 1 - sympy.Abs(lag) / sympy.S(self.width))

    def decay_rate(self) -> Scalar:
        return infinity(self.width)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return draw_fejer(stream, shape) / float(self.width)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        width = float(self.width)
        return width * fejer_density(width * frequency)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        width = sympy.S(self.width)
        return width / (2 * sympy.pi) * sympy.sinc(width * frequency / 2) ** 2

    def pieces(self, line: Line) -> Any:
        return line.tents([(line.number(self.width), line.number(1))])

    def comparable_density(self, dim: int) -> Fejer:
        from kernelspec.special.closed_forms import Fejer, number

        del dim
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
        import sympy

        from kernelspec.expressions.symbolic import monomial

        for wave in f.atoms(sympy.sin):
            rate = monomial(wave.args[0], t, 1)
            size = None if rate is None else monomial(f * t / wave, t, 0)
            if size is not None:
                return size * rate, {"bandwidth": rate}
        return None

    def factor(self, lag: np.ndarray) -> np.ndarray:
        return sinc(self.bandwidth * lag)

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.sinc(sympy.S(self.bandwidth) * lag)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        return float(self.bandwidth) * (2 * stream.uniform("uniform", shape) - 1)

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        return np.where(np.abs(frequency) <= self.bandwidth, 0.5 / self.bandwidth, 0.0)

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        bandwidth = sympy.S(self.bandwidth)
        return sympy.Piecewise((1 / (2 * bandwidth), sympy.Abs(frequency) <= bandwidth), (0, True))

    def pieces(self, line: Line) -> Any:
        return line.band(self.bandwidth)

    def comparable_density(self, dim: int) -> Band:
        from kernelspec.special.closed_forms import Band, number

        del dim
        return Band(number(self.bandwidth))

    def frequency_variance(self) -> Scalar:
        return self.bandwidth**2 / 3
