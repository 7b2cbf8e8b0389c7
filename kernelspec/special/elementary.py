"""Functions of numbers that keep their digits where the obvious formula cancels or overflows."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, log1p, pi
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Scaled",
    "cosine_integral_gap",
    "excess_over_log",
    "floats",
    "is_stand_in",
    "log_gamma_ratio",
    "log_gamma_slope",
    "log_gamma_weight",
    "power_of_quotient",
    "sinc",
    "stirling_remainder",
]


def floats(values: Any) -> np.ndarray:
    """The values as an array of float64; what stands in for an array as it is, where np.asarray would copy it here."""
    if is_stand_in(values):
        return values  # type: ignore[no-any-return]
    return np.asarray(values, dtype=float)


def is_stand_in(values: Any) -> bool:
    """Whether the values are no array of NumPy's, and compute its functions themselves, perhaps on another device.

    By NumPy's protocols for such types [NEP 13, NEP 18].
    """
    return hasattr(values, "__array_function__") and not isinstance(values, np.ndarray)


_TINY, _SMALLEST = 1e-30, 1e-290


class Scaled(NamedTuple):
    """m·e^s: `mantissa` m and `exponent` s, arrays that fit each other."""

    mantissa: np.ndarray
    exponent: np.ndarray

    def times(self, other: Scaled) -> Scaled:
        """The product: exponents are added before anything is raised to them."""
        return Scaled(floats(self.mantissa * other.mantissa), floats(self.exponent + other.exponent))

    def to_the(self, power: int) -> Scaled:
        """A whole power."""
        return Scaled(floats(self.mantissa**power), floats(self.exponent * power))

    def plus(self, other: Scaled, weight: float) -> Scaled:
        """self + weight·other, with the larger exponent of the two."""
        top = np.maximum(
            np.where(self.mantissa == 0, -np.inf, self.exponent), np.where(other.mantissa == 0, -np.inf, other.exponent)
        )
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(under="ignore", over="ignore"):
            own = _product(self.mantissa, self.exponent - top)
            return Scaled(floats(own + weight * _product(other.mantissa, other.exponent - top)), top)

    @classmethod
    def of(cls, values: np.ndarray) -> Scaled:
        """Floats as they are; the tiny ones in [½, 1) times a power of two, so that products do not underflow."""
        values = np.asarray(values, dtype=float)
        tiny = (np.abs(values) < _TINY) & (values != 0)
        mantissa, binary = np.frexp(values)
        return cls(np.where(tiny, mantissa, values), np.where(tiny, binary * np.log(2), 0.0))

    def value(self) -> np.ndarray:
        """m·e^s as floats: infinite only where that is beyond them, 0 where m is."""
        return _product(self.mantissa, self.exponent)


def far_out(values: np.ndarray, lags: np.ndarray, logarithm: Callable[[np.ndarray], np.ndarray]) -> Scaled:
    """Values that are not negative, with ln f where they are too small for a float to have all its digits."""
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
        half = np.exp(np.where(mantissa == 0, 0.0, exponent) / 2)  # e^s alone may overflow where m is small
        return floats(mantissa * half * half)


_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_LARGE = 10.0


def stirling_remainder(x: float) -> float:
    """ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π] for x ≥ 10, to 1e-16 [DLMF 5.11.1]."""
    total = 0.0
    for coefficient in reversed(_STIRLING):
        total = total / x**2 + coefficient
    return total / x


def log_gamma_ratio(x: float, shift: float) -> float:
    """ln Γ(x + shift) − ln Γ(x), both arguments positive."""
    if min(x, x + shift) < _LARGE:
        return lgamma(x + shift) - lgamma(x)
    leading = (x + shift - 0.5) * log1p(shift / x) + shift * (log(x) - 1)
    return leading + stirling_remainder(x + shift) - stirling_remainder(x)


_EULER = 0.5772156649015329
_SLOPE_TERMS = 28


def log_gamma_slope(distance: float) -> float:
    """ln Γ(1 + δ) / δ for |δ| ≤ ½, which is −γ at δ = 0, to a rounding [DLMF 5.7.3].

    ln Γ(1 + δ) = −ln(1 + δ) + (1 − γ) δ + Σ_{k≥2} (ζ(k) − 1) (−δ)^k / k, whose terms fall like (δ/2)^k.
    """
    import numpy as np
    from scipy.special import zetac

    k = np.arange(2, _SLOPE_TERMS)
    series = float(np.sum(zetac(k) / k * (-distance) ** (k - 1)))
    first = float(np.log1p(distance)) / distance if abs(distance) > 1e-300 else 1.0
    return 1 - _EULER - first - series


_SPLITTER = 2.0**27 + 1


def power_of_quotient(x: np.ndarray, scale: float, power: float) -> np.ndarray:
    """(x/s)^k for x ≥ 0, s = `scale` > 0, k = `power` > 0, to a few roundings whatever k.

    The remainder of the division is exact in two floats [Dekker 1971], and corrects the power to first order. Where
    x is next to the ends of the range of floats there is no correction.
    """
    x = np.asarray(x, dtype=float)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        quotient = x / scale
        result = quotient**power
        if scale == 1 or power == 1:
            return np.asarray(result)
        product = quotient * scale
        high, scale_high = _leading_half(quotient), _leading_half(np.float64(scale))
        low, scale_low = quotient - high, scale - scale_high
        error = ((high * scale_high - product) + high * scale_low + low * scale_high) + low * scale_low
        remainder = ((x - product) - error) / x
    usable = (x > 1e-250) & (x < 1e250) & (product > 1e-250) & (quotient > 1e-250) & (quotient < 1e250)
    return np.asarray(np.where(usable, result * (1 + power * np.where(usable, remainder, 0.0)), result))


def _leading_half(x: np.ndarray | np.float64) -> np.ndarray | np.float64:
    """The leading 26 bits."""
    shifted = _SPLITTER * x
    return shifted - (shifted - x)


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
        # far below a the logarithm of z itself keeps the digits that 1 + d has lost
        ratio = np.where(near, np.log1p(np.where(near, distance, 0.0)), np.log(z / shape))
        return np.asarray(shape * (ratio - distance) + constant)


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
    from scipy.special import sici

    far = low >= 1
    outer, inner = np.where(far, low, 1.0), np.where(far, 0.0, low)
    beyond = np.log1p((high - outer) / outer) - (sici(high)[1] - sici(outer)[1])
    # from low to 1 by the series of the cosine, (x^{2k} − low^{2k}) / (2k (2k)!) with alternating signs
    series, factor = np.zeros_like(inner), np.ones_like(inner)
    for k in range(1, _COSINE_TERMS):
        factor = -factor / ((2 * k - 1) * (2 * k))
        series -= factor * (1 - inner ** (2 * k)) / (2 * k)
    return np.asarray(beyond + np.where(far, 0.0, series))
