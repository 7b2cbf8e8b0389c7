"""The transforms of the pieces of a function of the lag, each with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelspec.measures.algebra.frequency_integrals import fraction_integral, smoothed
from kernelspec.measures.algebra.lag_transform import transform_of_piece
from kernelspec.measures.algebra.line_transform import is_even
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import Piece
from kernelspec.measures.algebra.piece_expressions import complex_value
from kernelspec.measures.algebra.plain_numbers import PlainNumbers
from kernelspec.measures.derivation.step import Journal

__all__ = ["transforms"]

_Name = Callable[[Any], Any]


def transforms(member: Member, lag: _Name, density: _Name | None, omega: Any, journal: Journal) -> tuple[Any, str]:
    """Write down the transform of every piece; their sum over 2π in the names they got, and in words.

    The pieces are those of the function called `lag`; where there is a density too, every transform H is convolved
    with it: ∫ p(ν) H(ω − ν) dν. Of an even function the pieces for t > 0 stand for all.
    """
    import sympy

    assert member.lag is not None
    even = is_even(member)
    whole = [piece for piece in member.lag.pieces if piece.is_whole_line]
    rest = type(member.lag)(tuple(p for p in member.lag.pieces if not p.is_whole_line), member.lag.numbers)
    halves = rest.restricted(rest.numbers.number(0), None).pieces if even else _cut_at_zero(rest, density is not None)
    total = sympy.Add(*[_steps(piece, member, lag, density, omega, journal) for piece in whole])
    half = sympy.Add(*[_steps(piece, member, lag, density, omega, journal) for piece in halves])
    mirrored = even and bool(halves)
    words = "k is even: the pieces for t < 0 are the conjugates" if mirrored else "the transforms over 2π"
    return sympy.expand((total + (2 * sympy.re(half) if even else half)) / (2 * sympy.pi)), words


def _cut_at_zero(rest: Any, needed: bool) -> tuple[Piece, ...]:
    if not needed:
        return tuple(rest.pieces)
    zero = rest.numbers.number(0)
    return (*rest.restricted(None, zero).pieces, *rest.restricted(zero, None).pieces)


def _steps(piece: Piece, member: Member, lag: _Name, density: _Name | None, omega: Any, journal: Journal) -> Any:
    import sympy

    assert member.lag is not None
    plain, numbers = PlainNumbers(), member.lag.numbers
    low = -sympy.oo if piece.low is None else piece.low
    high = sympy.oo if piece.high is None else piece.high
    t = sympy.Symbol("t", real=True)
    integrand = complex_value(piece, t) * sympy.exp(-sympy.I * omega * t)
    value = transform_of_piece(piece, omega, numbers, plain)
    name = journal.name("T")
    curved = "with a Gaussian factor" if piece.curvature != 0 else "without a Gaussian factor"
    words = f"a piece of {lag(t)} {curved}"
    journal.write("transform", words, name(omega), sympy.Integral(integrand, (t, low, high)), value)
    if density is None or member.frequency is None:
        return name(omega)
    pieces, nu = member.frequency.pieces, sympy.Symbol("nu", real=True)
    if piece.is_whole_line:
        value = smoothed([piece], pieces, omega, numbers, plain)
    elif piece.high is not None and numbers.less(0 * piece.high, piece.high) is not True:
        value = fraction_integral([piece.mirrored()], pieces, -omega, numbers, plain)
    else:
        value = fraction_integral([piece], pieces, omega, numbers, plain)
    mixed = journal.name("T")
    integral = sympy.Integral(density(nu) * name(omega - nu), (nu, -sympy.oo, sympy.oo))
    journal.write("transform", "convolved with the density", mixed(omega), integral, value)
    return mixed(omega)
