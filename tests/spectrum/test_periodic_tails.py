"""Tails that oscillate: periods from the breakpoints, and sums of windows by the zeta function."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.measures.tails import Oscillation, oscillation_of, sum_of_windows
from tests.measures.algebra.referees import measure_of_text


def test_periods() -> None:
    found = oscillation_of(measure_of_text("triangle(2)*triangle(3)*laplace()"))
    assert found == Oscillation(pytest.approx(np.pi), 2)  # the support ends at 2
    found = oscillation_of(measure_of_text("shift(triangle(2), by=1)*gaussian()"))
    assert found == Oscillation(pytest.approx(2 * np.pi), 2)
    assert oscillation_of(measure_of_text("laplace()*gaussian()")) is None
    assert oscillation_of(measure_of_text("triangle(2)*laplace() + triangle(1.2345678)*laplace()")) is None


def test_sums_of_windows() -> None:
    """Σ 1/((n + ½)(n + 3/2)) from n = 16 on telescopes to 1/16.5; its expansion in 1/(n + ½) does not end."""

    def window(n: int) -> np.ndarray:
        place = n + 0.5
        return np.array([1 / (place**2 + place), 1 / place**2])

    found, error = sum_of_windows(window, 16, 2)
    expected = [1 / 16.5, float(mp.zeta(2, 16.5))]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert error < 1e-8


@pytest.mark.slow
def test_masses_of_a_shifted_kernel_times_a_gaussian() -> None:
    """e^{−|t+1| − t²/2}: its masses by plain quadrature of the density, which falls like ω^{−2} without zeros."""
    masses = ks.analyze("shift(laplace(), by=1)*gaussian()", dim=1).masses
    assert not masses.is_random
    assert masses.error < 1e-9
    measure = measure_of_text("shift(laplace(), by=1)*gaussian()")
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0, 400, 2001)
    places = (edges[:-1, None] + edges[1:, None]) / 2 + 0.1 * nodes
    values = np.abs(measure.density(places.reshape(-1, 1))).reshape(places.shape)
    tail = values[-1].mean() * 400  # |μ| falls like ω^{−2}, with a share of ω^{−1} beside it
    found = 2 * (0.1 * float((values @ weights).sum()) + tail)
    assert float(masses.total_variation) == pytest.approx(found, abs=1e-5)


@pytest.mark.slow
def test_masses_where_the_leading_term_of_the_tail_has_zeros() -> None:
    """e^{−|t+1|−|t|}: |μ| bends near ω = (2n+1)π. The constant: 3,000 periods of
    the density in closed form by graded Gaussian quadrature, and the rest by zeta functions."""
    masses = ks.analyze("shift(laplace(), by=1)*laplace()", dim=1).masses
    assert masses.error < 1e-8
    assert float(masses.total_variation) == pytest.approx(0.466498110717, abs=1e-10)


def test_masses_of_a_tilt() -> None:
    """∫ |p(ω + iβ)| dω for p = 1/π(1 + ω²)."""
    masses = ks.analyze("tilt(laplace(), by=0.5)", dim=1).masses
    expected = mp.quad(lambda w: 1 / abs(1 + mp.mpc(w, 0.5) ** 2), [-mp.inf, -1, 0, 1, mp.inf]) / mp.pi
    assert float(masses.total_variation) == pytest.approx(float(expected), abs=1e-10)
    assert masses.error < 1e-10
