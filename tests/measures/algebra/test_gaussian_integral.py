"""Integrals of polynomials times Gaussians over intervals, of complex slope."""

from __future__ import annotations

import mpmath as mp
import pytest

from kernelspec.measures.algebra.transforms import gaussian_integral, moment_polynomials
from tests.measures.algebra.pieces import NUMBERS


@pytest.mark.parametrize("ends", [(0, None), (None, 1), (-1, 2), (None, None), (3, 4), (-5, -4)])
def test_against_quadrature(ends: tuple[int | None, int | None]) -> None:
    n, c = NUMBERS.number, NUMBERS.complex
    slope, b, weights = c(0.5, -2), n(0.75), [n(1), n(-2), n(0), n(1)]
    whole = slope * slope / (4 * b)
    low, high = (None if end is None else n(end) for end in ends)
    found = gaussian_integral(weights, b, slope, (low, high), lambda t: -slope * t - b * t * t, whole, NUMBERS, NUMBERS)
    cuts = mp.linspace(-15 if ends[0] is None else ends[0], 15 if ends[1] is None else ends[1], 31)
    expected = mp.quad(lambda t: (1 - 2 * t + t**3) * mp.exp(-mp.mpc(0.5, -2) * t - 0.75 * t * t), cuts)
    assert abs(complex(found) - complex(expected)) < 1e-12 * max(1, abs(complex(expected)))


def test_first_polynomials() -> None:
    """I_1 = (−s I_0 + e_u − e_v)/2b."""
    main, lower, upper = moment_polynomials((0, 1), 2, 0, 0)
    assert main[:2] == [0, -0.25]
    assert lower[0] == upper[0] == 0.25
