"""Functions of the Euclidean distance: exponential(), matern(), powered_exponential() and rational_quadratic()."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lgamma, log, pi, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.distributions.distribution import square_root
from kernelspec.expressions.arguments import Scalar, length, real
from kernelspec.expressions.elementary import infinity, known_number, root
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic import half_matern_order, matern_size, monomial, power_of, stretched_exponential
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.coordinatewise import Laplace, Sinc
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.stationary import Exponentials, Radial
from kernelspec.limits import MAX_SHAPE, MAX_SIZE
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import (
    Falling,
    Line,
    bessel_density,
    exact_fraction,
    matern_weights,
    number,
    small_whole,
    student_density,
)
from kernelspec.special.elementary import (
    Scaled,
    as_exponent,
    floats,
    gamma_function,
    hypergeometric,
    log_bessel_density,
    log_gamma_ratio,
    matern_expression,
    matern_factors,
    matern_function,
    power,
)
from kernelspec.special.exact_draws import LARGEST_VARIANCE, draw_inverse_gamma, log_stable_mixture

__all__ = ["Exponential", "Matern", "PoweredExponential", "RationalQuadratic"]

_LARGEST_COMPARED = 100  # largest order of a rational quadratic kernel: Bessel functions need that many steps


@dataclass(frozen=True, kw_only=True)
class Exponential(Exponentials, Radial):
    """k(Δ) = exp(−‖Δ‖₂ / σ) on R^d, σ = `scale` > 0; ω ~ multivariate Cauchy(0, 1/σ), τ = 1/(σ²χ²₁).

    Density Γ((d+1)/2) π^{−(d+1)/2} σ^d (1 + σ²‖ω‖²)^{−(d+1)/2}. Second moment infinite.
    Reference: Rasmussen and Williams 2006, section 4.2 (Matérn of order ½).
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−‖Δ‖₂ / σ)"
    frequencies: ClassVar[str] = "multivariate Cauchy(0, 1/σ)"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    recognized_in: ClassVar[tuple[str, ...]] = ("radial",)
    decay_limit: ClassVar[str] = "1/ℓ"

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-np.sqrt(pairs.squared_norm()) / float(self.scale))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return np.exp(-distance / float(self.scale))

    def profile_expression(self, distance: Any) -> Any:
        return sympy.exp(-distance / sympy.S(self.scale))

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return draw_inverse_gamma(stream, "variance", 0.5, n) / float(self.scale) ** 2

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        half = (dim + 1) / 2
        constant = lgamma(half) - half * log(pi) + dim * log(self.scale)
        return np.exp(constant - half * np.log1p(np.square(float(self.scale) * radius)))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        scale, half = sympy.S(self.scale), (sympy.S(dim) + 1) / 2
        return sympy.gamma(half) / sympy.pi**half * scale**dim / (1 + scale**2 * radius**2) ** half

    def simplest(self) -> Leaf:
        return Laplace(scale=self.scale, dim=1, span=self.span) if self.dim == 1 else self


@dataclass(frozen=True, kw_only=True)
class Matern(Radial):
    """k(Δ) = 2^{1−ν} x^ν K_ν(x) / Γ(ν) with x = √(2ν) ‖Δ‖/ℓ on R^d, order ν = `nu` > 0, ℓ = `scale` > 0.

    ω ~ multivariate Student t of 2ν degrees of freedom and scale 1/ℓ, τ = ν / (ℓ² Gamma(ν, 1)). Density
    Γ(ν + d/2) / Γ(ν) · (ℓ²/2πν)^{d/2} (1 + ℓ²‖ω‖²/2ν)^{−ν−d/2}. Second moment dν / ((ν−1)ℓ²), infinite for
    ν ≤ 1. Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "matern"
    pieces_if: ClassVar[str] = ": it is one for half-integer orders up to 12"
    formula: ClassVar[str] = "2^{1−ν} x^ν K_ν(x) / Γ(ν), x = √(2ν) ‖Δ‖₂ / ℓ"
    frequencies: ClassVar[str] = "multivariate Student t, 2ν degrees of freedom, scale 1/ℓ"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    recognized_in: ClassVar[tuple[str, ...]] = ("radial",)
    has_continued_density: ClassVar[bool] = True
    decay_limit: ClassVar[str] = "√(2ν)/ℓ"

    nu: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        """r^ν K_ν(cr), and polynomials times e^{−cr} of half-integer order."""
        for bessel in f.atoms(sympy.besselk):
            nu, rate = bessel.args[0], monomial(bessel.args[1], t, 1)
            if rate is not None and not nu.has(t) and nu.is_positive and f == t**nu * bessel:
                return matern_size(nu, rate), {"nu": nu, "scale": sympy.sqrt(2 * nu) / rate}
        found = half_matern_order(f, t)
        return None if found is None else (found.size, {"nu": found.nu, "scale": sympy.sqrt(2 * found.nu) / found.rate})

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        x = np.sqrt(pairs.squared_norm()) * (sqrt(2 * self.nu) / float(self.scale))
        return Scaled(*matern_factors(self.nu, x))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return matern_function(self.nu, distance * (sqrt(2 * self.nu) / float(self.scale)))

    def profile_expression(self, distance: Any) -> Any:
        return matern_expression(self.nu, self.scale, distance)

    def raised(self, exponent: Scalar) -> Exponential | None:
        """For order ½ the kernel is e^{−‖Δ‖/ℓ}; powers of others are not catalogue kernels."""
        if 2 * self.nu != 1:
            return None
        return Exponential(scale=self.scale / exponent, dim=self.dim, span=self.span)

    def product_density(self, other: Stationary, omega: Any) -> Any | None:
        """Of the square: from ∫ t^{2ν} K_ν(t)² cos(ωt) dt, term by term in ω."""
        if other != self:
            return None
        nu, half, scale = sympy.S(self.nu), sympy.S.Half, sympy.S(self.scale)
        gamma, rate = sympy.gamma, sympy.sqrt(2 * nu) / scale
        size = 4**-nu * gamma(2 * nu + half) * gamma(nu + half) / (gamma(nu) ** 2 * gamma(nu + 1) * rate)
        return size * sympy.hyper((2 * nu + half, nu + half), (nu + 1,), -((omega / rate) ** 2) / 4)

    def roughness(self) -> float:
        return 2 * float(self.nu)

    def simplest(self) -> Leaf:
        return Exponential(scale=self.scale, dim=self.dim, span=self.span).simplest() if 2 * self.nu == 1 else self

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return draw_inverse_gamma(stream, "variance", self.nu, n) / float(self.scale) ** 2

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        nu, rate = float(self.nu), float(self.scale) ** 2 / (2 * float(self.nu))
        constant = log_gamma_ratio(nu, dim / 2) + dim / 2 * log(rate / pi)
        return np.asarray(np.exp(constant - (nu + dim / 2) * np.log1p(rate * np.square(radius))))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        nu, half = sympy.S(self.nu), sympy.S(dim) / 2
        rate = sympy.S(self.scale) ** 2 / (2 * nu)
        constant = sympy.gamma(nu + half) / sympy.gamma(nu) * (rate / sympy.pi) ** half
        return constant * (1 + rate * radius**2) ** (-nu - half)

    def decay_rate(self) -> Scalar:
        return root(2 * self.nu) / self.scale

    def pieces(self, line: Line) -> Any | None:
        weights = matern_weights(self.nu)
        if weights is None:
            return None
        return line.decay(weights, line.root(2 * line.number(exact_fraction(self.nu))) / line.number(self.scale))

    def comparable_density(self, dim: int) -> Falling:
        nu = number(self.nu)
        return student_density(nu, number(self.scale) ** 2 / (2 * nu), dim)

    def frequency_variance(self) -> Scalar:
        if isinstance(self.nu, int | float):
            return self.nu / ((self.nu - 1) * self.scale**2) if self.nu > 1 else infinity(self.nu, self.scale)
        return sympy.Piecewise((self.nu / ((self.nu - 1) * self.scale**2), self.nu > 1), (sympy.oo, True))


@dataclass(frozen=True, kw_only=True)
class PoweredExponential(Radial):
    """k(Δ) = exp(−(‖Δ‖/ℓ)^α) on R^d, 0 < α = `alpha` ≤ 2, ℓ = `scale` > 0; ω ~ symmetric α-stable.

    τ = 2A/ℓ² with A positive α/2-stable, E e^{−sA} = e^{−s^{α/2}} [Kanter 1975]. The density is elementary for α = 1
    and 2, has Fresnel functions for α = ½ on the line, hypergeometric ones for α = p/q > 1 with p ≤ 8, and is a Hankel
    integral otherwise.
    Second moment infinite, 2d/ℓ² for α = 2.
    Reference: Schoenberg 1938, also for why α > 2 is not positive definite.
    """

    name: ClassVar[str] = "powered_exponential"
    pieces_if: ClassVar[str] = ": it is one for alpha 1 and 2"
    density_if: ClassVar[str] = (
        "the density of a stable law is named for the orders 1/2 (on a line), 1 and 2, hypergeometric for p/q above 1 "
        "(here with p up to 8), and in general a Fox H-function [Feller 1971, section XVII.6]"
    )
    formula: ClassVar[str] = "exp(−(‖Δ‖₂ / ℓ)^α)"
    frequencies: ClassVar[str] = "N(0, 2A ℓ⁻² I) with A positive α/2-stable"
    reference: ClassVar[str] = "Schoenberg 1938; Kanter 1975"
    recognized_in: ClassVar[tuple[str, ...]] = ("radial",)

    alpha: Scalar = real(above=0, at_most=2)
    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        rate, alpha = stretched_exponential(f, t) or (0, sympy.S.Zero)
        if alpha in (0, 1, 2) or not (alpha.is_positive and (2 - alpha).is_positive):
            return None
        return 1, {"alpha": alpha, "scale": power_of(rate, -1 / alpha)}

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(-power(np.sqrt(pairs.squared_norm()) / float(self.scale), float(self.alpha)))

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return floats(np.exp(-power(distance / float(self.scale), float(self.alpha))))

    def profile_expression(self, distance: Any) -> Any:
        return sympy.exp(-((distance / sympy.S(self.scale)) ** sympy.S(self.alpha)))

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray | float:
        if self.alpha == 2:
            return 2 / float(self.scale) ** 2
        a = self.alpha / 2
        share = stream.uniform("angle", n)
        angle, sine = np.pi * share, np.sin(np.pi * np.minimum(share, 1 - share))  # sin angle, exact near π too
        exponential = stream.exponential("exponential", n)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            rest = (1 - a) / a * (np.log(np.sin((1 - a) * angle)) - np.log(exponential))
            stable = np.exp(np.log(np.sin(a * angle)) - np.log(sine) / a + rest)
            at_zero = a * ((1 - a) / exponential) ** ((1 - a) / a)
            variance = np.minimum(2 * np.where(share > 0, stable, at_zero), LARGEST_VARIANCE)
        return np.asarray(variance / float(self.scale) ** 2)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        """Stable distributions: l^(1/α) times one draw, with entries bounded by the root of the largest variance."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = self.draw(stream, len(counts)) * (counts.astype(float) ** (1 / float(self.alpha)))[:, None]
        largest = LARGEST_VARIANCE**0.5 / float(self.scale)
        return np.clip(np.nan_to_num(sums, nan=0.0), -largest, largest)

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        special = self._elementary()
        if special is not None:
            return special.radial_density(radius, dim)
        c = np.square(self.scale * np.asarray(radius) / 2)
        constant = dim / 2 * log(self.scale**2 / (4 * pi))
        return np.exp(constant + log_stable_mixture(self.alpha / 2, c, dim))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        special = self._elementary()
        if special is not None:
            return special.radial_density_expression(radius, dim)
        r = sympy.Symbol("r", positive=True)
        kernel, half = self.profile_expression(r), sympy.S(dim) / 2
        closed = _stable_density(self._exact_order(), self.scale * radius, dim)
        if closed is not None:
            return sympy.S(self.scale) ** dim * closed
        if dim == 1:
            return sympy.Integral(kernel * sympy.cos(radius * r), (r, 0, sympy.oo)) / sympy.pi
        integral = sympy.Integral(kernel * sympy.besselj(half - 1, radius * r) * r**half, (r, 0, sympy.oo))
        return (2 * sympy.pi) ** -half * radius ** (1 - half) * integral

    def pieces(self, line: Line) -> Any | None:
        if self.alpha == 2:
            return line.bell(line.number(self.scale) / line.root(line.number(2)))
        special = self._elementary()
        return None if special is None else special.pieces(line)

    def frequency_variance(self) -> Scalar:
        if self.alpha == 2:
            return 2 / self.scale**2
        if isinstance(self.alpha, int | float) or not self.alpha.free_symbols:
            return infinity(self.alpha, self.scale)
        return sympy.Piecewise((2 / self.scale**2, sympy.Eq(self.alpha, 2)), (sympy.oo, True))

    def fuse(self, other: Stationary) -> PoweredExponential | None:
        if not isinstance(other, PoweredExponential) or other.alpha != self.alpha:
            return None
        rate = self.scale**-self.alpha + other.scale**-self.alpha
        try:
            scale = rate ** (-1 / self.alpha)
        except OverflowError:
            return None
        size = known_number(scale)
        if size is not None and not 1 / MAX_SIZE <= size <= MAX_SIZE:
            return None  # tiny orders are too small or too large
        return PoweredExponential(alpha=self.alpha, scale=scale, dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> PoweredExponential:
        scale = self.scale * exponent ** (-1 / self.alpha)
        return PoweredExponential(alpha=self.alpha, scale=scale, dim=self.dim, span=self.span)

    def roughness(self) -> float:
        return math.inf if self.alpha == 2 else float(self.alpha)

    def simplest(self) -> Leaf:
        if self.alpha == 1:
            return Exponential(scale=self.scale, dim=self.dim, span=self.span).simplest()
        if self.alpha == 2:
            return Gaussian(scale=self.scale / square_root(2, self.scale), dim=self.dim, span=self.span)
        return self

    def product_density(self, other: Stationary, omega: Any) -> Any | None:
        """With sinc(a), the mean of the density over (ω − a, ω + a)."""
        if not isinstance(other, Sinc):
            return None
        scale, width = sympy.S(self.scale), sympy.S(other.bandwidth)
        ends = [_stable_density(self._exact_order(), scale * (omega + end), 1, mass=True) for end in (width, -width)]
        return None if ends[0] is None else (ends[0] - ends[1]) / (2 * width)

    def _exact_order(self) -> Any:
        near = Fraction(self.alpha).limit_denominator(_LARGEST_NUMERATOR) if isinstance(self.alpha, float) else None
        return sympy.S(self.alpha if near is None or float(near) != self.alpha else near)

    def _elementary(self) -> Radial | None:
        if self.alpha == 1:
            return Exponential(scale=self.scale, dim=self.dim)
        if self.alpha == 2:
            return Gaussian(scale=(2 * self.scale**-2) ** Fraction(-1, 2), dim=self.dim)
        return None


_LARGEST_NUMERATOR = 8  # of orders α = p/q with hypergeometric densities, which have up to p terms


def _stable_density(order: Any, x: Any, dim: Scalar, mass: bool = False) -> Any | None:
    """The density in d columns at ‖ω‖ = x of the law with E e^{iΔ·ω} = e^{−‖Δ‖^α}; None if it has no closed form here.

    For α = ½ on one column by Fresnel functions [Nolan 2020, section 1.5]. For α = p/q > 1 the Hankel transform term by
    term, 2/(α (4π)^{d/2}) Σ (−1)ⁿ Γ((2n + d)/α) / (n! Γ(n + d/2)) (x/2)^{2n} [Feller 1971, section XVII.6]: the terms
    n = j, j + s, j + 2s, … are one hypergeometric function, by Gauss's multiplication formula. With `mass`, ∫_0^x of
    the density on one column.
    """
    if order == sympy.Rational(1, 2) and dim == 1 and not mass:
        place, angle = 1 / sympy.sqrt(2 * sympy.pi * x), 1 / (4 * x)
        waves = sympy.cos(angle) * (1 - 2 * sympy.fresnelc(place)) + sympy.sin(angle) * (1 - 2 * sympy.fresnels(place))
        beside_zero = waves / (2 * sympy.sqrt(2 * sympy.pi) * x * sympy.sqrt(x))
        return sympy.Piecewise((2 / sympy.pi, sympy.Eq(x, 0)), (beside_zero, True))
    if not (order.is_Rational and 1 < order < 2 and order.p <= _LARGEST_NUMERATOR):
        return None
    step = order.p // math.gcd(2 * order.q, order.p)
    rise, half, terms = 2 * order.q * step // order.p, sympy.S(dim) / 2, []
    argument = sympy.S(-1) ** step * sympy.S(rise) ** rise / sympy.S(step) ** (2 * step) * (x / 2) ** (2 * step)
    for j in range(step):
        above = [((2 * j + dim) / order + i) / rise for i in range(rise)]
        below = [(j + start + i) / step for start in (sympy.S(1), half) for i in range(step)]
        below.remove(sympy.S(1))
        size = (-1) ** j * sympy.gamma((2 * j + dim) / order) / (sympy.factorial(j) * sympy.gamma(j + half))
        size *= (x / 2) ** (2 * j)
        if mass:
            above, below = [*above, (j + half) / step], [*below, (j + half) / step + 1]
            size *= x / (2 * j + 1)
        terms.append(size * hypergeometric(above, below, argument))
    return 2 / (order * (4 * sympy.pi) ** half) * sympy.Add(*terms)


@dataclass(frozen=True, kw_only=True)
class RationalQuadratic(Radial):
    """k(Δ) = (1 + ‖Δ‖²/2αℓ²)^{−α} on R^d, α = `alpha` > 0, ℓ = `scale` > 0; τ ~ Gamma(α, rate α) / ℓ².

    ω is symmetric variance-gamma: density (αℓ²/2π)^{d/2} (2/Γ(α)) (x/2)^{α−d/2} K_{α−d/2}(x) with
    x = √(2α) ℓ‖ω‖, infinite at ω = 0 for α ≤ d/2. Second moment d/ℓ².
    Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "rational_quadratic"
    pieces_if: ClassVar[str] = ": its density is one for whole alpha up to 12"
    formula: ClassVar[str] = "(1 + ‖Δ‖² / 2αℓ²)^{−α}"
    frequencies: ClassVar[str] = "N(0, τ ℓ⁻² I) with τ ~ Gamma(α, rate α)"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    recognized_in: ClassVar[tuple[str, ...]] = ("radial",)
    is_analytic: ClassVar[bool] = True

    alpha: Scalar = real(above=0, at_most=MAX_SHAPE)
    scale: Scalar = length(1)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        base, exponent = f.as_base_exp()
        if not exponent.is_negative or exponent.has(t):
            return None
        start = base.subs(t, 0)
        rate = monomial(base / start - 1, t, 2) if start.is_positive else None
        if rate is None:
            return None
        return power_of(start, exponent), {"alpha": -exponent, "scale": 1 / sympy.sqrt(-2 * exponent * rate)}

    def profile(self, distance: np.ndarray) -> np.ndarray:
        alpha, squared = float(self.alpha), np.square(distance / float(self.scale))
        if 2 * alpha % 1 == 0 and alpha <= 4:
            with np.errstate(over="ignore"):
                return 1 / power(1 + squared / (2 * alpha), alpha)
        return np.exp(-alpha * np.log1p(squared / (2 * alpha)))

    def profile_expression(self, distance: Any) -> Any:
        alpha = sympy.S(self.alpha)
        return (1 + distance**2 / (2 * alpha * sympy.S(self.scale) ** 2)) ** -alpha

    def draw_variance(self, stream: Stream, n: int) -> np.ndarray:
        return stream.gamma("variance", float(self.alpha), n) / float(self.alpha * self.scale**2)

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        # l gamma variances of order α add up to one of order lα, and so do the conditional frequencies
        normal = stream.generator("normal").standard_normal((len(counts), self.dim))
        variance = stream.generator("variance").standard_gamma(self.alpha * counts) / float(self.alpha * self.scale**2)
        return np.asarray(normal * np.sqrt(variance)[:, None])

    def radial_density(self, radius: np.ndarray, dim: int) -> np.ndarray:
        x = sqrt(2 * self.alpha) * self.scale * np.asarray(radius)
        constant = dim / 2 * log(self.alpha * self.scale**2 / (2 * pi))
        return np.exp(constant + log_bessel_density(self.alpha, x, dim))

    def radial_density_expression(self, radius: Any, dim: Scalar) -> Any:
        alpha, scale, half = sympy.S(self.alpha), sympy.S(self.scale), sympy.S(dim) / 2
        x = sympy.sqrt(2 * alpha) * scale * radius
        constant = (alpha * scale**2 / (2 * sympy.pi)) ** half * 2 / gamma_function(alpha)
        values = constant * (x / 2) ** as_exponent(alpha - half) * sympy.besselk(alpha - half, x)
        at_zero = (alpha * scale**2 / (2 * sympy.pi)) ** half * gamma_function(alpha - half) / gamma_function(alpha)
        peak = sympy.Piecewise((at_zero, alpha > half), (sympy.oo, True))
        return sympy.Piecewise((peak, sympy.Eq(radius, 0)), (values, True))

    def pieces(self, line: Line) -> Any | None:
        order = small_whole(self.alpha)
        weights = None if order is None else matern_weights(Fraction(2 * order - 1, 2))
        if weights is None:
            return None
        rate = line.root(2 * line.number(order)) * line.number(self.scale)
        mass = sum(weight * math.factorial(n) for n, weight in enumerate(weights))
        return line.spectral(line.decay(weights, rate, rate / line.number(2 * mass)))

    def fuse(self, other: Stationary) -> RationalQuadratic | None:
        """The product of two with one αℓ², up to rounding of floats: orders add up."""
        if not isinstance(other, RationalQuadratic):
            return None
        own, theirs = self.alpha * self.scale**2, other.alpha * other.scale**2
        if own != theirs and not (isinstance(own, float) and math.isclose(own, theirs, rel_tol=1e-15)):
            return None
        alpha = self.alpha + other.alpha
        if (known_number(alpha) or 0) > MAX_SHAPE:
            return None
        return replace(self, alpha=alpha, scale=self.scale * square_root(self.alpha / alpha))

    def comparable_density(self, dim: int) -> Falling | None:
        alpha = number(self.alpha)
        if alpha > _LARGEST_COMPARED:
            return None
        return bessel_density(alpha, alpha * number(self.scale) ** 2, dim)

    def series(self, place: Any, count: int) -> list[Any]:
        """q^{−α}, q = 1 + t²/2αℓ²: from q f′ = −α q′ f."""
        alpha = sympy.S(self.alpha)
        curve = 1 / (2 * alpha * sympy.S(self.scale) ** 2)
        q = [1 + curve * place**2, 2 * curve * place, curve]
        found = [q[0] ** -alpha]
        for n in range(1, count):
            terms = [(n - j + alpha * j) * q[j] * found[n - j] for j in range(1, min(n, 2) + 1)]
            found.append(-sympy.Add(*terms) / (n * q[0]))
        return found

    def frequency_variance(self) -> Scalar:
        return self.scale**-2

    def raised(self, exponent: Scalar) -> RationalQuadratic:
        """Another order; α ℓ² stays."""
        scale = self.scale * exponent ** Fraction(-1, 2)
        return RationalQuadratic(alpha=self.alpha * exponent, scale=scale, dim=self.dim, span=self.span)
