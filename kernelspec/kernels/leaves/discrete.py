"""Kernels whose frequencies are atoms: constant(), cosine(), circle() and periodic()."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from kernelspec.errors import NoDensityError
from kernelspec.expressions.arguments import Scalar, length, real, vector
from kernelspec.expressions.elementary import (
    Height,
    height_of_answers,
    height_of_turns,
    inner_product,
    is_known_whole,
    known_number,
    of_one_length,
)
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.expressions.symbolic import expanded, monomial
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.loading import special, sympy
from kernelspec.random.streams import Stream
from kernelspec.special.closed_forms import Line, cosine_series
from kernelspec.special.elementary import floats

__all__ = ["Circle", "Constant", "Cosine", "Periodic", "Wave"]


@dataclass(frozen=True, kw_only=True)
class Constant(Stationary):
    """k(x, y) = 1 for all rows: an intercept. `2*constant()` is 2 everywhere.

    Reads no column. The measure is an atom at zero; one constant feature, without variance. As a factor it has no
    effect. Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "constant"
    formula: ClassVar[str] = "1"
    frequencies: ClassVar[str] = "an atom at zero"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    is_discrete: ClassVar[bool] = True
    is_positive: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True
    powers_are_one_draw: ClassVar[bool] = True
    is_one: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return np.ones(pairs.shape)

    def expression(self, pairs: Pairs) -> Any:
        return sympy.S.One

    def series(self, place: Any, count: int) -> list[Any]:
        return [sympy.S.One] + [sympy.S.Zero] * (count - 1)

    def raised(self, exponent: Scalar) -> Constant:
        return self

    def fuse(self, other: Stationary) -> Stationary:
        return other

    def shifted(self, by: tuple[Scalar, ...]) -> Constant:
        return self

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        return np.zeros((n, int(self.dim)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return self.draw(stream, len(counts))

    def height(self, lag: Sequence[Scalar]) -> Height:
        return 1

    def frequency_variance(self) -> Scalar:
        return 0

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} is an atom at zero: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        return frequency.product(sympy.DiracDelta)

    def atoms(self) -> Atoms:
        return Atoms(np.zeros((1, int(self.dim))), np.ones(1))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        return (((sympy.S.Zero,) * self.dim, sympy.S.One),) if isinstance(self.dim, int) else None


_NEARLY = 1e-6
"""Cosines closer to ±1 are computed from differences: the error of others stays below 1e-12 under a square root."""


@dataclass(frozen=True, kw_only=True)
class Wave(Stationary):
    """cos(w·Δ): the measure has the two atoms ω = ±w, with probability ½ each, and no density."""

    is_discrete: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True

    @property
    @abstractmethod
    def wave(self) -> tuple[Scalar, ...]:
        """w."""

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.cos(pairs.inner(self.wave)))

    def sums_on_columns(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Σ (cos wx cos wy + sin wx sin wy): inner products, far faster than cosines of differences.

        Where all columns are nearly equal, or opposite, activations such as step() turn the rounding error ε of a
        product into √ε; there 1 − cos t = 2 sin² t/2 and 1 + cos t = 2 cos² t/2 lose no digits.
        """
        rate, count = float(self.wave[0]), x.shape[1]
        left, right = (np.concatenate([np.cos(rate * side), np.sin(rate * side)], axis=1) for side in (x, y))
        sums = left.transpose(0, 2, 1) @ right
        near = np.flatnonzero(np.abs(sums) > count * (1 - _NEARLY))
        place, i, j = np.unravel_index(near, sums.shape)
        halves, equal = 0.5 * rate * (x[place, :, i] - y[place, :, j]), sums[place, i, j] > 0
        missing = np.square(np.where(equal[:, None], np.sin(halves), np.cos(halves))).sum(axis=1)
        sums[place, i, j] = np.where(equal, 1, -1) * (count - 2 * missing)
        return np.asarray(sums)

    def expression(self, pairs: Pairs) -> Any:
        return sympy.cos(pairs.inner(self.wave))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        signs = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
        return np.asarray(np.multiply.outer(signs, np.asarray(self.wave, dtype=float)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        up = stream.generator("up").binomial(counts, 0.5)
        return np.asarray(np.multiply.outer(2.0 * up - counts, np.asarray(self.wave, dtype=float)))

    def height(self, lag: Sequence[Scalar]) -> Height:
        return height_of_turns(inner_product(*of_one_length(self.wave, lag), self.dim))

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of {self.frequencies}: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        terms = [weight * frequency.shift(point).product(sympy.DiracDelta) for point, weight in self.finite_atoms()]
        return sympy.Add(*terms)

    def atoms(self) -> Atoms:
        wave = np.asarray(self.wave, dtype=float)
        return Atoms(np.stack([wave, -wave]), np.full(2, 0.5)) if wave.any() else Atoms(wave[None], np.ones(1))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        if all(entry == 0 for entry in self.wave):
            return ((self.wave, sympy.S.One),)
        return (self.wave, sympy.S.Half), (tuple(-entry for entry in self.wave), sympy.S.Half)


@dataclass(frozen=True, kw_only=True)
class Cosine(Wave):
    """k(Δ) = cos(w·Δ) on R^d, w = `by`; ω = ±w with probability ½ each.

    The measure has atoms and no density. Second moment ‖w‖². Reference: Wilson and Adams 2013.
    """

    name: ClassVar[str] = "cosine"
    formula: ClassVar[str] = "cos(w·Δ)"
    frequencies: ClassVar[str] = "two atoms, ±w"
    reference: ClassVar[str] = "Wilson and Adams 2013"
    recognized_in: ClassVar[tuple[str, ...]] = ("product", "radial on a line")
    acts_on_each_column: ClassVar[bool] = False

    by: tuple[Scalar, ...] = vector()

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        rate = monomial(f.args[0], t, 1) if f.func is sympy.cos else None
        return None if rate is None else (1, {"by": rate})

    @property
    def wave(self) -> tuple[Scalar, ...]:
        return self.by

    def pieces(self, line: Line) -> Any:
        return line.wave(self.by[0])

    def frequency_variance(self) -> Scalar:
        """E ω_i², here its average over the columns: they differ."""
        return sum(entry**2 for entry in self.by) / len(self.by)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        if len(self.by) != self.dim:  # d is a symbol and w constant
            return super().second_moment(matrix)
        entries, w = np.asarray(1 if matrix is None else matrix), np.asarray(self.by)
        image = entries @ w if entries.ndim == 2 else entries * w
        return sum(entry**2 for entry in image.tolist())


@dataclass(frozen=True, kw_only=True)
class Circle(Wave):
    """k(Δ) = cos Δ of one column of angles in radians: the inner product of points e^{ix} of the circle.

    ω = ±1 with probability ½ each: the features z^{±1} have norm 1, the smallest possible. Raises DimensionError for
    more columns. Reference: Daniely, Frostig, Gupta and Singer 2017, section 4.
    """

    name: ClassVar[str] = "circle"
    formula: ClassVar[str] = "cos(Δ), one column of angles"
    frequencies: ClassVar[str] = "two atoms, ±1"
    reference: ClassVar[str] = "Daniely, Frostig, Gupta and Singer 2017"

    def __post_init__(self) -> None:
        self.require_one_column("circle()[0], or write image(…, base=circle())", " of angles")

    @property
    def wave(self) -> tuple[Scalar, ...]:
        return (1,)

    def series(self, place: Any, count: int) -> list[Any]:
        return cosine_series(1, place, count)

    def frequency_variance(self) -> Scalar:
        return 1


_LEAST_SCALE = 1e-4


@dataclass(frozen=True, kw_only=True)
class Periodic(Coordinatewise):
    """k(Δ) = exp(−2 Σ sin²(πΔ_i/p) / ℓ²) on R^d, p = `period` > 0, ℓ = `scale` ≥ 1e-4.

    Every ω_i = 2πn/p with n a difference of two Poisson variables of mean 1/2ℓ² (Skellam): atoms of weight
    e^{−1/ℓ²} I_n(1/ℓ²), n ∈ Z, and no density. Second moment 4π²d/(p²ℓ²). A function of each column: the
    same sine of ‖Δ‖₂ is not positive definite for d ≥ 2. Reference: MacKay 1998; Solin and Särkkä 2014.
    """

    name: ClassVar[str] = "periodic"
    formula: ClassVar[str] = "exp(−2 Σ sin²(πΔ_i / p) / ℓ²)"
    frequencies: ClassVar[str] = "2πn/p, n the difference of two Poisson(1/2ℓ²), in every coordinate"
    reference: ClassVar[str] = "Solin and Särkkä 2014"
    is_discrete: ClassVar[bool] = True
    is_positive: ClassVar[bool] = True
    is_round_at_zero: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True
    recognized_in: ClassVar[tuple[str, ...]] = ("product", "radial on a line")

    period: Scalar = length()
    scale: Scalar = real(1, at_least=_LEAST_SCALE)

    @classmethod
    def recognized(cls, f: Any, t: Any) -> tuple[Any, dict[str, Any]] | None:
        if f.func is not sympy.exp:
            return None
        level, rest = expanded(f.args[0]).as_independent(t, as_Add=True)
        size, wave = rest.as_independent(t, as_Add=False)
        base, power = wave.as_base_exp()
        turn = monomial(base.args[0], t, 1) if (base.func, power) in ((sympy.cos, 1), (sympy.sin, 2)) else None
        if turn is None:
            return None
        if power == 2:  # −c sin²(vt) = c (cos(2vt) − 1)/2
            turn, size, level = 2 * turn, -size / 2, level + size / 2
        if not size.is_positive:
            return None
        return sympy.exp(level + size), {"period": 2 * sympy.pi / turn, "scale": 1 / sympy.sqrt(size)}

    def factor(self, lag: np.ndarray) -> np.ndarray:
        period, scale = float(self.period), float(self.scale)
        return floats(np.exp(-2 * np.square(np.sin(np.pi * (np.fmod(lag, period) / period)) / scale)))

    def factor_expression(self, lag: Any) -> Any:
        return sympy.exp(-2 * sympy.sin(sympy.pi * lag / sympy.S(self.period)) ** 2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        rate = 0.5 / float(self.scale) ** 2
        orders = stream.generator("up").poisson(rate, shape) - stream.generator("down").poisson(rate, shape)
        return orders * (2 * np.pi / float(self.period))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of atoms: it has no density")

    def factor_density_expression(self, frequency: Any) -> Any:
        n = sympy.Symbol("n", integer=True)
        distance, weight = self.harmonics()
        return sympy.Sum(weight(n) * sympy.DiracDelta(frequency - distance * n), (n, -sympy.oo, sympy.oo))

    def skellam_rate(self) -> Scalar:
        return self.scale**-2

    def harmonics(self) -> tuple[Any, Callable[[Any], Any]]:
        rate = sympy.S(self.scale) ** -2
        return 2 * sympy.pi / sympy.S(self.period), lambda n: sympy.exp(-rate) * sympy.besseli(n, rate)

    def series(self, place: Any, count: int) -> list[Any]:
        """exp(c(t)), c = (cos(2πt/p) − 1)/ℓ²: n eₙ = Σ j cⱼ eₙ₋ⱼ."""
        turn = 2 * sympy.pi / sympy.S(self.period)
        slopes = [value / sympy.S(self.scale) ** 2 for value in cosine_series(turn, place, count)]
        found = [sympy.exp(slopes[0] - sympy.S(self.scale) ** -2)]
        for n in range(1, count):
            found.append(sympy.Add(*[j * slopes[j] * found[n - j] for j in range(1, n + 1)]) / n)
        return found

    def height(self, lag: Sequence[Scalar]) -> Height:
        """All frequencies are multiples of 2π/p in every column, of even and odd order."""
        return height_of_answers(is_known_whole(entry / self.period) for entry in lag)

    def frequency_variance(self) -> Scalar:
        pi = np.pi
        if not isinstance(self.scale * self.period, int | float):
            pi = sympy.pi
        return (2 * pi / (self.period * self.scale)) ** 2

    def atoms(self) -> Atoms:
        rate = float(self.scale) ** -2
        last = ceil(9 * sqrt(rate)) + 20  # the mass beyond is below 1e-17
        orders = np.arange(-last, last + 1)
        points = (orders * (2 * np.pi / float(self.period)))[:, None]
        return Atoms.heaviest(points, special.ive(np.abs(orders), rate)).power(int(self.dim))

    def fuse(self, other: Stationary) -> Periodic | None:
        if not isinstance(other, Periodic) or other.period != self.period:
            return None
        scale = (self.scale**-2 + other.scale**-2) ** Fraction(-1, 2)
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> Periodic | None:
        """Another scale ℓ/√s, if it is a valid scale: k is infinitely divisible."""
        scale = self.scale * exponent ** Fraction(-1, 2)
        known = known_number(scale)
        if known is not None and known < _LEAST_SCALE:
            return None
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)
