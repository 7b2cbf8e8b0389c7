"""One piece: what shifts, mirrors, stretches and tilts do to its values."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, derivatives_at, translated_polynomial
from tests.measures.algebra.pieces import NUMBERS, piecewise, value


@settings(max_examples=30)
@given(piecewise(), st.sampled_from([-1.5, 0.25, 2.0]), st.sampled_from([-0.7, 0.3, 1.6]))
def test_changes_of_the_lag(whole: Piecewise, by: float, t: float) -> None:
    n = NUMBERS.number
    assert abs(value(whole.shifted(n(by)), t) - value(whole, n(t) + n(by))) < 1e-13 * (1 + abs(value(whole, t + by)))
    assert abs(value(whole.mirrored(), n(t)) - value(whole, -n(t))) < 1e-13 * (1 + abs(value(whole, -t)))
    assert abs(value(whole.stretched(n(-2)), n(t)) - value(whole, -2 * n(t))) < 1e-13 * (1 + abs(value(whole, -2 * t)))
    tilted = value(whole.tilted(n(by)), n(t))
    assert abs(tilted - value(whole, n(t)) * mp.exp(by * t)) < 1e-13 * (1 + abs(tilted))


def test_polynomials_about_another_point() -> None:
    assert translated_polynomial((1, 2, 3), 2) == [17, 14, 3]
    assert derivatives_at((1, 2, 3), 2) == [17, 14, 6]


def test_ends_of_unknown_order() -> None:
    """Two intervals from zero meet in the shorter one; whether others meet at all must be known."""
    a, b = sympy.symbols("a b", positive=True)
    left, right = Piece(sympy.S.Zero, a, (sympy.S.One,)), Piece(sympy.S.Zero, b, (sympy.S.One,))
    assert left.times(right, ExactNumbers()).high == sympy.Min(a, b)
    with pytest.raises(NotClosed, match="order"):
        left.times(Piece(b, None, (sympy.S.One,)), ExactNumbers())
