"""What the members are made of: bells, polynomials times exponentials, tents, boxes, and their exact numbers."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.notation.elementary import known_number
from kernelspec.special.matern_function import half_integer_coefficients

__all__ = [
    "as_density",
    "bell",
    "box",
    "exact_half_integer",
    "gamma_mixture",
    "half_of",
    "lag_of",
    "matern_weights",
    "mirrored_polynomial",
    "tents",
    "whole_number",
]

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
