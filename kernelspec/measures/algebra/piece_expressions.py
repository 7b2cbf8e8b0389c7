"""Pieces as SymPy expressions of their variable."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.piece import Piece
from kernelspec.measures.algebra.piecewise import Piecewise

__all__ = ["complex_value", "function_of"]

_Interval = tuple[Any, Any]


def function_of(whole: Piecewise, at: Any) -> Any:
    """A real function at a real symbol: an expression, by cases where there are ends; of an even one in |at|."""
    import sympy

    pieces, place = whole.pieces, at
    if whole.is_even and not all(piece.is_whole_line for piece in pieces):
        pieces, place = whole.restricted(whole.numbers.number(0), None).pieces, sympy.Abs(at)
    found: dict[_Interval, Any] = {}
    for piece in pieces:
        found[piece.low, piece.high] = found.get((piece.low, piece.high), sympy.S.Zero) + _real_value(piece, place)
    cases = [(value, _inside(interval, place, place is not at)) for interval, value in found.items()]
    if all(_apart(a, b, whole.numbers) for a, b in combinations(found, 2)):
        return sympy.Piecewise(*cases, (0, True))
    return sympy.Add(*[sympy.Piecewise(case, (0, True)) for case in cases])


def complex_value(piece: Piece, at: Any) -> Any:
    """Σ c_n tⁿ e^{g − at − bt²} e^{i(φ + wt)} inside the piece."""
    import sympy

    return _size(piece, at) * sympy.exp(sympy.I * (piece.phase + piece.wave * at))


def _real_value(piece: Piece, at: Any) -> Any:
    """The real part: pieces with a wave come in conjugate pairs."""
    import sympy

    return sympy.factor_terms(_size(piece, at) * sympy.cos(piece.phase + piece.wave * at))


def _size(piece: Piece, at: Any) -> Any:
    import sympy

    polynomial = sympy.Add(*[c * at**n for n, c in enumerate(piece.weights)])
    return polynomial * sympy.exp(piece.level - piece.rate * at - piece.curvature * at**2)


def _inside(interval: _Interval, at: Any, from_zero: bool) -> Any:
    import sympy

    low, high = interval
    starts = sympy.true if low is None or (from_zero and low == 0) else sympy.Ge(at, low)
    return starts if high is None else sympy.And(starts, sympy.Lt(at, high))


def _apart(a: _Interval, b: _Interval, numbers: Coefficients) -> bool:
    """Whether two intervals are known not to overlap."""
    return _ends_before(a, b, numbers) or _ends_before(b, a, numbers)


def _ends_before(a: _Interval, b: _Interval, numbers: Coefficients) -> bool:
    if a[1] is None or b[0] is None:
        return False
    return a[1] == b[0] or numbers.less(a[1], b[0]) is True
