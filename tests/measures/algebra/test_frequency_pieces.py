"""Tests of `measures/algebra/frequency_pieces.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.frequency_pieces import convolved, fraction_integral, require_convolved, smoothed
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import NotClosed, Piecewise, transform
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text, nodes

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


def test_as_many_pieces_as_take_long_are_refused() -> None:
    """The tenth power of sinc is a spline of degree nine; of the thirtieth every value took seconds."""
    (tenth,) = line_members(measure_of_text("sinc()**10"), NUMBERS)
    assert len(tenth.frequency.pieces) == 10
    with pytest.raises(NotClosed, match="too many pieces"):
        line_members(measure_of_text("sinc()**30"), NUMBERS)


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
