"""Tests of `measures/algebra/pieces.py`."""

from __future__ import annotations

import mpmath as mp
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, derivatives_at, translated_polynomial
from kernelspec.measures.algebra.symbolic_density import complex_value, function_of
from tests.measures.algebra import referees as r
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


PLACES = st.sampled_from([-1.3, -0.4, 0.2, 0.9, 1.7, 2.6])


def same(a: Piecewise, b: Piecewise) -> bool:
    """Equal piece by piece, up to the order and the rounding of sixty digits."""
    return not (a + b.scaled(-1)).pieces


@pytest.mark.long
@settings(max_examples=30)
@given(piecewise(), piecewise(), piecewise())
def test_ring_laws(f: Piecewise, g: Piecewise, h: Piecewise) -> None:
    assert same(f + g, g + f)
    assert same(f * g, g * f)
    assert same((f + g) + h, f + (g + h))
    assert same((f * g) * h, f * (g * h))
    assert same(f * (g + h), f * g + f * h)
    assert same(f * f * f, f * (f * f))


@pytest.mark.long
@settings(max_examples=40)
@given(piecewise(), piecewise(), PLACES)
def test_values_of_sums_and_products(f: Piecewise, g: Piecewise, t: float) -> None:
    a, b = value(f, t), value(g, t)
    assert abs(value(f + g, t) - (a + b)) <= 1e-12 * (abs(a) + abs(b))
    assert abs(value(f * g, t) - a * b) <= 1e-12 * abs(a * b)


@settings(max_examples=20)
@given(piecewise())
def test_even_parts_are_seen_to_be_even(f: Piecewise) -> None:
    assert (f + f.mirrored()).is_even
    assert f.decays == f.mirrored().decays


def test_what_cancels_is_left_out() -> None:
    f = Piecewise((), NUMBERS)
    assert not (f + f).pieces
    assert f.decays


@pytest.mark.parametrize("factor", [2, -3])
def test_stretches(factor: int) -> None:
    from kernelspec.measures.algebra.line import line_members
    from tests.measures.algebra.referees import measure_of_text

    (member,) = line_members(measure_of_text("tilt(laplace(), by=0.5)"), NUMBERS)
    stretched = member.lag.stretched(NUMBERS.number(factor))
    assert float(value(stretched, 0.2).real) == pytest.approx(float(value(member.lag, 0.2 * factor).real), rel=1e-13)
