"""Which catalogue kernels are piecewise exponential polynomials on a line: in the lag, or in the frequency.

One rule beside each kernel; the kernels know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import factorial
from typing import Any

from kernelspec.distributions.cauchy import Cauchy as CauchyLaw
from kernelspec.distributions.chi_square import ChiSquare
from kernelspec.distributions.discrete import Discrete
from kernelspec.distributions.gamma import Gamma
from kernelspec.distributions.gaussian import Gaussian as GaussianLaw
from kernelspec.distributions.laplace import Laplace as LaplaceLaw
from kernelspec.distributions.scaled import Scaled
from kernelspec.distributions.student_t import StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.kernels.leaves.bochner import Bochner
from kernelspec.kernels.leaves.cauchy import Cauchy
from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.exponential import Exponential
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.leaves.powered_exponential import PoweredExponential
from kernelspec.kernels.leaves.rational_quadratic import RationalQuadratic
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.leaves.sinc import Sinc
from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.kernels.leaves.triangle import Triangle
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.notation.elementary import known_number
from kernelspec.special.matern_function import half_integer_coefficients

__all__ = ["Member", "pieces_of"]

_LARGEST_ORDER = 12
"""Of the polynomials that a kernel or a distribution may bring along."""


@dataclass(frozen=True)
class Member:
    """A kernel on a line by its pieces: `lag` those of k(t), `frequency` those of its spectral density; one is None."""

    lag: Piecewise | None = None
    frequency: Piecewise | None = None


@singledispatch
def pieces_of(kernel: Any, numbers: Coefficients) -> Member:
    """The pieces of a kernel on one column. Raises NotClosed where it has none."""
    del numbers
    raise NotClosed(f"{kernel} is no piecewise exponential polynomial")


# -- in the lag ------------------------------------------------------------------------------------------------------


@pieces_of.register
def _gaussian(kernel: Gaussian, numbers: Coefficients) -> Member:
    return _bell(kernel.scale, numbers)


@pieces_of.register
def _laplace(kernel: Laplace, numbers: Coefficients) -> Member:
    return _mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _exponential(kernel: Exponential, numbers: Coefficients) -> Member:
    return _mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)


@pieces_of.register
def _matern(kernel: Matern, numbers: Coefficients) -> Member:
    rate = numbers.root(2 * numbers.number(_exact(kernel.nu))) / numbers.number(kernel.scale)
    return _mirrored_polynomial(_matern_weights(kernel.nu), rate, numbers)


@pieces_of.register
def _powered_exponential(kernel: PoweredExponential, numbers: Coefficients) -> Member:
    if kernel.alpha == 1:
        return _mirrored_polynomial([1], 1 / numbers.number(kernel.scale), numbers)
    if kernel.alpha == 2:
        return _bell(numbers.number(kernel.scale) / numbers.root(numbers.number(2)), numbers)
    raise NotClosed(f"{kernel} is elementary for alpha 1 and 2 only")


@pieces_of.register
def _triangle(kernel: Triangle, numbers: Coefficients) -> Member:
    return _tents([(numbers.number(kernel.width), numbers.number(1))], numbers)


@pieces_of.register
def _cosine(kernel: Cosine, numbers: Coefficients) -> Member:
    zero, half, (wave,) = numbers.number(0), numbers.number(1) / 2, kernel.by
    waves = (numbers.number(wave), -numbers.number(wave))
    pieces = (Piece(None, None, (half,), zero, zero, zero, zero, w) for w in waves)
    return Member(Piecewise.of(pieces, numbers))


@pieces_of.register
def _shift_gaussian(kernel: ShiftGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(_line(_bell(kernel.scale, numbers)).shifted(numbers.number(by)))


@pieces_of.register
def _cosh_gaussian(kernel: CoshGaussian, numbers: Coefficients) -> Member:
    (by,) = kernel.by
    return Member(_line(_bell(kernel.scale, numbers)).tilted(numbers.number(by)))


@pieces_of.register
def _sinh_gaussian(kernel: SinhGaussian, numbers: Coefficients) -> Member:
    bell, by, half = _line(_bell(kernel.scale, numbers)), numbers.number(kernel.by[0]), numbers.number(1) / 2
    return Member(bell + bell.tilted(by).scaled(half) + bell.tilted(-by).scaled(-half))


@pieces_of.register
def _polya(kernel: Polya, numbers: Coefficients) -> Member:
    return Member(_polya_function(kernel.law, numbers))


@singledispatch
def _polya_function(law: Any, numbers: Coefficients) -> Piecewise:
    del numbers
    raise NotClosed(f"the Polya kernel of {law} is no piecewise exponential polynomial")


@_polya_function.register
def _polya_of_gamma(law: Gamma, numbers: Coefficients) -> Piecewise:
    return _gamma_mixture(law.shape, law.scale, numbers)


@_polya_function.register
def _polya_of_chi_square(law: ChiSquare, numbers: Coefficients) -> Piecewise:
    return _gamma_mixture(_half(law.dof), 2, numbers)


@_polya_function.register
def _polya_of_discrete(law: Discrete, numbers: Coefficients) -> Piecewise:
    pairs = zip(law.values, law.probabilities(), strict=True)
    return _line(_tents([(numbers.number(v), numbers.number(p)) for v, p in pairs], numbers))


@_polya_function.register
def _polya_of_scaled(law: Scaled, numbers: Coefficients) -> Piecewise:
    return _polya_function(law.base, numbers).stretched(1 / numbers.number(law.factor))


# -- in the frequency ------------------------------------------------------------------------------------------------


@pieces_of.register
def _cauchy(kernel: Cauchy, numbers: Coefficients) -> Member:
    rate = numbers.number(kernel.scale)
    return _as_density(_mirrored_polynomial([1], rate, numbers, rate / 2))


@pieces_of.register
def _rational_quadratic(kernel: RationalQuadratic, numbers: Coefficients) -> Member:
    order = _whole(kernel.alpha)
    rate = numbers.root(2 * numbers.number(order)) * numbers.number(kernel.scale)
    weights = _matern_weights(Fraction(2 * order - 1, 2))
    mass = sum(weight * factorial(n) for n, weight in enumerate(weights))
    return _as_density(_mirrored_polynomial(weights, rate, numbers, rate / numbers.number(2 * mass)))


@pieces_of.register
def _sinc(kernel: Sinc, numbers: Coefficients) -> Member:
    return _box(kernel.bandwidth, numbers)


@pieces_of.register
def _bochner(kernel: Bochner, numbers: Coefficients) -> Member:
    return _member_of_law(kernel.distribution, numbers)


@singledispatch
def _member_of_law(law: Any, numbers: Coefficients) -> Member:
    del numbers
    raise NotClosed(f"{law} as a spectral law is no piecewise exponential polynomial")


@_member_of_law.register
def _laplace_law(law: LaplaceLaw, numbers: Coefficients) -> Member:
    rate = 1 / numbers.number(law.scale)
    return _as_density(_mirrored_polynomial([1], rate, numbers, rate / 2))


@_member_of_law.register
def _uniform_law(law: Uniform, numbers: Coefficients) -> Member:
    return _box(law.high, numbers)  # symmetric about zero: bochner() takes no other


@_member_of_law.register
def _gaussian_law(law: GaussianLaw, numbers: Coefficients) -> Member:
    return _bell(1 / numbers.number(law.scale), numbers)


@_member_of_law.register
def _cauchy_law(law: CauchyLaw, numbers: Coefficients) -> Member:
    return _mirrored_polynomial([1], numbers.number(law.scale), numbers)


@_member_of_law.register
def _student_law(law: StudentT, numbers: Coefficients) -> Member:
    rate = numbers.root(numbers.number(_exact(law.dof))) * numbers.number(law.scale)
    return _mirrored_polynomial(_matern_weights(_half(law.dof)), rate, numbers)


# -- their building blocks -------------------------------------------------------------------------------------------


def _line(member: Member) -> Piecewise:
    if member.lag is None:
        raise NotClosed("a density where a function of the lag is needed")
    return member.lag


def _as_density(member: Member) -> Member:
    return Member(None, member.lag)


def _bell(scale: Any, numbers: Coefficients) -> Member:
    """e^{−t²/2σ²}."""
    zero, one = numbers.number(0), numbers.number(1)
    piece = Piece(
        None, None, (one,), zero, zero, numbers.simplified(one / (2 * numbers.number(scale) ** 2)), zero, zero
    )
    return Member(Piecewise.of([piece], numbers))


def _mirrored_polynomial(weights: Any, rate: Any, numbers: Coefficients, factor: Any = 1) -> Member:
    """Σ c_n (a|t|)ⁿ e^{−a|t|}, times a factor."""
    zero = numbers.number(0)
    scaled = tuple(numbers.simplified(factor * numbers.number(c) * rate**n) for n, c in enumerate(weights))
    piece = Piece(zero, None, scaled, zero, numbers.simplified(rate), zero, zero, zero)
    return Member(Piecewise.of([piece, piece.mirrored()], numbers))


def _tents(widths: list[tuple[Any, Any]], numbers: Coefficients) -> Member:
    """Σ w max(0, 1 − |t|/c) over the pairs (c, w)."""
    zero = numbers.number(0)
    pieces = []
    for width, weight in widths:
        if numbers.is_zero(weight, weight):
            continue
        piece = Piece(zero, width, (weight, -weight / width), zero, zero, zero, zero, zero)
        pieces += [piece, piece.mirrored()]
    return Member(Piecewise.of(pieces, numbers))


def _box(bandwidth: Any, numbers: Coefficients) -> Member:
    """The uniform density on (−b, b)."""
    zero, size = numbers.number(0), numbers.number(bandwidth)
    piece = Piece(-size, size, (1 / (2 * size),), zero, zero, zero, zero, zero)
    return Member(None, Piecewise.of([piece], numbers))


def _gamma_mixture(shape: Any, scale: Any, numbers: Coefficients) -> Piecewise:
    """φ(t) = Q(s, x) − x Q(s−1, x)/(s−1), x = t/θ, for whole s ≥ 2: Q(s, x) = e^{−x} Σ_{k<s} x^k/k!."""
    s = _whole(shape)
    if s < 2:
        raise NotClosed("the Polya kernel of a gamma distribution with shape 1 contains an exponential integral")
    weights = [Fraction(1, factorial(k)) - (Fraction(1, (s - 1) * factorial(k - 1)) if k else 0) for k in range(s)]
    return _line(_mirrored_polynomial(weights, 1 / numbers.number(scale), numbers))


def _matern_weights(order: Any) -> list[Fraction]:
    """c_n with M_ν(x) = e^{−x} Σ c_n xⁿ. Raises NotClosed unless ν is n + ½."""
    known = known_number(order)
    found = None if known is None else half_integer_coefficients(known)
    if found is None:
        raise NotClosed("a Matérn function is elementary for half-integer orders only")
    return list(reversed(found))


def _whole(value: Any) -> int:
    """The value as a small whole number. Raises NotClosed for others."""
    known = known_number(value)
    if known is None or known != int(known) or not 1 <= known <= _LARGEST_ORDER:
        raise NotClosed("a whole number is needed")
    return int(known)


def _half(value: Any) -> Fraction:
    known = known_number(value)
    if known is None or not known < 100:
        raise NotClosed("a number is needed")
    return Fraction(known) / 2


def _exact(value: Any) -> Any:
    """A number that is a half-integer as a fraction."""
    known = known_number(value)
    return value if known is None or 2 * known != int(2 * known) else Fraction(known)
