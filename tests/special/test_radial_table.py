"""Tests of `special/radial_table.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from kernelspec.special.hankel_pieces import hankel_pieces
from kernelspec.special.radial_spectrum import NumericalSpectrum
from kernelspec.special.radial_table import SignedRadial, radial_table, radial_wave

SHARES = np.array([1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-5])


@pytest.mark.long
def test_quantiles() -> None:
    table = radial_table(hankel_pieces(lambda r: np.exp(-r), np.zeros(1), 1.0, 1), 1.0)
    assert table.negative == 0
    np.testing.assert_allclose(2 / np.pi * np.arctan(table.quantile(SHARES)), SHARES, atol=2 * table.tolerance)
    assert table.quantile(np.array([1 - 1e-12]))[0] == pytest.approx(2e12 / np.pi, rel=0.01)  # beyond the table
    table = radial_table(hankel_pieces(lambda r: np.exp(-r * r / 2), np.zeros(1), 1.0, 3), 1.0)
    found = special.gammainc(1.5, table.quantile(SHARES) ** 2 / 2)
    np.testing.assert_allclose(found, SHARES, atol=2 * table.tolerance)


@pytest.mark.long
def test_negative_masses() -> None:
    """(1 − cr²)e^{−r²/2} on the line has the density (1 − c + cω²)φ(ω)."""
    table = radial_table(hankel_pieces(lambda r: (1 - r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 1), 1.0)
    assert table.negative < table.tolerance
    table = radial_table(hankel_pieces(lambda r: (1 - 2 * r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 1), 1.0)
    a = np.sqrt(0.5)
    mass = special.erf(a / np.sqrt(2))
    second = mass - 2 * a * np.exp(-a * a / 2) / np.sqrt(2 * np.pi)  # ∫ ω²φ over |ω| < a
    assert table.negative == pytest.approx(mass - 2 * second, abs=1e-4)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_waves_of_spheres(dim: int) -> None:
    x = np.array([0.0, 1e-3, 9e-3, 1.1e-2, 0.7, 30.0])
    np.testing.assert_allclose(radial_wave(x, dim), special.hyp0f1(dim / 2, -x * x / 4), rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_the_parts_of_a_gaussian_times_a_polynomial() -> None:
    """(1 − r²)e^{−r²/2} on the plane has the density (ω² − 1)N(ω): with u = ω²/2 the mass (2u − 1)e^{−u}du."""
    table = radial_table(hankel_pieces(lambda r: (1 - r * r) * np.exp(-r * r / 2), np.zeros(1), 1.0, 2), 1.0)
    positive, negative = SignedRadial.of(table, 1), SignedRadial.of(table, -1)
    size = 2 * np.exp(-0.5) - 1
    assert negative.mass == pytest.approx(size, abs=2 * table.tolerance)
    assert positive.mass == pytest.approx(1 + size, abs=2 * table.tolerance)
    shares = np.array([1e-3, 0.2, 0.5, 0.9, 0.999])
    u = negative.quantile(shares) ** 2 / 2
    np.testing.assert_allclose((np.exp(-u) * (1 + 2 * u) - 1) / -size * -1, shares, atol=2 * table.tolerance / size)
    u = positive.quantile(shares) ** 2 / 2
    np.testing.assert_allclose(1 - np.exp(-u) * (1 + 2 * u) / (1 + size), shares, atol=4 * table.tolerance)
    r = np.array([0.0, 0.5, 2.0, 7.0])
    shells = np.linspace(0, 1, 20_001)  # the trapezoidal rule for the Hankel transform of the negative part
    exact = np.trapezoid(special.j0(np.outer(r, shells)) * (1 - shells**2) * shells * np.exp(-(shells**2) / 2), shells)
    np.testing.assert_allclose(negative.transform(r, 2), exact / size, atol=1e-5)
    many = np.linspace(0, 7, 3_000)
    np.testing.assert_allclose(negative.transform(many, 2)[[0, -1]], (exact / size)[[0, -1]], atol=1e-5)


@pytest.mark.long
def test_densities_that_fall_slowly_are_not_split() -> None:
    """The density of max(0, 1 − r) has the shells ρ^{(d−5)/2} cos ρ, far out: in d = 3 it is not integrable."""
    slow = NumericalSpectrum.of(lambda r: np.maximum(0, 1 - r), (0.0, 1.0), 3)
    assert slow.is_signed
    with pytest.raises(ArithmeticError, match="may not be absolutely integrable"):
        slow.masses()
