"""Kernels whose frequencies are atoms: constant(), cosine() and periodic()."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

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
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.special.elementary import floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.expressions.pairs import NumericPairs, Pairs
    from kernelspec.expressions.symbolic_pairs import SymbolicPairs
    from kernelspec.kernels.atoms import Atoms
    from kernelspec.random.streams import Stream

__all__ = ["Constant", "Cosine", "Periodic"]


@dataclass(frozen=True, kw_only=True)
class Constant(Stationary):
    """k(x, y) = 1 whatever the rows are: an intercept. `2*constant()` is 2 everywhere.

    It reads no column. The measure is an atom at zero; one constant feature, without variance. As a factor it changes
    nothing. Reference: Rasmussen and Williams 2006, section 4.2.
    """

    name: ClassVar[str] = "constant"
    formula: ClassVar[str] = "1"
    frequencies: ClassVar[str] = "an atom at zero"
    reference: ClassVar[str] = "Rasmussen and Williams 2006, section 4.2"
    is_discrete: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True
    powers_are_one_draw: ClassVar[bool] = True

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return np.ones(pairs.shape)

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        del pairs
        return sympy.S.One

    def raised(self, exponent: Scalar) -> Constant:
        del exponent
        return self

    def fuse(self, other: Stationary) -> Stationary:
        return other

    def shifted(self, by: tuple[Scalar, ...]) -> Constant:
        del by
        return self

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        del stream
        return np.zeros((n, int(self.dim)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        return self.draw(stream, len(counts))

    def height(self, lag: Sequence[Scalar]) -> Height:
        del lag
        return 1

    def frequency_variance(self) -> Scalar:
        return 0

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} is an atom at zero: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        return frequency.product(sympy.DiracDelta)

    def atoms(self) -> Atoms:
        from kernelspec.kernels.atoms import Atoms

        return Atoms(np.zeros((1, int(self.dim))), np.ones(1))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...] | None:
        import sympy

        return (((sympy.S.Zero,) * self.dim, sympy.S.One),) if isinstance(self.dim, int) else None


@dataclass(frozen=True, kw_only=True)
class Cosine(Stationary):
    """k(Δ) = cos(w·Δ) on R^d, w = `by`; ω = ±w with probability ½ each.

    The measure has atoms and no density. Second moment ‖w‖². Reference: Wilson and Adams 2013.
    """

    name: ClassVar[str] = "cosine"
    formula: ClassVar[str] = "cos(w·Δ)"
    frequencies: ClassVar[str] = "two atoms, ±w"
    reference: ClassVar[str] = "Wilson and Adams 2013"
    is_discrete: ClassVar[bool] = True
    is_analytic: ClassVar[bool] = True

    by: tuple[Scalar, ...] = vector()

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return floats(np.cos(pairs.inner(self.by)))

    def expression(self, pairs: Pairs) -> Any:
        import sympy

        return sympy.cos(pairs.inner(self.by))

    def draw(self, stream: Stream, n: int) -> np.ndarray:
        signs = np.where(stream.generator("sign").random(n) < 0.5, -1.0, 1.0)
        return np.asarray(np.multiply.outer(signs, np.asarray(self.by, dtype=float)))

    def draw_sums(self, stream: Stream, counts: np.ndarray) -> np.ndarray:
        up = stream.generator("up").binomial(counts, 0.5)
        return np.asarray(np.multiply.outer(2.0 * up - counts, np.asarray(self.by, dtype=float)))

    def height(self, lag: Sequence[Scalar]) -> Height:
        return height_of_turns(inner_product(*of_one_length(self.by, lag), self.dim))

    def frequency_variance(self) -> Scalar:
        """E ω_i², here its average over the columns: they differ."""
        return sum(entry**2 for entry in self.by) / len(self.by)

    def second_moment(self, matrix: Scalar | None = None) -> Scalar:
        if len(self.by) != self.dim:  # d is a symbol and w constant
            return super().second_moment(matrix)
        entries, w = np.asarray(1 if matrix is None else matrix), np.asarray(self.by)
        image = entries @ w if entries.ndim == 2 else entries * w
        return sum(entry**2 for entry in image.tolist())

    def density(self, frequencies: NumericPairs) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of two atoms, ±w: it has no density")

    def density_expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        terms = [weight * frequency.shift(point).product(sympy.DiracDelta) for point, weight in self.finite_atoms()]
        return sympy.Add(*terms)

    def atoms(self) -> Atoms:
        from kernelspec.kernels.atoms import Atoms

        by = np.asarray(self.by, dtype=float)
        return Atoms(np.stack([by, -by]), np.full(2, 0.5)) if by.any() else Atoms(by[None], np.ones(1))

    def finite_atoms(self) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        import sympy

        if all(entry == 0 for entry in self.by):
            return ((self.by, sympy.S.One),)
        return (self.by, sympy.S.Half), (tuple(-entry for entry in self.by), sympy.S.Half)


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
    is_analytic: ClassVar[bool] = True

    period: Scalar = length()
    scale: Scalar = real(1, at_least=_LEAST_SCALE)

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂: near 0 the logarithm of k is quadratic."""
        return floats(np.sqrt(pairs.squared_norm()))

    def factor(self, lag: np.ndarray) -> np.ndarray:
        period, scale = float(self.period), float(self.scale)
        return floats(np.exp(-2 * np.square(np.sin(np.pi * (np.fmod(lag, period) / period)) / scale)))

    def factor_expression(self, lag: Any) -> Any:
        import sympy

        return sympy.exp(-2 * sympy.sin(sympy.pi * lag / sympy.S(self.period)) ** 2 / sympy.S(self.scale) ** 2)

    def draw_coordinates(self, stream: Stream, shape: tuple[int, int]) -> np.ndarray:
        rate = 0.5 / float(self.scale) ** 2
        orders = stream.generator("up").poisson(rate, shape) - stream.generator("down").poisson(rate, shape)
        return orders * (2 * np.pi / float(self.period))

    def factor_density(self, frequency: np.ndarray) -> np.ndarray:
        raise NoDensityError(f"the spectral measure of {self} consists of atoms: it has no density")

    def factor_density_expression(self, frequency: Any) -> Any:
        import sympy

        n = sympy.Symbol("n", integer=True)
        rate = sympy.S(self.scale) ** -2
        weight = sympy.exp(-rate) * sympy.besseli(n, rate)
        delta = sympy.DiracDelta(frequency - 2 * sympy.pi * n / sympy.S(self.period))
        return sympy.Sum(weight * delta, (n, -sympy.oo, sympy.oo))

    def height(self, lag: Sequence[Scalar]) -> Height:
        """The frequencies are all multiples of 2π/p in every column, those of even and of odd order."""
        return height_of_answers(is_known_whole(entry / self.period) for entry in lag)

    def frequency_variance(self) -> Scalar:
        pi = np.pi
        if not isinstance(self.scale * self.period, int | float):
            import sympy

            pi = sympy.pi
        return (2 * pi / (self.period * self.scale)) ** 2

    def atoms(self) -> Atoms:
        from scipy.special import ive

        from kernelspec.kernels.atoms import Atoms

        rate = float(self.scale) ** -2
        last = ceil(9 * sqrt(rate)) + 20  # the mass beyond is below 1e-17
        orders = np.arange(-last, last + 1)
        points = (orders * (2 * np.pi / float(self.period)))[:, None]
        return Atoms.heaviest(points, ive(np.abs(orders), rate)).power(int(self.dim))

    def fuse(self, other: Stationary) -> Periodic | None:
        if not isinstance(other, Periodic) or other.period != self.period:
            return None
        scale = (self.scale**-2 + other.scale**-2) ** Fraction(-1, 2)
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)

    def raised(self, exponent: Scalar) -> Periodic | None:
        """Another scale ℓ/√s, where that is one of the scales there are: k is infinitely divisible."""
        scale = self.scale * exponent ** Fraction(-1, 2)
        known = known_number(scale)
        if known is not None and known < _LEAST_SCALE:
            return None
        return Periodic(period=self.period, scale=scale, dim=self.dim, span=self.span)
