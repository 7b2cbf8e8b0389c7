"""Measures times a wave."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream

OMEGA = np.random.default_rng(1).standard_normal((5, 2))


def test_density_is_the_base_times_the_wave() -> None:
    plain, moved = (ks.analyze(t, dim=2) for t in ("matern(1.5)", "shift(matern(1.5), by=[0.5, 2])"))
    wave = np.exp(1j * (OMEGA @ [0.5, 2]))
    np.testing.assert_allclose(moved.spectral_density_at(OMEGA), plain.spectral_density_at(OMEGA) * wave, rtol=1e-13)
    np.testing.assert_allclose(
        moved.characteristic_function(OMEGA), plain.characteristic_function(OMEGA + np.array([0.5, 2])), rtol=1e-13
    )


def test_atoms_get_phases() -> None:
    atoms = ks.analyze("shift(cosine(2), by=0.3)", dim=1).atoms
    assert atoms is not None
    np.testing.assert_allclose(atoms.weights, 0.5 * np.exp(0.3j * atoms.points[:, 0]), rtol=1e-13)
    many = ks.analyze("shift(periodic(1), by=0.3) * cosine(1)", dim=1).atoms
    assert many is not None
    total = np.exp(1j * np.outer([0.0, 0.2], many.points[:, 0])) @ many.weights
    exact = ks.analyze("shift(periodic(1), by=0.3) * cosine(1)", dim=1).characteristic_function([[0.0], [0.2]])
    np.testing.assert_allclose(total, exact, atol=1e-9)


def test_sums_add_complex_densities() -> None:
    both = ks.analyze("shift(laplace(), 1) - 2 * gaussian()", dim=1)
    one, two = ks.analyze("shift(laplace(), 1)", dim=1), ks.analyze("gaussian()", dim=1)
    at = np.array([[0.3], [-1.1]])
    expected = one.spectral_density_at(at) - 2 * two.spectral_density_at(at)
    np.testing.assert_allclose(both.spectral_density_at(at), expected, rtol=1e-13)


def test_selected_and_stretched() -> None:
    facts = ks.analyze("stretch(shift(laplace(), [1, 2])[1, 0], [2, 4])", dim=2)
    plain = ks.analyze("laplace()", dim=2)
    inner = (OMEGA * [2, 4])[:, ::-1]  # k(Δ/s) has the density at sω; the base's first column is column 1
    expected = plain.spectral_density_at(inner) * 8 * np.exp(1j * (inner @ [1, 2]))
    np.testing.assert_allclose(facts.spectral_density_at(OMEGA), expected, rtol=1e-12)


def test_no_sampler_and_no_second_moment_of_its_own() -> None:
    spec = ks.parse("shift(laplace(), 1)")
    measure = measure_of(spec.kernel(spec.columns(1)))
    with pytest.raises(PlanError):
        measure.sample(Stream(0), 2)
    assert np.isnan(float(measure.second_moment()))
