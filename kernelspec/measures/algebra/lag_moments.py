"""The second moment of a frequency from k near zero, piece by piece: for products of which a factor is asymmetric."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.measures.measure import Measure

__all__ = ["beside", "second_moment_on_line", "vanishes"]

_SMOOTH = 3
"""With the derivatives up to the second continuous, the density falls like |ω|⁻⁴ or faster."""


def second_moment_on_line(measure: Measure) -> Any | None:
    """∫ ω² μ(dω)/k(0) = −k″(0)/k(0) of a measure on one column that is a function of the lag in pieces.

    A float for a measure in floats, else a SymPy expression. None where k or one of its first two derivatives jumps, so
    that ω² is not integrable, or where it is no such function.
    """
    import sympy

    try:
        members = line_members(measure, ExactNumbers())
    except NotClosed:
        return None
    if len(members) != 1 or members[0].lag is None or members[0].frequency is not None or not members[0].lag.decays:
        return None
    lag, t = members[0].lag, sympy.Symbol("t", real=True)
    ends = {end for piece in lag.pieces for end in (piece.low, piece.high) if end is not None}
    try:
        for end in ends:
            sides = [beside(lag, end, t, right) for right in (False, True)]
            if not all(vanishes((sides[1] - sides[0]).diff(t, n).subs(t, end)) for n in range(_SMOOTH)):
                return None
        k = beside(lag, sympy.S.Zero, t, True)
    except NotClosed:
        return None
    size = sympy.expand(k.subs(t, 0))
    if size == 0:
        return None
    found = sympy.factor_terms(sympy.expand(-k.diff(t, 2).subs(t, 0)) / size)
    return float(sympy.re(found)) if found.has(sympy.Float) else found


def beside(lag: Piecewise, place: Any, t: Any, right: bool) -> Any:
    """The expression of the function on one side of a point."""
    import sympy

    return sympy.Add(*[_value(piece, t) for piece in lag.pieces if _reaches(piece, place, right, lag.numbers)])


def _reaches(piece: Piece, place: Any, right: bool, numbers: Any) -> bool:
    """Whether the piece covers the points next to a place, on the right or on the left of it."""
    if right:
        starts = piece.low is None or _known(numbers.less(place, piece.low), piece.low == place) is False
        return starts and (piece.high is None or _known(numbers.less(place, piece.high), piece.high == place))
    ends = piece.high is None or _known(numbers.less(piece.high, place), piece.high == place) is False
    return ends and (piece.low is None or _known(numbers.less(piece.low, place), piece.low == place))


def _known(order: bool | None, equal: bool) -> bool:
    if equal:
        return False
    if order is None:
        raise NotClosed("the order of two breakpoints depends on symbols")
    return order


def _value(piece: Piece, t: Any) -> Any:
    import sympy

    level = piece.level - piece.rate * t - piece.curvature * t**2
    wave = sympy.exp(sympy.I * (piece.phase + piece.wave * t))
    return sympy.Add(*[c * t**n for n, c in enumerate(piece.weights)]) * sympy.exp(level) * wave


def vanishes(value: Any) -> bool:
    """Whether an expression is 0: by expansion where it has symbols, else in numbers."""
    import sympy

    if value.free_symbols:
        return bool(sympy.expand(value) == 0)
    return abs(complex(value.evalf(30))) < 1e-12
