"""Integrals of moduli against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.special.legendre import absolute_integral, legendre_pieces, modulus_integral


def test_between_the_zeros() -> None:
    # ∫_0^∞ e^{−t} |sin t| dt = ½ coth(π/2)
    pieces = legendre_pieces(lambda t: np.exp(-t) * np.sin(t), np.zeros(1), 1.0, both_sides=False)
    whole, size = absolute_integral(pieces, pieces.coefficients)
    assert whole == pytest.approx(0.5, abs=1e-13)
    assert size == pytest.approx(0.5 / np.tanh(np.pi / 2), abs=1e-13)


def test_the_modulus_of_a_wave_is_one() -> None:
    pieces = legendre_pieces(lambda t: np.exp((2j - 1) * t), np.zeros(1), 1.0, both_sides=False)
    size, error = modulus_integral(pieces)
    assert size == pytest.approx(1, abs=1e-12)
    assert error < 1e-12


def test_where_the_modulus_comes_to_zero_the_error_is_said() -> None:
    pieces = legendre_pieces(lambda t: (t - 1 + 0j) * np.exp(-t), np.zeros(1), 1.0, both_sides=False)
    size, error = modulus_integral(pieces)
    assert abs(size - 2 / np.e) <= error + 1e-12
    assert error < 1e-4


@pytest.mark.parametrize("place", [1e-3, 1e-5, 0.3])
def test_a_modulus_that_bends_sharply_beside_a_cut(place: float) -> None:
    """∫_{−1}^1 |x − c + iw| dx for w = c², far below the distance of c from the nearest cut."""
    w = place**2
    pieces = legendre_pieces(lambda t: np.asarray(t - place + 1j * w), np.zeros(1), 1.0, both_sides=True, within=1.0)

    def primitive(x: float) -> float:
        return float(x * np.hypot(x, w) + w**2 * np.arcsinh(x / w)) / 2

    found, error = modulus_integral(pieces)
    assert found == pytest.approx(primitive(1 - place) + primitive(1 + place), abs=1e-14)
    assert error < 1e-13
