"""Dual activations as power series: finite ones, Poisson degrees, the heavy tails of central binomials; polynomials."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.activations.activation import Activation
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, integer, numbers
from kernelspec.expressions.elementary import infinity
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import floats, stirling_remainder
from kernelspec.special.exact_draws import poisson_shares

__all__ = [
    "FiniteSeries",
    "Hermite",
    "Identity",
    "PoissonSeries",
    "Polynomial",
    "central_binomial",
    "first_return_at",
    "half_binomial_at",
]


_TABLE = 256


def central_binomial(k: np.ndarray) -> np.ndarray:
    """c_k = Γ(k + ½)/(√π Γ(k + 1)) for integers k ≥ 0, to 1e-15 at any size.

    Beyond a table, c_k = √(8/πN) (1 − 1/N² + 21/2N⁴ − 671/2N⁶ + …), N = 8k + 2. Reference: Kessler and Schiff 2006.
    """
    k = np.asarray(k, dtype=float)
    table = _table()
    tabulated = table[np.clip(k, 0, _TABLE - 1).astype(np.intp)]
    n = 8 * np.maximum(k, _TABLE - 1) + 2
    square = 1 / n**2
    shape = 1 + square * (-1 + square * (10.5 - 335.5 * square))
    return np.asarray(np.where(k < _TABLE, tabulated, np.sqrt(8 / np.pi / n) * shape))


def first_return_at(u: np.ndarray) -> np.ndarray:
    """Draws of K, as floats, from numbers uniform on (0, 1), by inversion: the number of n ≥ 0 with c_n ≥ u.

    P(K = k) = c_k/(2k − 1), k ≥ 1, and P(K > k) = c_k: the simple random walk first returns to 0 after 2K steps.
    Reference: Feller 1968, section III.4.
    """
    u = np.asarray(u, dtype=float)
    table = _table()
    within = _TABLE - np.searchsorted(table[::-1], u)
    middle = 8 / (np.pi * np.minimum(u, table[-1]) ** 2)  # N solves c² = (8/πN)(1 − 2/N² + 22/N⁴ − …)
    beyond = np.floor((middle - 2 / middle + 14 / middle**3 - 2) / 8) + 1
    return np.where(u > table[-1], within, np.maximum(beyond, _TABLE))


@lru_cache(maxsize=1)
def _table() -> np.ndarray:
    k = np.arange(1, _TABLE, dtype=np.longdouble)
    table = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))]).astype(float)
    table.flags.writeable = False
    return table


def half_binomial_at(u: np.ndarray, complement: float) -> np.ndarray:
    """Draws of N, P(N = k) = √(1 − z) c_k z^k, from two columns of uniform numbers; `complement` is 1 − z in (0, 1].

    A mixture: c_k = E sin^{2k} θ for θ uniform, so N is geometric with ratio z sin² θ, where θ has density ∝ 1/(1 − z
    sin² θ), or √(1 − z) tan θ = tan φ with φ uniform on (0, π/2).
    """
    angle = np.pi / 2 * u[:, 0]
    sine, cosine = np.square(np.sin(angle)), np.square(np.cos(angle))
    failure = complement / (complement * cosine + sine)  # 1 − z sin² θ
    with np.errstate(divide="ignore"):
        return np.asarray(np.floor(np.log(u[:, 1]) / np.log1p(-np.minimum(failure, 1.0))))


@dataclass(frozen=True, kw_only=True)
class FiniteSeries(Activation):
    """σ̂(ρ) = Σ a_l ρ^l over finitely many degrees; the radius of convergence is ∞."""

    @abstractmethod
    def terms(self) -> Sequence[tuple[int, Scalar]]:
        """The pairs (l, a_l) with a_l not known to be zero, in order of l."""

    def series(self, x: np.ndarray) -> np.ndarray:
        """By Horner's rule, across the gaps between degrees."""
        degrees, masses = self._numbers()
        total = np.full(np.shape(x), masses[-1])
        gaps = np.diff(degrees, prepend=0)
        for i in range(len(degrees) - 1, -1, -1):
            total = total * (x if gaps[i] == 1 else x ** float(gaps[i])) + (masses[i - 1] if i else 0.0)
        return total

    def dual_expression(self, rho: Any) -> Any:
        return sympy.Add(*(sympy.S(mass) * rho**degree for degree, mass in self.terms()))

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        degrees, masses = self._numbers()
        degree = np.asarray(degree, dtype=float)
        place = np.minimum(np.searchsorted(degrees, degree), len(degrees) - 1)
        return np.where(degrees[place] == degree, masses[place], 0.0)

    def mean_degree(self, weight: float = 1.0) -> float:
        degrees, shares = self._shares(weight)
        return float(degrees @ shares)

    def radius(self) -> Scalar:
        return infinity()

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """By inversion of the table."""
        degrees, shares = self._shares(weight)
        return degrees[np.searchsorted(np.cumsum(shares)[:-1], stream.uniforms("degrees", (n,)))]

    def _shares(self, weight: float) -> tuple[np.ndarray, np.ndarray]:
        """The degrees with a_l > 0, and their probabilities at a weight, whose powers may overflow."""
        degrees, masses = self._numbers()
        possible = masses > 0
        logarithms = np.log(masses[possible]) + degrees[possible] * np.log(weight)
        relative = np.exp(logarithms - logarithms.max())
        return degrees[possible], relative / relative.sum()

    def _numbers(self) -> tuple[np.ndarray, np.ndarray]:
        degrees, masses = zip(*self.terms(), strict=True)
        return np.array(degrees, dtype=np.int64), np.array(masses, dtype=float)


_LARGEST_RATE = 1e10


@dataclass(frozen=True, kw_only=True)
class PoissonSeries(Activation):
    """a_l ∝ c^l/l! for l = f, f + h, f + 2h, …: e^{cρ} for f = 0, h = 1, cosh cρ and sinh cρ for h = 2.

    At weight m the degrees have rate cm. The radius of convergence is ∞.
    """

    first: ClassVar[int] = 0
    step: ClassVar[int] = 1

    @abstractmethod
    def rate(self) -> Scalar:
        """c > 0."""

    @abstractmethod
    def share(self, weight: float = 1.0) -> float:
        """The probability that a Poisson number of rate cm is one of the degrees."""

    def coefficient(self, degree: np.ndarray) -> np.ndarray:
        return self.law(degree)

    def law(self, degree: np.ndarray, weight: float = 1.0) -> np.ndarray:
        """At rate cm, since Σ a_l m^l itself may overflow or underflow."""
        degree = np.asarray(degree, dtype=float)
        allowed = (degree >= self.first) & (degree % self.step == self.first % self.step)
        found = _probability(np.maximum(degree, 0), float(self.rate()) * weight)
        return np.where(allowed, found / self.share(weight), 0.0)

    def radius(self) -> Scalar:
        return infinity(self.rate())

    def propose_degrees(self, stream: Stream, n: int, weight: float) -> np.ndarray:
        """By inversion of a table of probabilities. Raises RangeError beyond a rate of 1e10."""
        rate = float(self.rate()) * weight
        if rate > _LARGEST_RATE:
            raise RangeError(
                f"{self} has degrees of about {rate:g} factors; up to {_LARGEST_RATE:g} are drawn", self.span
            )
        lowest, shares = poisson_shares(rate, self.first, self.step)
        place = np.searchsorted(np.cumsum(shares)[:-1], stream.uniforms("degrees", (n,)))
        return lowest + self.step * place.astype(np.int64)


def _probability(degree: np.ndarray, rate: float) -> np.ndarray:
    """e^{−c} c^l/l! = exp(−D − r)/√(2πl), D = l log(l/c) + c − l, r the remainder of Stirling's formula.

    Avoids differences of large logarithms. Reference: Loader 2000.
    """
    safe = np.maximum(degree, 1.0)
    excess = (rate - safe) / safe
    near = safe * (excess - np.log1p(np.maximum(excess, -0.5)))
    deviance = np.where(excess > -0.5, near, safe * (np.log(safe) - np.log(rate)) + rate - safe)
    small = _small_remainders()[np.minimum(safe, 15).astype(np.intp)]
    remainder = np.where(safe < 16, small, stirling_remainder(np.maximum(safe, 16.0)))
    found = np.exp(-deviance - remainder) / np.sqrt(2 * np.pi * safe)
    return np.where(degree == 0, math.exp(-rate), found)


@lru_cache(maxsize=1)
def _small_remainders() -> np.ndarray:
    """ln l! − [(l + ½) ln l − l + ½ ln 2π] for l = 0 (not used), 1, …, 15."""
    exact = [math.log(math.factorial(k) * math.exp(k) / (k**k * math.sqrt(2 * math.pi * k))) for k in range(1, 16)]
    return np.array([0.0, *exact])


@dataclass(frozen=True, kw_only=True)
class Hermite(FiniteSeries):
    """σ(x) = He_n(x)/√n!, σ̂(ρ) = ρⁿ: every degree is n. Reference: O'Donnell 2014, section 11.2."""

    name: ClassVar[str] = "hermite"
    formula: ClassVar[str] = "He_n(x)/√n!"
    reference: ClassVar[str] = "O'Donnell 2014, section 11.2"

    n: Scalar = integer(at_least=0, at_most=10_000)

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((int(self.n), 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = floats(x)
        before, found = np.zeros_like(x), np.ones_like(x)
        for k in range(int(self.n)):
            before, found = found, (x * found - sqrt(k) * before) / sqrt(k + 1)
        return found


@dataclass(frozen=True, kw_only=True)
class Identity(FiniteSeries):
    """σ(x) = x, σ̂(ρ) = ρ: every degree is one."""

    name: ClassVar[str] = "identity"
    formula: ClassVar[str] = "x"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        return ((1, 1.0),)

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.array(x, dtype=float)


_MOST_COEFFICIENTS = 101


@dataclass(frozen=True, kw_only=True)
class Polynomial(FiniteSeries):
    """σ(x) = Σ c_j x^j, c = `coefficients`, the constant first; a_l ∝ (Σ_k c_{l+2k} (l + 2k)!/(2^k k!))²/l!.

    Raises RangeError for more than 101 coefficients and where all are zero. Reference: O'Donnell 2014, section 11.2.
    """

    name: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = "Σ c_j x^j"
    reference: ClassVar[str] = "O'Donnell 2014, section 11.2"

    coefficients: tuple[Scalar, ...] = numbers()

    def __post_init__(self) -> None:
        if len(self.coefficients) > _MOST_COEFFICIENTS:
            raise RangeError(
                f"polynomial() takes up to {_MOST_COEFFICIENTS} coefficients, not {len(self.coefficients)}", self.span
            )
        if all(coefficient == 0 for coefficient in self.coefficients):
            raise RangeError("the coefficients of polynomial() must not all be zero", self.span)

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        squares = _squares(self.coefficients)
        total = sum(squares)
        exact = isinstance(total, Fraction)
        shares = (float(square / total) if exact else square / total for square in squares)
        return [(degree, share) for degree, share in enumerate(shares) if share != 0]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        x = floats(x)
        largest = max(abs(Fraction(c)) for c in self.coefficients)
        scaled = tuple(Fraction(c) / largest for c in self.coefficients)
        norm, total = sqrt(sum(_squares(scaled))), np.zeros_like(x)
        for c in reversed(scaled):
            total = total * x + float(c) / norm
        return total


@lru_cache(maxsize=64)
def _squares(coefficients: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """The exact squared coefficients of the normalized Hermite polynomials."""
    c = [Fraction(entry) if isinstance(entry, int | float) else entry for entry in coefficients]
    squares = []
    for low in range(len(c)):
        parts = (
            c[high] * Fraction(factorial(high), 2 ** ((high - low) // 2) * factorial((high - low) // 2))
            for high in range(low, len(c), 2)
        )
        squares.append(sum(parts) ** 2 * Fraction(1, factorial(low)))
    return tuple(squares)
