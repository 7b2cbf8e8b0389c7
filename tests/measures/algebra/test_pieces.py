"""Tests of `measures/algebra/pieces.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import mpmath as mp
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.frequency_pieces import convolved, require_convolved
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.pieces import (
    NotClosed,
    Piece,
    Piecewise,
)
from tests.measures.algebra.pieces import NUMBERS, piecewise, value
from tests.measures.algebra.referees import measure_of_text


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


def test_ends_of_unknown_order() -> None:
    """Two intervals from zero meet in the shorter one; whether others meet at all must be known."""
    a, b = sympy.symbols("a b", positive=True)
    left, right = Piece(sympy.S.Zero, a, (sympy.S.One,)), Piece(sympy.S.Zero, b, (sympy.S.One,))
    assert left.times(right, ExactNumbers()).high == sympy.Min(a, b)
    with pytest.raises(NotClosed, match="order"):
        left.times(Piece(b, None, (sympy.S.One,)), ExactNumbers())


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


PAIRS = [
    ("cauchy()", "cauchy()"), ("cauchy()", "cauchy(2)"), ("sinc()", "sinc(2.5)"), ("sinc()", "cauchy(0.5)"),
    ("rational_quadratic(alpha=3)", "cauchy()"), ("rational_quadratic(alpha=2)", "sinc(2)"),
    ("sinc()*sinc(2)", "rational_quadratic(alpha=2)"),
]  # fmt: skip


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
