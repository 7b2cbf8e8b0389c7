"""Convolutions of densities with transforms, against quadrature over the frequency."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from kernelspec.measures.algebra.frequency_integrals import fraction_integral, smoothed
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.piecewise import Piecewise
from tests.measures.algebra.pieces import NUMBERS, value
from tests.measures.algebra.referees import measure_of_text, nodes

SHIFTED = pytest.param("shift(laplace(), by=-1)", marks=pytest.mark.slow)
"""It rises on (0, 1): E₁ is continued across its cut."""

CUTS = sorted({*range(-40, 41, 2), -1.5, -0.5, 0.5, 1.5})


def convolution(pieces: Piecewise, density: Piecewise, omega: float) -> complex:
    places, weights = nodes({*CUTS, omega}, 32)
    weights = weights * np.array([complex(value(density, mp.mpf(v))) for v in places.tolist()])
    some = np.abs(weights) > 1e-14  # sinc has ends, and the others fall like e^{−|v|}
    others = [NUMBERS.frequency(omega - mp.mpf(v)) for v in places[some].tolist()]
    return complex(
        weights[some] @ np.array([complex(transform(pieces.pieces, other, NUMBERS, NUMBERS)) for other in others])
    )


@pytest.mark.slow
@pytest.mark.parametrize("other", ["cauchy()", "sinc(1.5)", "rational_quadratic(alpha=2)", "sinc(0.5)*cauchy()"])
@pytest.mark.parametrize(
    "text",
    ["matern(nu=3/2)", "tilt(laplace(), by=0.5)", "laplace()*cosine(2)", "laplace()*triangle(2)", SHIFTED],
)
def test_half_lines(text: str, other: str) -> None:
    (f,), (g,) = (line_members(measure_of_text(t), NUMBERS) for t in (text, other))
    half = f.lag.restricted(NUMBERS.number(0), None)
    for omega in (-2.3, 0.4, 1.7):
        found = complex(fraction_integral(half.pieces, g.frequency.pieces, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
        assert found == pytest.approx(convolution(half, g.frequency, omega), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("other", ["cauchy()", "sinc(1.5)", "shift(cauchy(), 1)"])
@pytest.mark.parametrize("text", ["gaussian()", "cosh_gaussian(by=0.5)", "gaussian()*cosine(2)"])
def test_gaussians(text: str, other: str) -> None:
    (f,), (g,) = (line_members(measure_of_text(t), NUMBERS) for t in (text, other))
    for omega in (-2.3, 0.4, 1.7):
        found = complex(smoothed(f.lag.pieces, g.frequency.pieces, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
        assert found == pytest.approx(convolution(f.lag, g.frequency, omega), rel=1e-9)
