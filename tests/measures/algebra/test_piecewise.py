"""The ring of piecewise functions: its laws, and that its values are those of the functions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.measures.algebra.pieces import Piecewise
from tests.measures.algebra.pieces import NUMBERS, piecewise, value

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
