"""The closed density on a line in SymPy, in real form where the kernel is symmetric."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.gathered_terms import gathered_terms
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.line_transform import (
    density_of_member,
    is_even,
    require_closed,
    transforms_of_member,
)
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piece_expressions import function_of
from kernelspec.measures.algebra.plain_numbers import PlainNumbers
from kernelspec.measures.measure import Measure

__all__ = ["line_expression", "line_parts"]


def line_expression(measure: Measure, omega: Any) -> Any:
    """μ(ω): in real form for an even member, in complex numbers for others. Raises NotClosed where there is no form."""
    import sympy

    members = line_members(measure, ExactNumbers())
    for member in members:
        require_closed(member)
    return sympy.Add(*[_of_member(member, omega) for member in members])


def line_parts(measure: Measure, omega: Any) -> tuple[Any, Any]:
    """(Re μ, Im μ) at ω, each in real form. Raises NotClosed where there is none."""
    import sympy

    numbers = ExactNumbers()
    total = numbers.real(0)
    for member in line_members(measure, numbers):
        if is_even(member) or member.lag is None:
            total = total + numbers.real(_of_member(member, omega))
        elif _singular_points(member):
            whole = _of_member(member, omega)
            total = total + numbers.complex(sympy.re(whole), sympy.im(whole))
        else:
            total = total + density_of_member(member, numbers.frequency(omega), numbers)
    return total.re, total.im


def _of_member(member: Member, omega: Any) -> Any:
    import sympy

    if member.lag is None:
        if member.frequency is None or any(piece.wave != 0 for piece in member.frequency.pieces):
            raise NotClosed("a density with waves is stated by its parts")
        return function_of(member.frequency, omega)
    even = is_even(member)
    numbers = ExactNumbers() if even else PlainNumbers()

    def value(at: Any) -> Any:
        found = density_of_member(member, numbers.frequency(at), numbers)
        return found.re if even else found

    other = _in_complex_numbers(member, omega) if even else _by_parity(member, omega)
    whole = gathered_terms(_shorter(value(omega), other))
    special = [
        (value(point) if member.frequency is None else _by_integral(member, point), sympy.Eq(omega, point))
        for point in _singular_points(member)
    ]
    return sympy.Piecewise(*special, (whole, True)) if special else whole


def _in_complex_numbers(member: Member, omega: Any) -> Any | None:
    """The density of an even member as a real part, where special functions need one; None where none do.

    The real part is left alone: SymPy would multiply it out.
    """
    import sympy

    whole, right, _ = transforms_of_member(member, omega, PlainNumbers())
    if right is None or not right.has(sympy.erf, sympy.erfc, sympy.expint, sympy.Ei):
        return None
    if whole.has(sympy.I):
        whole, right = sympy.S.Zero, right + whole / 2
    content, right = right.as_content_primitive() if right.is_Add else (sympy.S.One, right)
    return (whole / 2 + content * sympy.re(right, evaluate=False)) / sympy.pi


def _by_parity(member: Member, omega: Any) -> Any | None:
    """The density of the even part of k plus that of the odd part, where both have fewer pieces than k has."""
    import sympy

    lag = member.lag
    if lag is None or (member.frequency is not None and not member.frequency.is_even):
        return None
    half, back = sympy.S.Half, lag.mirrored()
    even, odd = (lag + back).scaled(half), (lag + back.scaled(-1)).scaled(half)
    sides = [len(part.restricted(sympy.S.Zero, None).pieces) for part in (even, odd, lag, back)]
    if not even.pieces or not odd.pieces or sides[0] + sides[1] >= sides[2] + sides[3]:
        return None
    whole, right, _ = transforms_of_member(Member(odd, member.frequency), omega, PlainNumbers())
    imaginary = sympy.S.Zero if right is None else sympy.im(right, evaluate=False)  # the left is minus its conjugate
    return _of_member(Member(even, member.frequency), omega) + (whole / 2 + sympy.I * imaginary) / sympy.pi


def _shorter(first: Any, second: Any | None) -> Any:
    """The second where it saves a third of the operations."""
    return first if second is None or 2 * first.count_ops() <= 3 * second.count_ops() else second


def _singular_points(member: Member) -> list[Any]:
    """Frequencies at which single terms of the form have poles that cancel: those of pieces that do not decay."""
    found: list[Any] = []
    for piece in member.lag.pieces if member.lag is not None else ():
        if piece.rate != 0 or piece.curvature != 0 or piece.is_whole_line:
            continue
        if member.frequency is None:
            candidates = [piece.wave]
        else:
            ends = [end for part in member.frequency.pieces for end in (part.low, part.high) if end is not None]
            candidates = [piece.wave + end for end in ends]
        found += [point for point in candidates if point not in found]
    return found


def _by_integral(member: Member, point: Any) -> Any:
    """The density at one frequency as an integral over the lags, which are bounded where this is asked for."""
    import sympy

    numbers = ExactNumbers()
    if member.lag is None or member.frequency is None:
        raise NotClosed("no product")
    t = sympy.Symbol("t", positive=True)
    smooth = transform(member.frequency.pieces, numbers.frequency(-t), numbers, numbers).re
    even, total = is_even(member), sympy.S.Zero
    for side, sign in ((member.lag, -1), (member.lag.mirrored(), 1)):
        for piece in side.restricted(sympy.S.Zero, None).pieces:
            level = piece.level - piece.rate * t - piece.curvature * t**2
            size = sympy.Add(*[c * t**n for n, c in enumerate(piece.weights)]) * sympy.exp(level) * smooth
            angle = piece.phase + piece.wave * t + sign * point * t
            wave = sympy.cos(angle) if even else sympy.exp(sympy.I * angle)
            high = sympy.oo if piece.high is None else piece.high
            total += sympy.Integral(size * wave, (t, piece.low, high)) / (2 * sympy.pi)
    return total
