"""Inversion of the distribution function of the modulus."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from kernelspec.special.hankel_pieces import hankel_pieces
from kernelspec.special.radial_table import radial_table

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
