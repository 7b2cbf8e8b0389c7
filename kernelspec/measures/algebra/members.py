"""Which kernels and spectral laws are piecewise exponential polynomials on a line.

One rule beside each kernel; the kernels know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import factorial
from typing import Any

from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.distribution import Scaled
from kernelspec.distributions.gamma_family import ChiSquare, Gamma
from kernelspec.distributions.symmetric import Cauchy as CauchyLaw
from kernelspec.distributions.symmetric import Gaussian as GaussianLaw
from kernelspec.distributions.symmetric import Laplace as LaplaceLaw
from kernelspec.distributions.symmetric import StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.expressions.elementary import known_number
from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.coordinatewise import Cauchy, Laplace, Sinc, Triangle
from kernelspec.kernels.leaves.discrete import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, ShiftGaussian, SinhGaussian
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.leaves.radial import Exponential, Matern, PoweredExponential, RationalQuadratic
from kernelspec.measures.algebra.numbers import Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise
from kernelspec.special.elementary import half_integer_coefficients

__all__ = [
    "Member",
    "as_density",
    "bell",
    "box",
    "exact_half_integer",
    "gamma_mixture",
    "half_of",
    "lag_of",
    "matern_weights",
    "member_of_law",
    "mirrored_polynomial",
    "pieces_of",
    "polya_function",
    "tents",
    "whole_number",
]


@dataclass(frozen=True)
class Member:
    """A kernel on a line by its pieces: `lag` those of k(t), `frequency` those of its spectral density; one is None."""

    lag: Piecewise | None = None
    frequency: Piecewise | None = None


_LARGEST_ORDER = 12
"""Of the polynomials that a kernel or a distribution may bring along."""


def lag_of(member: Member) -> Piecewise:
    """The function of the lag. Raises NotClosed for a density."""
    if member.lag is None:
        raise NotClosed("a density where a function of the lag is needed")
    return member.lag


def as_density(member: Member) -> Member:
    """The member whose density is what that of the lag was."""
    return Member(None, member.lag)


def bell(scale: Any, numbers: Coefficients) -> Member:
    """e^{−t²/2σ²}."""
    zero, one = numbers.number(0), numbers.number(1)
    piece = Piece(
        None, None, (one,), zero, zero, numbers.simplified(one / (2 * numbers.number(scale) ** 2)), zero, zero
    )
    return Member(Piecewise.of([piece], numbers))


def mirrored_polynomial(weights: Any, rate: Any, numbers: Coefficients, factor: Any = 1) -> Member:
    """Σ c_n (a|t|)ⁿ e^{−a|t|}, times a factor."""
    zero = numbers.number(0)
    scaled = tuple(numbers.simplified(factor * numbers.number(c) * rate**n) for n, c in enumerate(weights))
    piece = Piece(zero, None, scaled, zero, numbers.simplified(rate), zero, zero, zero)
    return Member(Piecewise.of([piece, piece.mirrored()], numbers))


def tents(widths: list[tuple[Any, Any]], numbers: Coefficients) -> Member:
    """Σ w max(0, 1 − |t|/c) over the pairs (c, w)."""
    zero = numbers.number(0)
    pieces = []
    for width, weight in widths:
        if numbers.is_zero(weight, weight):
            continue
        piece = Piece(zero, width, (weight, -weight / width), zero, zero, zero, zero, zero)
        pieces += [piece, piece.mirrored()]
    return Member(Piecewise.of(pieces, numbers))


def box(bandwidth: Any, numbers: Coefficients) -> Member:
    """The uniform density on (−b, b)."""
    zero, size = numbers.number(0), numbers.number(bandwidth)
    piece = Piece(-size, size, (1 / (2 * size),), zero, zero, zero, zero, zero)
    return Member(None, Piecewise.of([piece], numbers))


def gamma_mixture(shape: Any, scale: Any, numbers: Coefficients) -> Piecewise:
    """φ(t) = Q(s, x) − x Q(s−1, x)/(s−1), x = t/θ, for whole s ≥ 2: Q(s, x) = e^{−x} Σ_{k<s} x^k/k!."""
    s = whole_number(shape)
    if s < 2:
        raise NotClosed("the Polya kernel of a gamma distribution with shape 1 contains an exponential integral")
    weights = [Fraction(1, factorial(k)) - (Fraction(1, (s - 1) * factorial(k - 1)) if k else 0) for k in range(s)]
    return lag_of(mirrored_polynomial(weights, 1 / numbers.number(scale), numbers))


def matern_weights(order: Any) -> list[Fraction]:
    """c_n with M_ν(x) = e^{−x} Σ c_n xⁿ. Raises NotClosed unless ν is n + ½."""
    exact = _fraction(order)
    found = None if exact is None or (2 * exact).denominator != 1 else half_integer_coefficients(float(exact))
    if found is None:
        raise NotClosed("a Matérn function is elementary for half-integer orders only")
    return list(reversed(found))


def whole_number(value: Any) -> int:
    """The value as a small whole number. Raises NotClosed for others."""
    exact = _fraction(value)
    if exact is None or exact.denominator != 1 or not 1 <= exact <= _LARGEST_ORDER:
        raise NotClosed("a whole number is needed")
    return int(exact)


def half_of(value: Any) -> Fraction:
    """Half of a number. Raises NotClosed for a symbol, and for what is not below 100."""
    known = known_number(value)
    if known is None or not known < 100:
        raise NotClosed("a number is needed")
    return Fraction(known) / 2


def exact_half_integer(value: Any) -> Any:
    """A number that is a half-integer as a fraction."""
    exact = _fraction(value)
    return value if exact is None or (2 * exact).denominator != 1 else exact


def _fraction(value: Any) -> Fraction | None:
    """A number as it is, never rounded to a float before it is compared; None for a symbol."""
    if getattr(value, "is_Rational", False):
        return Fraction(int(value.p), int(value.q))
    known = known_number(value)
    return None if known is None else Fraction(known)


@singledispatch
def polya_function(law: Any, numbers: Coefficients) -> Piecewise:
    """φ(t) in pieces. Raises NotClosed where it is none."""
    del numbers
    raise NotClosed(f"the Polya kernel of {law} is no piecewise exponential polynomial")


@polya_function.register
def _polya_of_gamma(law: Gamma, numbers: Coefficients) -> Piecewise:
    return gamma_mixture(law.shape, law.scale, numbers)


@polya_function.register
def _polya_of_chi_square(law: ChiSquare, numbers: Coefficients) -> Piecewise:
    return gamma_mixture(half_of(law.dof), 2, numbers)


@polya_function.register
def _polya_of_discrete(law: Discrete, numbers: Coefficients) -> Piecewise:
    pairs = zip(law.values, law.probabilities(), strict=True)
    return lag_of(tents([(numbers.number(v), numbers.number(p)) for v, p in pairs], numbers))


@polya_function.register
def _polya_of_scaled(law: Scaled, numbers: Coefficients) -> Piecewise:
    return polya_function(law.base, numbers).stretched(1 / numbers.number(law.factor))


@singledispatch
def member_of_law(law: Any, numbers: Coefficients) -> Member:
    """The pieces of the kernel whose frequencies have the law. Raises NotClosed where it has none."""
    del numbers
    raise NotClosed(f"{law} as a spectral law is no piecewise exponential polynomial")


@member_of_law.register
def _laplace_law(law: LaplaceLaw, numbers: Coefficients) -> Member:
    rate = 1 / numbers.number(law.scale)
    return as_density(mirrored_polynomial([1], rate, numbers, rate / 2))


@member_of_law.register
def _uniform_law(law: Uniform, numbers: Coefficients) -> Member:
    return box(law.high, numbers)  # symmetric about zero: bochner() takes no other


@member_of_law.register
def _gaussian_law(law: GaussianLaw, numbers: Coefficients) -> Member:
    return bell(1 / numbers.number(law.scale), numbers)


@member_of_law.register
def _cauchy_law(law: CauchyLaw, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], numbers.number(law.scale), numbers)


@member_of_law.register
def _student_law(law: StudentT, numbers: Coefficients) -> Member:
    rate = numbers.root(numbers.number(exact_half_integer(law.dof))) * numbers.number(law.scale)
    return mirrored_polynomial(matern_weights(half_of(law.dof)), rate, numbers)


@singledispatch
def pieces_of(kernel: Any, numbers: Coefficients) -> Member:
    """The pieces of a kernel on one column. Raises NotClosed where it has none."""
    del numbers
    raise NotClosed(f"{kernel} is no piecewise exponential polynomial")


@pieces_of.register
def _gaussian(kernel: Gaussian, numbers: Coefficients) -> Member:
    return bell(kernel.scale, numbers)


@pieces_of.register
def _laplace(kernel: Laplace, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _exponential(kernel: Exponential, numbers: Coefficients) -> Member:
    return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _matern(kernel: Matern, numbers: Coefficients) -> Member:
    rate = numbers.root(2 * numbers.number(exact_half_integer(kernel.nu))) / numbers.number(kernel.scale)
    return mirrored_polynomial(matern_weights(kernel.nu), rate, numbers)


@pieces_of.register
def _powered_exponential(kernel: PoweredExponential, numbers: Coefficients) -> Member:
    if kernel.alpha == 1:
        return mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)
    if kernel.alpha == 2:
        return bell(numbers.number(kernel.scale) / numbers.root(numbers.number(2)), numbers)
    raise NotClosed(f"{kernel} is elementary for alpha 1 and 2 only")


@pieces_of.register
def _triangle(kernel: Triangle, numbers: Coefficients) -> Member:
    return tents([(numbers.number(kernel.width), numbers.number(1))], numbers)


@pieces_of.register
def _cosine(kernel: Cosine, numbers: Coefficients) -> Member:
    zero, half, (wave,) = numbers.number(0), numbers.number(1) / 2, kernel.by
    waves = (numbers.number(wave), -numbers.number(wave))
    pieces = (Piece(None, None, (half,), zero, zero, zero, zero, w) for w in waves)
    return Member(Piecewise.of(pieces, numbers))


@pieces_of.register
def _shift_gaussian(kernel: ShiftGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(lag_of(bell(kernel.scale, numbers)).shifted(numbers.number(by)))


@pieces_of.register
def _cosh_gaussian(kernel: CoshGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(lag_of(bell(kernel.scale, numbers)).tilted(numbers.number(by)))


@pieces_of.register
def _sinh_gaussian(kernel: SinhGaussian, numbers: Coefficients) -> Member:
    whole, by, half = lag_of(bell(kernel.scale, numbers)), numbers.number(kernel.by[0]), numbers.number(1) / 2
    return Member(whole + whole.tilted(by).scaled(half) + whole.tilted(-by).scaled(-half))


@pieces_of.register
def _polya(kernel: Polya, numbers: Coefficients) -> Member:
    return Member(polya_function(kernel.law, numbers))


@pieces_of.register
def _cauchy(kernel: Cauchy, numbers: Coefficients) -> Member:
    rate = numbers.number(kernel.scale)
    return as_density(mirrored_polynomial([1], rate, numbers, rate / 2))


@pieces_of.register
def _rational_quadratic(kernel: RationalQuadratic, numbers: Coefficients) -> Member:
    order = whole_number(kernel.alpha)
    rate = numbers.root(2 * numbers.number(order)) * numbers.number(kernel.scale)
    weights = matern_weights(Fraction(2 * order - 1, 2))
    mass = sum(weight * factorial(n) for n, weight in enumerate(weights))
    return as_density(mirrored_polynomial(weights, rate, numbers, rate / numbers.number(2 * mass)))


@pieces_of.register
def _sinc(kernel: Sinc, numbers: Coefficients) -> Member:
    return box(kernel.bandwidth, numbers)


@pieces_of.register
def _bochner(kernel: Bochner, numbers: Coefficients) -> Member:
    return member_of_law(kernel.distribution, numbers)
