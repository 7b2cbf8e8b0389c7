"""Tests of `measures/algebra/pieces.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce

import mpmath as mp
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.frequency_pieces import convolved, fraction_integral, require_convolved, smoothed
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import (
    NotClosed,
    Piece,
    Piecewise,
    derivatives_at,
    transform,
    translated_polynomial,
)
from kernelspec.measures.algebra.symbolic_density import complex_value, function_of
from tests.measures.algebra import referees as r
from tests.measures.algebra.pieces import NUMBERS, piecewise, value
from tests.measures.algebra.referees import measure_of_text, nodes


@pytest.mark.slow
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
    from tests.measures.algebra.referees import measure_of_text

    (member,) = line_members(measure_of_text("tilt(laplace(), by=0.5)"), NUMBERS)
    stretched = member.lag.stretched(NUMBERS.number(factor))
    assert float(value(stretched, 0.2).real) == pytest.approx(float(value(member.lag, 0.2 * factor).real), rel=1e-13)


PAIRS = [
    ("cauchy()", "cauchy()"),
    ("cauchy()", "cauchy(2)"),
    ("sinc()", "sinc(2.5)"),
    ("sinc()", "cauchy(0.5)"),
    ("rational_quadratic(alpha=3)", "cauchy()"),
    ("rational_quadratic(alpha=2)", "sinc(2)"),
    ("sinc()*sinc(2)", "rational_quadratic(alpha=2)"),
]


@pytest.mark.long
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_against_quadrature(first: str, second: str) -> None:
    (f,), (g,) = (line_members(measure_of_text(text), NUMBERS) for text in (first, second))
    found = convolved(f.frequency, g.frequency)
    for omega in (-4.1, -0.7, 0.3, 1.4, 2.9):
        cuts = sorted(
            {
                *range(-60, 61, 3),
                -3.0,
                -2.5,
                -1.0,
                0.0,
                1.0,
                2.5,
                *(omega + b for b in (-3, -2.5, -2, -1, 0, 1, 2, 2.5, 3)),
            }
        )
        expected = mp.quad(lambda v, w=omega: value(f.frequency, v).real * value(g.frequency, w - v).real, cuts)
        assert float(value(found, omega).real) == pytest.approx(float(expected), rel=1e-10, abs=1e-13)
    assert found.is_even


def test_boxes_end_where_their_sum_ends() -> None:
    (f,) = line_members(measure_of_text("sinc()"), NUMBERS)
    ends = [end for piece in convolved(f.frequency, f.frequency).pieces for end in (piece.low, piece.high)]
    assert None not in ends
    assert max(ends) == 2


def test_boxes_of_unknown_order() -> None:
    a, b = sympy.symbols("a b", positive=True)
    boxes = [
        line_members(measure_of_text("param c > 0\nsinc(c)", symbolic=True), ExactNumbers())[0].frequency
        for _ in (a, b)
    ]
    moved = boxes[1].stretched(1 / a)
    with pytest.raises(NotClosed, match="order"):
        convolved(boxes[0], moved)


@pytest.mark.slow
def test_as_many_pieces_as_take_long_are_refused() -> None:
    """The tenth power of sinc is a spline of degree nine; of the thirtieth every value took seconds."""
    (tenth,) = line_members(measure_of_text("sinc()**10"), NUMBERS)
    assert len(tenth.frequency.pieces) == 10
    with pytest.raises(NotClosed, match="too many pieces"):
        line_members(measure_of_text("sinc()**30"), NUMBERS)


@pytest.mark.slow
@pytest.mark.parametrize("power", range(3, 14))
def test_work_refused_in_advance_is_refused_by_the_convolutions_too(power: int) -> None:
    (box,) = line_members(measure_of_text("sinc(bandwidth=2)"), NUMBERS)
    boxes = [box.frequency] * power
    if _raises(lambda: require_convolved(boxes)):
        assert _raises(lambda: reduce(convolved, boxes))
    else:
        assert power <= 11  # far fewer than what took seconds


def _raises(action: Callable[[], object]) -> bool:
    try:
        action()
    except NotClosed:
        return True
    return False


def test_a_power_without_pieces_has_numbers_all_the_same() -> None:
    """At zero: ∫ sinc(t)³⁰ dt / 2π, by quadrature."""
    found = ks.analyze("sinc()**30", dim=1).spectral_density_at([[0.0]])
    expected = mp.quad(lambda t: mp.sinc(t) ** 30, [-9, -6, -3, 0, 3, 6, 9]) / (2 * mp.pi)
    assert float(found[0]) == pytest.approx(float(expected), rel=1e-9)


SHIFTED = pytest.param("shift(laplace(), by=-1)", marks=pytest.mark.long)
"""It rises on (0, 1): E₁ is continued across its cut."""

CUTS = sorted({*range(-40, 41, 2), -1.5, -0.5, 0.5, 1.5})


@cache
def member(text: str) -> Member:
    (found,) = line_members(measure_of_text(text), NUMBERS)
    return found


@cache
def lag(text: str, half: bool) -> Piecewise:
    found = member(text).lag
    return found.restricted(NUMBERS.number(0), None) if half else found


@cache
def weighted(other: str, omega: float) -> tuple[np.ndarray, np.ndarray]:
    """The nodes, and the density there times their weights."""
    places, weights = nodes({*CUTS, omega}, 32)
    density = member(other).frequency
    return places, weights * np.array([complex(value(density, mp.mpf(v))) for v in places.tolist()])


@cache
def transformed(text: str, half: bool, omega: float, place: float) -> complex:
    return complex(transform(lag(text, half).pieces, NUMBERS.frequency(omega - mp.mpf(place)), NUMBERS, NUMBERS))


def convolution(text: str, other: str, omega: float, *, half: bool) -> complex:
    places, weights = weighted(other, omega)
    some = np.abs(weights) > 1e-14  # sinc has ends, and the others fall like e^{−|v|}
    return complex(weights[some] @ np.array([transformed(text, half, omega, v) for v in places[some].tolist()]))


@pytest.mark.long
@pytest.mark.parametrize("other", ["cauchy()", "sinc(1.5)", "rational_quadratic(alpha=2)", "sinc(0.5)*cauchy()"])
@pytest.mark.parametrize(
    "text",
    ["matern(nu=3/2)", "tilt(laplace(), by=0.5)", "laplace()*cosine(2)", "laplace()*triangle(2)", SHIFTED],
)
def test_half_lines(text: str, other: str) -> None:
    f, g = lag(text, half=True).pieces, member(other).frequency.pieces
    for omega in (-2.3, 0.4, 1.7):
        found = complex(fraction_integral(f, g, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
        assert found == pytest.approx(convolution(text, other, omega, half=True), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("other", ["cauchy()", "sinc(1.5)", "shift(cauchy(), 1)"])
@pytest.mark.parametrize("text", ["gaussian()", "cosh_gaussian(by=0.5)", "gaussian()*cosine(2)"])
def test_gaussians(text: str, other: str) -> None:
    f, g = lag(text, half=False).pieces, member(other).frequency.pieces
    for omega in (-2.3, 0.4, 1.7):
        found = complex(smoothed(f, g, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
        assert found == pytest.approx(convolution(text, other, omega, half=False), rel=1e-9)
