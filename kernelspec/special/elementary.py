"""Functions that stay accurate where the obvious formula cancels or overflows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, reduce
from math import factorial, gamma, lgamma, log, log1p, pi
from typing import Any, NamedTuple

import numpy as np

from kernelspec.limits import MAX_SHAPE
from kernelspec.loading import special, sympy

__all__ = [
    "Scaled",
    "as_exponent",
    "exponential_integral",
    "floats",
    "gamma_function",
    "half_integer_coefficients",
    "hypergeometric",
    "is_stand_in",
    "log_bessel_density",
    "log_gamma_ratio",
    "log_gamma_slope",
    "log_gamma_weight",
    "lower_gamma",
    "matern_expression",
    "matern_factors",
    "matern_function",
    "power",
    "product_and_error",
    "sinc",
    "stirling_remainder",
    "upper_gamma",
]


def floats(values: Any) -> np.ndarray:
    """The values as a float64 array; array stand-ins are returned unchanged, as np.asarray would copy them here."""
    if is_stand_in(values):
        return values  # type: ignore[no-any-return]
    return np.asarray(values, dtype=float)


def is_stand_in(values: Any) -> bool:
    """Whether the values are an array type other than NumPy's, with its own computation, perhaps on another device.

    Detected by NumPy's protocols for such types [NEP 13, NEP 18].
    """
    return hasattr(values, "__array_function__") and not isinstance(values, np.ndarray)


_TINY, _SMALLEST = 1e-30, 1e-290


class Scaled(NamedTuple):
    """m·e^s: `mantissa` m and `exponent` s, arrays that broadcast."""

    mantissa: np.ndarray
    exponent: np.ndarray

    def times(self, other: Scaled) -> Scaled:
        """The product; exponents are added before exponentiation."""
        return Scaled(floats(self.mantissa * other.mantissa), floats(self.exponent + other.exponent))

    def to_the(self, power: int) -> Scaled:
        """An integer power."""
        return Scaled(floats(self.mantissa**power), floats(self.exponent * power))

    def plus(self, other: Scaled, weight: float) -> Scaled:
        """self + weight·other, with the larger of the two exponents."""
        top = np.maximum(
            np.where(self.mantissa == 0, -np.inf, self.exponent), np.where(other.mantissa == 0, -np.inf, other.exponent)
        )
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(under="ignore", over="ignore"):
            own = _product(self.mantissa, self.exponent - top)
            return Scaled(floats(own + weight * _product(other.mantissa, other.exponent - top)), top)

    @classmethod
    def of(cls, values: np.ndarray) -> Scaled:
        """Floats unchanged; tiny ones as [½, 1) times a power of two, so that products do not underflow."""
        values = np.asarray(values, dtype=float)
        tiny = (np.abs(values) < _TINY) & (values != 0)
        mantissa, binary = np.frexp(values)
        return cls(np.where(tiny, mantissa, values), np.where(tiny, binary * np.log(2), 0.0))

    def value(self) -> np.ndarray:
        """m·e^s as floats: infinite only on true overflow, 0 if m is 0."""
        return _product(self.mantissa, self.exponent)


def far_out(values: np.ndarray, lags: np.ndarray, logarithm: Callable[[np.ndarray], np.ndarray]) -> Scaled:
    """Non-negative values, with ln f substituted where they are too small for full float precision."""
    found = Scaled.of(values)
    small = np.asarray(values) < _SMALLEST
    if not small.any():
        return found
    far, places = np.unique(np.broadcast_to(lags, small.shape)[small], return_inverse=True)
    mantissa, exponent = np.array(found.mantissa), np.array(found.exponent)
    mantissa[small], exponent[small] = 1.0, logarithm(far)[places]
    zero = np.isneginf(exponent)
    return Scaled(np.where(zero, 0.0, mantissa), np.where(zero, 0.0, exponent))


def _product(mantissa: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        half = np.exp(np.where(mantissa == 0, 0.0, exponent) / 2)  # e^s alone may overflow if m is small
        return floats(mantissa * half * half)


_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_LARGE = 10.0


def stirling_remainder(x: Any) -> Any:
    """ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π] for x ≥ 10, to 1e-16 [DLMF 5.11.1]."""
    total: Any = 0.0
    for coefficient in reversed(_STIRLING):
        total = total / x**2 + coefficient
    return total / x


def log_gamma_ratio(x: float, shift: float) -> float:
    """ln Γ(x + shift) − ln Γ(x), both arguments positive."""
    if min(x, x + shift) < _LARGE:
        return lgamma(x + shift) - lgamma(x)
    leading = (x + shift - 0.5) * log1p(shift / x) + shift * (log(x) - 1)
    return leading + float(stirling_remainder(x + shift) - stirling_remainder(x))


_EULER = 0.5772156649015329
_SLOPE_TERMS = 28


def log_gamma_slope(distance: float) -> float:
    """ln Γ(1 + δ) / δ for |δ| ≤ ½, which is −γ at δ = 0, to a rounding [DLMF 5.7.3].

    ln Γ(1 + δ) = −ln(1 + δ) + (1 − γ) δ + Σ_{k≥2} (ζ(k) − 1) (−δ)^k / k, whose terms fall like (δ/2)^k.
    """
    k = np.arange(2, _SLOPE_TERMS)
    series = float(np.sum(special.zetac(k) / k * (-distance) ** (k - 1)))
    first = float(np.log1p(distance)) / distance if abs(distance) > 1e-300 else 1.0
    return 1 - _EULER - first - series


def power(x: np.ndarray, exponent: float) -> np.ndarray:
    """x^p for x ≥ 0: multiples of ½ up to 4 from products and a root, three times as fast as others."""
    if not 0 < exponent <= 4 or 2 * exponent % 1:
        return floats(x**exponent)
    square = x * x if exponent >= 2 else x
    factors = [np.sqrt(x)] * (exponent % 1 == 0.5) + [[], [x], [square], [square, x], [square, square]][int(exponent)]
    return floats(reduce(np.multiply, factors))


def sinc(x: np.ndarray) -> np.ndarray:
    """sin x / x, 1 at zero (NumPy's own is of πx, which costs digits at large arguments)."""
    x = floats(x)
    safe = np.where(x == 0, 1.0, x)
    return floats(np.where(x == 0, 1.0, np.sin(safe) / safe))


def log_gamma_weight(shape: float, z: np.ndarray) -> np.ndarray:
    """ln(z^a e^{−z} / Γ(a)) for a = `shape` > 0 and z ≥ 0, −∞ at z = 0.

    For a ≥ 10 with Stirling's formula cancelled by hand: a (ln(1 + d) − d) + ½ ln(a/2π) − remainder, d = (z − a)/a.
    """
    z = np.asarray(z, dtype=float)
    with np.errstate(divide="ignore"):
        if shape < _LARGE:
            return np.asarray(shape * np.log(z) - z - lgamma(shape))
        distance = (z - shape) / shape
        constant = 0.5 * log(shape / (2 * pi)) - stirling_remainder(shape)
        near = np.abs(distance) < 0.5
        # far below a, the logarithm of z itself keeps the digits that 1 + d has lost
        ratio = np.where(near, np.log1p(np.where(near, distance, 0.0)), np.log(z / shape))
        return np.asarray(shape * (ratio - distance) + constant)


_MOST_FACTORS = 20

_LARGEST_EXACT = 10**5  # the largest exact exponent: 2**10**5 has thirty thousand digits


def as_exponent(order: Any) -> Any:
    """The number as an exponent: a decimal if it is so large that exact rational powers may never finish."""
    return sympy.Float(order, 17) if order.is_Rational and abs(order) > _LARGEST_EXACT else order


def gamma_function(order: Any) -> Any:
    """Γ(a), unevaluated for a beyond the largest shape of a law, whose factorial may never finish."""
    return sympy.gamma(order, evaluate=not order.is_number or bool(abs(order) <= MAX_SHAPE + 1))


def hypergeometric(above: Sequence[Any], below: Sequence[Any], x: Any) -> Any:
    """pFq in SymPy, without parameters that cancel."""
    upper, lower = list(above), list(below)
    for entry in above:
        if entry in lower:
            upper.remove(entry)
            lower.remove(entry)
    return sympy.hyper(upper, lower, x)


def lower_gamma(order: Any, x: Any) -> Any:
    """γ(a, x), unevaluated for a above 20, since SymPy expands integer and half-integer orders into sums of a terms."""
    return sympy.lowergamma(order, x, evaluate=_is_short(order))


def upper_gamma(order: Any, x: Any) -> Any:
    """Γ(a, x), unevaluated for orders above 20."""
    return sympy.uppergamma(order, x, evaluate=_is_short(order))


def exponential_integral(order: Any, x: Any) -> Any:
    """E_a(x) = x^{a−1} Γ(1 − a, x), unevaluated for orders above 20."""
    return sympy.expint(order, x, evaluate=_is_short(order))


def _is_short(order: Any) -> bool:
    return not order.is_number or bool(abs(order) <= _MOST_FACTORS)


def matern_expression(order: Any, scale: Any, distance: Any) -> Any:
    """M_ν(√(2ν) r/ℓ) with M_ν(x) = 2^{1−ν} x^ν K_ν(x) / Γ(ν): a polynomial times e^{−x} for ν = ½, 3/2, 5/2, …

    Reference: Rasmussen and Williams 2006, section 4.2.
    """
    nu = sympy.S(order)
    if nu.is_number and half_integer_coefficients(float(nu)) is not None:
        nu = sympy.Rational(Fraction(float(nu)))
        coefficients = [sympy.Rational(c) for c in half_integer_coefficients(float(nu)) or ()]
        x = sympy.sqrt(2 * nu) * distance / sympy.S(scale)
        powers = reversed(range(len(coefficients)))
        return sympy.Add(*[c * x**n for c, n in zip(coefficients, powers, strict=True)]) * sympy.exp(-x)
    x = sympy.sqrt(2 * nu) * distance / sympy.S(scale)
    values = 2 ** (1 - nu) * x**nu * sympy.besselk(nu, x) / sympy.gamma(nu)
    return sympy.Piecewise((1, sympy.Eq(distance, 0)), (values, True))


_LARGE_ORDER = 30.0
_DEBYE_TERMS = 12
_MOST_COEFFICIENTS = 12


def matern_function(order: float, x: np.ndarray) -> np.ndarray:
    """M_ν(x), ν > 0, x ≥ 0, with M_ν(0) = 1: relative error a few 1e-14, 1e-13 at the smallest values for ν > 30.

    Half-integer orders are an exponential times a polynomial with positive coefficients; orders above 30 use Debye's
    uniform expansion [DLMF 10.41.4] with Stirling's formula canceled by hand.
    """
    x = floats(x)
    coefficients = half_integer_coefficients(order)
    if coefficients is not None:
        bounded = np.minimum(x, 1e6)
        return floats(np.minimum(np.polyval([float(c) for c in coefficients], bounded) * np.exp(-bounded), 1.0))
    if order > _LARGE_ORDER:
        factor, exponent = _debye(order, x)
        values = factor * np.exp(exponent)
    else:
        values = _bessel(order, x)
    return np.where(x == 0, 1.0, np.minimum(values, 1.0))


def matern_factors(order: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a and s with M_ν(x) = a eˢ, ν > 0, x ≥ 0, to a relative 1e-13 up to x = 1e6, without overflow or underflow.

    s is −x, except for large orders, for which M_ν(x) eˣ is not a float: there, the exponent of Debye's expansion.
    """
    x = np.asarray(x, dtype=float)
    coefficients = half_integer_coefficients(order)
    if coefficients is None and order > _LARGE_ORDER:
        series, exponent = _debye(order, x)
        return np.where(x == 0, 1.0, series), np.where(x == 0, 0.0, exponent)
    bounded = np.minimum(x, 1e6)
    if coefficients is not None:
        return np.asarray(np.polyval([float(c) for c in coefficients], bounded)), -x
    return np.where(bounded == 0, 1.0, _bessel(order, bounded, scaled=True)), -x


def log_bessel_density(shape: float, x: np.ndarray, dim: int) -> np.ndarray:
    """ln of (2/Γ(α)) (x/2)^λ K_λ(x) with λ = α − dim/2; infinite at x = 0 for λ ≤ 0.

    With τ ~ Gamma(α, 1) this is E[τ^{−dim/2} exp(−x²/4τ)], the shape of every gamma mixture of Gaussians.
    """
    x = np.asarray(x, dtype=float)
    order = shape - dim / 2
    with np.errstate(divide="ignore"):
        if order == 0:
            return np.asarray(np.log(2 * special.k0e(x)) - x - lgamma(shape))
        values = log_gamma_ratio(shape, abs(order) - shape) + np.log(matern_function(abs(order), x))
        return np.asarray(values if order > 0 else values + 2 * order * np.log(x / 2))


def half_integer_coefficients(order: float) -> tuple[Fraction, ...] | None:
    """Coefficients, highest power first, of e^x M_ν(x) for ν = n + ½ up to 12½; None for other orders."""
    twice = 2 * Fraction(order) if np.isfinite(order) else Fraction(0)
    if twice.denominator != 1 or twice % 2 != 1 or twice > 2 * _MOST_COEFFICIENTS + 1:
        return None
    n = (int(twice) - 1) // 2
    return tuple(
        Fraction(factorial(n) * factorial(n + i) * 2 ** (n - i), factorial(2 * n) * factorial(i) * factorial(n - i))
        for i in range(n + 1)
    )


def _bessel(order: float, x: np.ndarray, *, scaled: bool = False) -> np.ndarray:
    bounded = np.clip(x, 1e-300, 1e6)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # factor by factor: the sum of their logarithms would lose digits if they are large and cancel
        mantissa = 2 / gamma(order) * (power(bounded / 2, order) * _scaled_bessel(order, bounded))
        # the Bessel function overflows only if M differs from 1 by less than a rounding
        if scaled:
            return np.asarray(np.where(np.isfinite(mantissa), mantissa, np.exp(np.minimum(bounded, 1.0))))
        values = mantissa * np.exp(-bounded)
    return np.where(np.isfinite(values), values, 1.0)


def _scaled_bessel(order: float, x: np.ndarray) -> np.ndarray:
    """e^x K_ν(x): for whole orders by recurrence, which is stable upwards [DLMF 10.29.1] and several times faster."""
    if order != int(order) or order == 0:
        return np.asarray(special.kve(order, x))
    last, value = special.k0e(x) if order > 1 else x, special.k1e(x)
    for n in range(1, int(order)):
        last, value = value, last + 2 * n / x * value
    return np.asarray(value)


def _debye(order: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a and s with M_ν(x) = a eˢ."""
    z = np.minimum(x / order, 1e150)
    root = np.sqrt(1 + z * z)
    excess = z * (z / (1 + root))  # root − 1
    series = np.zeros_like(x)
    for k, coefficients in reversed(list(enumerate(_debye_polynomials()))):
        series += (-1 / order) ** k * np.polyval(coefficients, 1 / root)
    exponent = order * (np.log1p(excess / 2) - excess) - 0.5 * np.log1p(excess) - stirling_remainder(order)
    return series, exponent


@cache
def _debye_polynomials() -> tuple[tuple[float, ...], ...]:
    """u_0, u_1, …, highest power first, from their recurrence [DLMF 10.41.9]."""
    polynomials = [[Fraction(1)]]
    for _ in range(_DEBYE_TERMS):
        u = polynomials[-1]
        new = [Fraction(0)] * (len(u) + 3)
        for power, c in enumerate(u):
            new[power + 1] += c * (Fraction(power, 2) + Fraction(1, 8 * (power + 1)))
            new[power + 3] -= c * (Fraction(power, 2) + Fraction(5, 8 * (power + 3)))
        polynomials.append(new)
    return tuple(tuple(float(c) for c in reversed(u)) for u in polynomials)


def product_and_error(factors: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """∏ v_i, and ∏ (|v_i| + e_i) − ∏ |v_i|, which bounds its error for values v_i within e_i.

    An infinite factor, as at the end of the law of a wave, counts as 0 next to one that is 0.
    """
    values, errors = factors[0]
    for found, doubt in factors[1:]:
        errors = _entrywise(np.abs(values), doubt) + _entrywise(np.abs(found), errors) + _entrywise(errors, doubt)
        values = _entrywise(values, found)
    return values, errors


def _entrywise(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The entrywise product, with 0 · ∞ = 0 and infinity on overflow."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where((left == 0) | (right == 0), 0.0, left * right)
