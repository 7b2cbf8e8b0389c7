"""Closed forms of kernels and laws: piecewise functions, and densities whose sums can be compared."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.special.elementary import half_integer_coefficients

__all__ = [
    "DIGITS",
    "Band",
    "Density",
    "Falling",
    "Fejer",
    "Line",
    "bessel_density",
    "cosine_series",
    "exact_fraction",
    "exponential_density",
    "matern_weights",
    "normal_density",
    "number",
    "small_whole",
    "student_density",
]


class Line(Protocol):
    """Builds kernels on one column, piecewise polynomials times exponentials, in the numbers of an algebra.

    Kernels describe themselves with these methods. Each returns such a kernel, given by its values at the lag t or by
    the density of its frequencies.
    """

    def number(self, value: Any) -> Any:
        """A parameter as a number of the algebra."""

    def root(self, value: Any) -> Any:
        """√value."""

    def exponential(self, value: Any) -> Any:
        """e^value."""

    def bell(self, scale: Any) -> Any:
        """e^{−t²/2σ²}."""

    def decay(self, weights: Any, rate: Any, factor: Any = 1) -> Any:
        """Σ c_n (a|t|)ⁿ e^{−a|t|}, times a factor."""

    def tents(self, widths: list[tuple[Any, Any]]) -> Any:
        """Σ w max(0, 1 − |t|/c) over the pairs (c, w)."""

    def polynomials(self, parts: list[tuple[Any, Any, tuple[Any, ...]]]) -> Any:
        """Σ over (u, v, c) of Σ c_n |t|ⁿ for u < |t| < v."""

    def wave(self, frequency: Any) -> Any:
        """cos(wt)."""

    def damped(self, rate: Any, wave: Any, share: Any) -> Any:
        """e^{−a|t|}(cos wt + s sin w|t|)."""

    def formula(self, formula: Any) -> Any:
        """f(|t|) for a Formula f without unknowns. Raises NotClosed."""

    def band(self, bandwidth: Any) -> Any:
        """The kernel whose frequencies are uniform on (−b, b)."""

    def spectral(self, function: Any) -> Any:
        """The kernel whose spectral density is this function of the lag."""

    def shifted(self, function: Any, by: Any) -> Any:
        """k(t + r)."""

    def tilted(self, function: Any, by: Any) -> Any:
        """k(t) e^{βt}."""

    def stretched(self, function: Any, factor: Any) -> Any:
        """k(at)."""

    def total(self, terms: list[tuple[Any, Any]]) -> Any:
        """Σ w k over the pairs (w, k)."""


_LARGEST_ORDER = 12  # the largest degree of polynomials supplied by a kernel or a distribution


def exact_fraction(value: Any) -> Fraction | None:
    """An exact rational number, never rounded; None for symbols and other numbers."""
    if not isinstance(value, int | float | Fraction):
        exact = sympy.Rational(value) if value.is_Float else value
        return Fraction(int(exact.p), int(exact.q)) if exact.is_Rational else None
    return Fraction(value) if math.isfinite(value) else None


def matern_weights(order: Any) -> list[Fraction] | None:
    """c_n with M_ν(x) = e^{−x} Σ c_n xⁿ; None unless ν is n + ½ and small."""
    exact = exact_fraction(order)
    found = None if exact is None or (2 * exact).denominator != 1 else half_integer_coefficients(float(exact))
    return None if found is None else list(reversed(found))


def small_whole(value: Any) -> int | None:
    """The value as an integer from 1 to 12; None for others."""
    exact = exact_fraction(value)
    return None if exact is None or exact.denominator != 1 or not 1 <= exact <= _LARGEST_ORDER else int(exact)


def cosine_series(turn: Any, place: Any, count: int) -> list[Any]:
    """The coefficients of τⁿ, n < `count`, in cos(w(place + τ)), w = `turn`, in SymPy."""
    angle = turn * place
    around = (sympy.cos(angle), -sympy.sin(angle), -sympy.cos(angle), sympy.sin(angle))
    return [turn**n * around[n % 4] / sympy.factorial(n) for n in range(count)]


DIGITS = 30
"""Digits for comparing densities."""

_LARGE_ORDER = 4  # the order of Bessel functions from which others follow by recurrence


def number(value: Any) -> Any:
    """An exact number, a float or a SymPy number as an mpmath number. Raises TypeError or ValueError for a symbol."""
    exact = sympy.S(value)
    if not exact.is_number:
        raise TypeError(f"{value} is not a number")
    return mp.mpf(str(exact.evalf(mp.mp.dps + 10)))


@dataclass(frozen=True)
class Bessel:
    """The factor (2/Γ(α)) (x/2)^λ K_λ(x), x = c√u, of the density of a rational quadratic kernel."""

    shape: Any
    order: Any
    rate: Any


@dataclass(frozen=True)
class Falling:
    """p(u) = e^c ∏ (1 + βu)^{−α} e^{−γu − δ√u} times a `bessel` factor, u = ω²: a mixture of e^{−τu} over τ.

    Hence log p is convex and decreasing in u [Bernstein 1928], as is the log of every factor. Numbers are mpmath's.
    """

    constant: Any
    powers: tuple[tuple[Any, Any], ...] = ()
    line: Any = 0
    root: Any = 0
    bessel: Bessel | None = None

    def log(self, u: Any) -> Any:
        """log p(u); ∞ at u = 0 if p has a pole."""
        total = self.constant
        if self.line:
            total -= self.line * u
        if self.root:
            total -= self.root * mp.sqrt(u)
        for alpha, beta in self.powers:
            total -= alpha * mp.log1p(beta * u)
        if self.bessel is None:
            return total
        shape, order, rate = self.bessel.shape, self.bessel.order, self.bessel.rate
        if u == 0:
            return total + mp.loggamma(order) - mp.loggamma(shape) if order > 0 else mp.inf
        x = rate * mp.sqrt(u)
        return total + mp.log(2 * _besselk(order, x)[1]) + order * mp.log(x / 2) - mp.loggamma(shape)

    def slope(self, u: Any) -> Any:
        """d log p/du for u > 0, negative and increasing."""
        total = -self.line - sum((alpha * beta / (1 + beta * u) for alpha, beta in self.powers), mp.mpf(0))
        if self.root:
            total -= self.root / (2 * mp.sqrt(u))
        if self.bessel is not None:
            x = self.bessel.rate * mp.sqrt(u)
            order = self.bessel.order
            below, whole = _besselk(order, x)
            total -= self.bessel.rate / (2 * mp.sqrt(u)) * below / whole
        return total

    def curvature(self, u: Any) -> Any:
        """d² log p/du² for u > 0, positive and decreasing; without a Bessel factor."""
        total = sum((alpha * (beta / (1 + beta * u)) ** 2 for alpha, beta in self.powers), mp.mpf(0))
        return total + self.root / (4 * u * mp.sqrt(u)) if self.root else total

    @property
    def scales(self) -> list[Any]:
        """The values of u at which the factors change behavior."""
        found = [1 / beta for _, beta in self.powers]
        found += [1 / self.line] if self.line else []
        found += [1 / self.root**2] if self.root else []
        return found + ([1 / self.bessel.rate**2] if self.bessel is not None else [])

    @property
    def weight_of_tail(self) -> tuple[Any, Any, Any]:
        """The coefficients of u, √u and log u, compared in this order: the smaller, the slower p falls."""
        return self.line, self._root_of_tail, self._power

    def falls_faster(self, other: Falling, start: Any) -> bool:
        """Whether p/other provably decreases from `start` on, by bounds on −u d log p/du.

        For the Bessel factor this is x K_{λ−1}(x)/2K_λ(x), between x/2 − max(0, λ − ½) and x/2 + max(0, ½ − λ) [Segura
        2011]; it increases, as do the terms of the other factors.
        """
        mine, its = self.bessel, other.bessel
        same = mine is not None and its is not None and mine.order == its.order and mine.rate >= its.rate
        if not (other.line or other.root or its):
            return bool(-start * self.slope(start) >= other._power)
        less = 0 if same or mine is None else max(mp.mpf(0), mine.order - mp.mpf(1) / 2)
        more = 0 if same or its is None else max(mp.mpf(0), mp.mpf(1) / 2 - its.order)
        line, root = self.line - other.line, (self._root_of_tail - other._root_of_tail) / 2
        if line < 0 or (line == 0 and root < 0):
            return False
        if root < 0 and mp.sqrt(start) < -root / line:
            return False
        return bool(line * start + root * mp.sqrt(start) >= less + more + other._power)

    def has_same_power(self, other: Falling) -> bool:
        """Whether both are a single power (1 + βu)^{−α} with equal α, so that their quotient is monotone in u."""
        bare = not (self.line or self.root or self.bessel or other.line or other.root or other.bessel)
        return bare and len(self.powers) == len(other.powers) == 1 and self.powers[0][0] == other.powers[0][0]

    def log_of_limit(self) -> Any:
        """log lim u^α p(u), if p falls like a power."""
        return self.constant - sum((alpha * mp.log(beta) for alpha, beta in self.powers), mp.mpf(0))

    def stretched(self, factor: Any, dim: int) -> Falling:
        """The density of k(aΔ), a = `factor`: p(ω/a)/|a|^d."""
        square = factor**2
        bessel = self.bessel and replace(self.bessel, rate=self.bessel.rate / abs(factor))
        powers = tuple((alpha, beta / square) for alpha, beta in self.powers)
        constant = self.constant - dim * mp.log(abs(factor))
        return Falling(constant, powers, self.line / square, self.root / abs(factor), bessel)

    def on_axis(self, dim: int) -> Falling:
        """∏ p(u_i) with u_1 = u and the others 0: the maximum subject to Σ u_i = u, as log p is convex."""
        return replace(self, constant=self.constant + (dim - 1) * self.log(0))

    def on_diagonal(self, dim: int) -> Falling:
        """∏ p(u_i) with all u_i = u/d: the minimum subject to Σ u_i = u. For densities without Bessel factor."""
        powers = tuple((dim * alpha, beta / dim) for alpha, beta in self.powers)
        return Falling(dim * self.constant, powers, self.line, self.root * mp.sqrt(dim))

    @property
    def _root_of_tail(self) -> Any:
        return self.root + (self.bessel.rate if self.bessel is not None else 0)

    @property
    def _power(self) -> Any:
        return sum(alpha for alpha, _ in self.powers)


def _besselk(order: Any, x: Any) -> tuple[Any, Any]:
    """K_{λ−1}(x) and K_λ(x); for large orders by upward recurrence, which does not cancel [DLMF 10.29.1]."""
    steps = max(0, int(order) - _LARGE_ORDER)
    below, whole = mp.besselk(order - steps - 1, x), mp.besselk(order - steps, x)
    for n in range(steps):
        below, whole = whole, below + 2 * (order - steps + n) / x * whole
    return below, whole


@dataclass(frozen=True)
class Band:
    """The uniform density on [−b, b]."""

    width: Any

    def stretched(self, factor: Any) -> Band:
        """The density of f(at)."""
        return Band(self.width * abs(factor))

    def density(self, omega: Any) -> Any:
        """p(ω)."""
        return 1 / (2 * self.width) if abs(omega) <= self.width else 0 * self.width


@dataclass(frozen=True)
class Fejer:
    """The density (1 − cos cω)/πcω² of a triangle of width c."""

    width: Any

    def stretched(self, factor: Any) -> Fejer:
        """The density of f(at)."""
        return Fejer(self.width / abs(factor))

    def density(self, omega: Any, side: int = 0) -> Any:
        """p(ω), or a bound with rounding: near a zero no digit is right. `side` is 1 from above, −1 from below."""
        half = self.width * omega / 2
        error = side * 8 * mp.eps * (1 + abs(half))
        wave = max(abs(mp.sin(half)) + error, mp.mpf(0)) / half if half else mp.mpf(1)
        return self.width / (2 * mp.pi) * wave**2

    @property
    def above(self) -> Falling:
        """(c/2π)/(1 + c²ω²/12), an upper bound: x²/sin²x ≥ 1 + x²/3."""
        return Falling(mp.log(self.width / (2 * mp.pi)), ((mp.mpf(1), self.width**2 / 12),))


Density = Falling | Band | Fejer


def normal_density(precision: Any, dim: int) -> Falling:
    """The density of N(0, I/λ) in `dim` columns, λ = `precision`."""
    return Falling(mp.mpf(dim) / 2 * mp.log(precision / (2 * mp.pi)), line=precision / 2)


def exponential_density(rate: Any) -> Falling:
    """(a/2) e^{−a|ω|}, a = `rate`."""
    return Falling(mp.log(rate / 2), root=rate)


def bessel_density(shape: Any, size: Any, dim: int) -> Falling:
    """(c/2π)^{d/2} (2/Γ(α)) (x/2)^{α−d/2} K_{α−d/2}(x), x = √(2c) ‖ω‖, α = `shape`, c = `size`: variance-gamma."""
    half = mp.mpf(dim) / 2
    constant = half * mp.log(size / (2 * mp.pi))
    return Falling(constant, bessel=Bessel(shape, shape - half, mp.sqrt(2 * size)))


def student_density(nu: Any, rate: Any, dim: int) -> Falling:
    """Γ(ν + d/2)/Γ(ν) (β/π)^{d/2} (1 + β‖ω‖²)^{−ν−d/2}, β = `rate`: Student's t of 2ν degrees of freedom."""
    half = mp.mpf(dim) / 2
    constant = mp.loggamma(nu + half) - mp.loggamma(nu) + half * mp.log(rate / mp.pi)
    return Falling(constant, ((nu + half, rate),))
