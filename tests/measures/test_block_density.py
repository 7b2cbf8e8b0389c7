"""Numbers of convolutions: closed forms, inversions, and the refusal of what has neither."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import voigt_profile
from scipy.stats import norm

from kernelspec.errors import NoDensityError
from kernelspec.kernels.leaves.cosine import Cosine
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.measures.block_density import block_density
from kernelspec.measures.spectral import Spectral

OMEGA = np.array([[0.0, 0.0], [0.4, -1.2], [3.0, 0.1]])


def test_independent_coordinates_are_voigt_profiles() -> None:
    parts = (Spectral(Gaussian(scale=2.0, dim=2)), Spectral(Laplace(scale=3.0, dim=2)))
    expected = voigt_profile(OMEGA, 1 / 2, 1 / 3).prod(axis=1)
    np.testing.assert_allclose(block_density(parts, OMEGA)[0], expected, rtol=1e-8)


def test_atoms_shift_the_other_density() -> None:
    parts = (Spectral(Cosine(by=(2.0, 0.0), dim=2)), Spectral(Gaussian(scale=1.0, dim=2)))
    shifted = [norm.pdf(OMEGA[:, 0], loc=sign * 2) * norm.pdf(OMEGA[:, 1]) for sign in (1, -1)]
    np.testing.assert_allclose(block_density(parts, OMEGA)[0], sum(shifted) / 2, rtol=1e-12)


def test_radial_measures_are_inverted_along_one_axis() -> None:
    parts = (Spectral(Matern(nu=1.5, scale=1.0, dim=2)), Spectral(Gaussian(scale=2.0, dim=2)))
    draws = np.random.default_rng(0)
    student = draws.standard_normal((400_000, 2)) / np.sqrt(draws.chisquare(3, (400_000, 1)) / 3)
    seen = np.stack([norm.pdf(point - student, scale=0.5).prod(axis=1) for point in OMEGA], axis=1)
    z = (seen.mean(axis=0) - block_density(parts, OMEGA)[0]) / (seen.std(axis=0) / np.sqrt(len(seen)))
    assert np.abs(z).max() < norm.isf(1e-6 / 6)


def test_a_radial_and_a_coordinatewise_law_have_no_numbers_in_space() -> None:
    parts = (Spectral(Matern(nu=1.5, scale=1.0, dim=3)), Spectral(Laplace(scale=1.0, dim=3)))
    with pytest.raises(NoDensityError, match="without closed form"):
        block_density(parts, np.pad(OMEGA, ((0, 0), (0, 1))))
