"""Spectral laws of functions of the distance."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NotAvailableYet
from kernelspec.special.radial_spectrum import NumericalSpectrum, WaveSpectrum


def test_waves_are_projections_of_spheres() -> None:
    shares = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(WaveSpectrum(3, 2.0, 1).quantile(shares), 2 * shares)  # Archimedes
    np.testing.assert_array_equal(WaveSpectrum(3, 2.0, 3).quantile(shares), 2)
    density, _ = WaveSpectrum(3, 2.0, 1).density(np.array([0.0, 1.0, 3.0]))
    np.testing.assert_allclose(density, [0.25, 0.25, 0])
    density, _ = WaveSpectrum(3, 1.0, 2).density(np.array([0.6]))
    np.testing.assert_allclose(density, 1 / (2 * np.pi * 0.8))


@pytest.mark.long
def test_signed_measures_and_unresolved_ones_are_refused() -> None:
    signed = NumericalSpectrum.of(lambda r: np.maximum(0, 1 - r), (0.0, 1.0), 2)
    with pytest.raises(NotAvailableYet, match=r"both signs on 2 columns.*not known to be, to 0\.001, absolutely"):
        signed.check("this", None)
    assert not signed.has_parts
    steep = NumericalSpectrum.of(lambda r: np.exp(-r), (0.0,), 12)
    with pytest.raises(NotAvailableYet, match=r"use fewer columns|not resolved"):
        steep.check("this", None)
