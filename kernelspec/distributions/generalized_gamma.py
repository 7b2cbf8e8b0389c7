"""Powers of gamma variables, and the Fourier transforms of their Polya kernels."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, exp, factorial, lgamma
from typing import Any

import numpy as np

from kernelspec.distributions.distribution import LARGEST, SMALLEST, Positive
from kernelspec.expressions.arguments import Scalar, declared
from kernelspec.expressions.elementary import holds, infinity
from kernelspec.loading import special, sympy
from kernelspec.numerics.arrays import exact_product
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Line, small_whole
from kernelspec.special.elementary import log_gamma_ratio, log_gamma_weight, upper_gamma
from kernelspec.special.gamma_triangles import gamma_triangles, gamma_triangles_transform, log_gamma_triangles

__all__ = ["GeneralizedGamma", "generalized_gamma_transform", "power_of_quotient"]

_MOST_WHOLE = 12  # the largest order for which the transform is written as a quotient of polynomials


def generalized_gamma_transform(order: Any, power: Any, unit: Any, frequency: Any) -> Any:
    """φ̂(ω) = (2/ω²) E[(1 − cos Rω)/R] of R = λ Y^{1/k}, Y ~ Gamma(a, 1): a = `order`, k = `power`, λ = `unit`.

    k = 1: 2/(λ(a−1)ω²) · (1 − Re(1 − iλω)^{1−a}), rational for integer a, or ln(1 + λ²ω²)/λω² for a = 1. k = 2: E R ·
    ₂F₂(a + ½, 1; 3/2, 2; −λ²ω²/4). Otherwise an integral over Y: for k > 1, of (1 − cos Rω)/R; for k < 1, where R has a
    heavy tail, along the ray Y = y e^{iθ}, θ = (π/2) min(k, ½), where e^{iωR} decays instead of oscillating.
    """
    x = unit * frequency
    if power == 1:
        at_one = sympy.log(1 + x**2) / (unit * frequency**2)
        if order == 1:
            return at_one
        if order.is_Integer and order <= _MOST_WHOLE:
            return _of_whole_order(int(order), unit, x)
        real_part = (1 + x**2) ** ((1 - order) / 2) * sympy.cos((order - 1) * sympy.atan(x))
        general = 2 * (1 - real_part) / (unit * (order - 1) * frequency**2)
        return general if order.is_number else sympy.Piecewise((at_one, sympy.Eq(order, 1)), (general, True))
    half = sympy.Rational(1, 2)
    if power == 2:
        mean = unit * sympy.gamma(order + half) / sympy.gamma(order)
        return mean * sympy.hyper([order + half, 1], [3 * half, 2], -(x**2) / 4)
    y, w = sympy.Dummy("y", positive=True), sympy.Abs(x)
    pitch, constant = y ** (1 / power), 2 * unit / x**2 / sympy.gamma(order)
    line = 2 * sympy.sin(w * pitch / 2) ** 2 / pitch * y ** (order - 1) * sympy.exp(-y)
    angle = sympy.pi / 2 * sympy.Min(power, half)
    phase = angle * (order - 1 / power) - y * sympy.sin(angle)
    damping, turn = w * pitch * sympy.sin(angle / power), w * pitch * sympy.cos(angle / power)
    wave = sympy.cos(phase) - sympy.exp(-damping) * sympy.cos(phase + turn)
    ray = wave / pitch * y ** (order - 1) * sympy.exp(-y * sympy.cos(angle))
    on_line, on_ray = (constant * sympy.Integral(integrand, (y, 0, sympy.oo)) for integrand in (line, ray))
    return sympy.Piecewise((on_line, power >= 1), (on_ray, True))


def _of_whole_order(order: int, unit: Any, x: Any) -> Any:
    """k = 1, x = λω, n = a − 1: (2λ/n) ((1 + x²)^n − Re(1 + ix)^n)/x² (1 + x²)^n, with x² canceled."""
    n = order - 1
    weights = [comb(n, j) - (-1) ** j * comb(n, 2 * j) for j in range(1, n + 1)]
    numerator = sympy.Add(*[weight * x ** (2 * j) for j, weight in enumerate(weights)])
    return 2 * unit * numerator / (n * (1 + x**2) ** n)


_MOST_TERMS = 20


@dataclass(frozen=True, kw_only=True)
class GeneralizedGamma(Positive):
    """R = λ Y^{1/k}, Y ~ Gamma(a, 1): density k u^{ak−1} exp(−u^k) / λΓ(a), u = r/λ; E R^s = λ^s Γ(a + s/k)/Γ(a).

    φ(t) = [Γ(a, u^k) − u Γ(a − 1/k, u^k)] / Γ(a), u = t/λ, with Γ(·, ·) the upper incomplete gamma function. Reference:
    Stacy 1962.
    """

    @abstractmethod
    def stacy(self) -> tuple[Scalar, Scalar, Scalar]:
        """(a, k, λ): the shape of the gamma variable, the reciprocal of its exponent, and the scale."""

    def support(self) -> tuple[Scalar, Scalar]:
        _, _, unit = self.stacy()
        return 0 * unit, infinity(unit)

    def decay_rate(self) -> Scalar:
        _, power, unit = self.stacy()
        return 1 / unit if power == 1 else infinity(unit) if holds(power > 1) else 0

    def polya_pieces(self, line: Line) -> Any | None:
        """For k = 1 and integer a ≥ 2: Q(a, x) − x Q(a−1, x)/(a−1), x = t/λ, Q(a, x) = e^{−x} Σ_{n<a} xⁿ/n!.

        Other cases involve an exponential integral.
        """
        order, power, unit = self.stacy()
        a = small_whole(order) if power == 1 else None
        if a is None or a < 2:
            return None
        weights = [Fraction(1, factorial(n)) - (Fraction(1, (a - 1) * factorial(n - 1)) if n else 0) for n in range(a)]
        return line.decay(weights, 1 / line.number(unit))

    def mean(self) -> Scalar:
        return self._moment(1)

    def inverse_mean(self) -> Scalar:
        order, power, unit = self.stacy()
        if self._has_numbers():
            return self._moment(-1) if order * power > 1 else infinity(unit)
        return sympy.Piecewise((self._moment(-1), order * power > 1), (sympy.oo, True))

    def roughness(self) -> float:
        order, power, _ = self.stacy()  # P(R < r) ~ r^(order·power)
        return min(1.0, float(order * power))

    def density(self, x: np.ndarray) -> np.ndarray:
        a, k, unit = self._numbers()
        x = np.asarray(x, dtype=float)
        inside = np.where(x > 0, x, 1.0)
        values = np.exp(log_gamma_weight(a, power_of_quotient(inside, unit, k))) * (k / inside)
        at_zero = 0.0 if a * k > 1 else np.inf if a * k < 1 else k * exp(-lgamma(a)) / unit
        return np.where(x > 0, values, np.where(x == 0, at_zero, 0.0))

    def density_expression(self, x: Any) -> Any:
        a, k, unit = self._exact_numbers()
        u = x / unit
        return sympy.Piecewise((k * u ** (a * k - 1) * sympy.exp(-(u**k)) / (unit * sympy.gamma(a)), x > 0), (0, True))

    def polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        a, k, unit = self._numbers()
        lag = np.asarray(lag, dtype=float)
        with np.errstate(over="ignore"):
            u = lag / unit
        return gamma_triangles(a, k, u, power_of_quotient(lag, unit, k))

    def log_polya_kernel(self, lag: np.ndarray) -> np.ndarray:
        a, k, unit = self._numbers()
        return log_gamma_triangles(a, k, power_of_quotient(np.asarray(lag, dtype=float), unit, k))

    def polya_kernel_expression(self, lag: Any) -> Any:
        if sympy.S(lag).is_zero:
            return sympy.S.One
        a, k, unit = self._exact_numbers()
        lower = a - 1 / k
        if a.is_number and a > _MOST_TERMS and not lower.is_zero:
            u = lag / unit  # SymPy would write whole and half orders as long sums, also if a number is put in
            first, second = (upper_gamma(order, u**k) for order in (a, lower))
            return (first - u * second) / sympy.gamma(a)
        t = sympy.Dummy(nonnegative=True)  # expand() would open the square in an exponent with x − y
        u = t / unit
        z = u**k
        first, second = sympy.uppergamma(a, z), sympy.uppergamma(lower, z)
        if lower.is_zero:
            second = sympy.expint(1, z)
        written = sympy.expand(first / sympy.gamma(a)) - sympy.expand(u * second / sympy.gamma(a))
        return written.subs(t, lag)

    def polya_transform(self, frequency: np.ndarray) -> np.ndarray:
        a, k, unit = self._numbers()
        return unit * gamma_triangles_transform(a, k, unit * np.asarray(frequency, dtype=float))

    def polya_transform_expression(self, frequency: Any) -> Any:
        return generalized_gamma_transform(*self._exact_numbers(), frequency)

    def draw(self, stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
        """By inversion of the distribution function, between 1e-280 and 1e280 so that no pitch is zero or infinite."""
        a, k, unit = self._numbers()
        chances = stream.uniforms(self.name, shape)
        with np.errstate(over="ignore", under="ignore"):
            drawn = -np.log1p(-chances) if a == 1 else special.gammaincinv(a, chances)
            return np.clip(unit * drawn ** (1 / k), SMALLEST, LARGEST)

    def _moment(self, order: int) -> Scalar:
        """E R^s for s = ±1."""
        if self._has_numbers():
            a, k, unit = self._numbers()
            with np.errstate(over="ignore"):
                return float(unit**order * np.exp(log_gamma_ratio(a, order / k)))
        a, k, unit = self._exact_numbers()
        return unit**order * sympy.gamma(a + order / k) / sympy.gamma(a)

    def _has_numbers(self) -> bool:
        return all(isinstance(getattr(self, name), int | float) for name in declared(type(self)))

    def _numbers(self) -> tuple[float, float, float]:
        a, k, unit = map(float, self.stacy())
        return a, k, unit

    def _exact_numbers(self) -> tuple[Any, Any, Any]:
        """a, k and λ in SymPy."""
        law = replace(self, **{name: _exact(getattr(self, name)) for name in declared(type(self))})
        a, k, unit = map(_exact, law.stacy())
        return a, k, unit


def _exact(value: Scalar) -> Any:
    """Integers and half-integers as exact numbers, which SymPy simplifies further."""
    halves = isinstance(value, float) and (2 * value).is_integer() and abs(value) < 1e6
    return sympy.Rational(int(2 * value), 2) if halves else sympy.S(value)


def power_of_quotient(x: np.ndarray, scale: float, power: float) -> np.ndarray:
    """(x/s)^k for x ≥ 0, s = `scale` > 0, k = `power` > 0, to a few roundings for any k.

    The remainder of the division is exact in two floats [Dekker 1971] and corrects the power to first order. For x near
    the ends of the range of floats no correction is made.
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        quotient = x / scale
        result = quotient**power
        if scale == 1 or power == 1:
            return np.asarray(result)
        product, error = exact_product(quotient, np.float64(scale))
        remainder = ((x - product) - error) / x
    usable = (x > 1e-250) & (x < 1e250) & (product > 1e-250) & (quotient > 1e-250) & (quotient < 1e250)
    return np.asarray(np.where(usable, result * (1 + power * np.where(usable, remainder, 0.0)), result))
