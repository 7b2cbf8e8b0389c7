"""Pieces as expressions have the values of the pieces."""

from __future__ import annotations

import pytest
import sympy

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import Piece, Piecewise, complex_value, function_of
from tests.measures.algebra import referees as r

T = sympy.Symbol("t", real=True)


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("triangle(2)", r.triangle(2)),
        ("shift(laplace(), by=1)*cosine(2)", r.product(r.shifted(r.laplace(), 1), r.cosine(2))),
        ("0.5*triangle(2) + 0.5*triangle(3)", lambda t: (r.triangle(2)(t) + r.triangle(3)(t)) / 2),
    ],
)
def test_values(text: str, k: r.Function) -> None:
    """Ends that overlap add; cases stand for those that do not."""
    (member,) = line_members(r.measure_of_text(text, symbolic=True), ExactNumbers())
    found = function_of(member.lag, T)
    for t in (-2.5, -1.25, 0.25, 1.5, 4.0):
        assert float(found.subs(T, t)) == pytest.approx(float(k(t)), abs=1e-15)


def test_a_piece_with_a_wave_is_complex() -> None:
    piece = Piece(sympy.S.Zero, None, (sympy.S(2),), sympy.S.Zero, sympy.S.One, sympy.S.Zero, sympy.S.Zero, sympy.S(3))
    assert complex_value(piece, T) == 2 * sympy.exp(-T) * sympy.exp(3 * sympy.I * T)
    assert function_of(Piecewise((), ExactNumbers()), T) == 0
