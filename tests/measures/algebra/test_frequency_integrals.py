"""Convolutions of densities with transforms, against quadrature over the frequency."""

from __future__ import annotations

from functools import cache

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.algebra.frequency_pieces import fraction_integral, smoothed
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import Piecewise
from kernelspec.measures.algebra.transforms import transform
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text, nodes

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
