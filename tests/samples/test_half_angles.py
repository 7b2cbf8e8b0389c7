"""Cosine and sine against the library's, at all sizes of angles."""

from __future__ import annotations

import numpy as np

from kernelspec.samples.growth import cosines, phasors


def test_they_are_cosine_and_sine() -> None:
    generator = np.random.default_rng(0)
    angles = np.concatenate([generator.standard_normal(2_000) * 10.0 ** generator.uniform(-8, 12, 2_000)])
    angles = np.concatenate([angles, np.pi * np.arange(-8, 9) / 2, np.zeros(1), [1e-300]]).reshape(-1, 3)
    found = phasors(angles)
    np.testing.assert_allclose(found.real, np.cos(angles), rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.imag, np.sin(angles), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(cosines(angles), found.real)
    assert phasors(np.zeros((0, 3))).shape == (0, 3)
