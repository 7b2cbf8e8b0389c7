"""Tests of `measures/algebra/pieces.py`."""

from __future__ import annotations

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelspec.measures.algebra.numbers import TrackedNumbers
from kernelspec.measures.algebra.pieces import Piecewise, gaussian_integral, moment_polynomials, transform
from tests.measures.algebra.pieces import NUMBERS, piecewise, value


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


CUTS = [-12, -6, -3, -2, -1, 0, 1, 2, 3, 6, 12, 25, 50]


@pytest.mark.long
@settings(max_examples=25)
@given(piecewise(), st.sampled_from([-3.0, -0.5, 0.0, 1.0, 4.5]))
def test_against_quadrature_lag_transform(whole: Piecewise, omega: float) -> None:
    found = complex(transform(whole.pieces, NUMBERS.frequency(omega), NUMBERS, NUMBERS))
    expected = complex(mp.quad(lambda t: value(whole, t) * mp.expj(-omega * t), CUTS, maxdegree=8))
    size = float(mp.quad(lambda t: abs(value(whole, t)), CUTS, maxdegree=4))
    assert abs(found - expected) <= 1e-9 * (size + 1e-9)


@pytest.mark.long
@settings(max_examples=25)
@given(piecewise())
def test_floats_are_within_their_bound(whole: Piecewise) -> None:
    omega = np.array([-3.7, -0.51, 0.13, 1.9, 14.0])
    system = TrackedNumbers()
    found = transform(whole.pieces, system.frequency(omega), NUMBERS, system)
    for i, at in enumerate(omega):
        exact = complex(transform(whole.pieces, NUMBERS.frequency(at), NUMBERS, NUMBERS))
        error = np.broadcast_to(found.error, omega.shape)[i]
        assert abs(np.broadcast_to(found.value, omega.shape)[i] - exact) <= 20 * error + 1e-15 * abs(exact)


def test_parseval() -> None:
    """∫ k² dt = 2π ∫ μ² dω for gaussian·matern, both sides in closed form or by quadrature of one side alone."""
    from kernelspec.measures.algebra.numeric_density import LineNumbers
    from tests.measures.algebra import referees as r

    k = r.product(r.gaussian(), r.matern(3))
    x, w = np.polynomial.legendre.leggauss(60)
    cuts = [0.0, *(2.0 ** np.arange(-3, 12))]
    density = LineNumbers(r.measure_of_text("gaussian()*matern(nu=3/2)"))
    total = sum((b - a) / 2 * w @ density((a + b) / 2 + (b - a) / 2 * x) ** 2 for a, b in pairwise(cuts))
    assert abs(2 * np.pi * 2 * total - float(2 * mp.quad(lambda t: k(t) ** 2, [0, 1, 3, 12]))) < 1e-11
