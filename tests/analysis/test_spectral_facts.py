"""The spectral measure: its transform against the kernel, densities against atoms, shapes that fit."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import DataError, NoDensityError, NotStationaryError
from tests.analysis.evaluation import X, Y
from tests.elaboration.specs import STATIONARY


@pytest.mark.parametrize("text", STATIONARY)
def test_characteristic_function_is_the_kernel(text: str) -> None:
    found = ks.analyze(text, dim=2).characteristic_function(X - Y)
    np.testing.assert_allclose(found, np.diag(ks.parse(text).gram(X, Y)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    ["dual(step, laplace())", "full(relu, input=image(1, 2, 1))", "dual(relu, shift_gaussian(by=0.1)) + cauchy()"],
)
def test_a_stationary_kernel_without_a_form_of_its_measure(text: str) -> None:
    facts, lags = ks.analyze(text, dim=2), np.array([[0.0, 0.0], [0.3, -1.2], [4.0, 2.0]])
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(facts.characteristic_function(lags), expected, rtol=1e-13)


def test_categories_have_no_spectral_measure() -> None:
    facts = ks.analyze("gaussian()*match()[0]", dim=2)
    asked = (
        lambda: facts.characteristic_function(np.zeros((1, 2))),
        lambda: facts.spectral_measure,
        lambda: facts.second_moment,
        lambda: facts.masses,
        lambda: facts.atoms,
    )
    for ask in asked:
        with pytest.raises(NotStationaryError, match="no spectral measure"):
            ask()


def test_atoms_instead_of_a_density() -> None:
    facts = ks.analyze("cosine([1, 2])", dim=2)
    np.testing.assert_allclose(sorted(facts.atoms.points.tolist()), [[-1, -2], [1, 2]])
    for ask in (lambda: facts.spectral_density, lambda: facts.spectral_density_at(np.zeros((1, 2)))):
        with pytest.raises(NoDensityError, match="consists of atoms"):
            ask()


def test_vectors_must_fit_the_columns() -> None:
    facts = ks.analyze("gaussian()", dim=2)
    with pytest.raises(DataError, match=r"omega must have shape \(n, 2\), not \(1, 3\)"):
        facts.spectral_density_at(np.zeros((1, 3)))
    with pytest.raises(DataError, match=r"delta must have shape \(n, 2\), not \(2,\)"):
        facts.characteristic_function(np.zeros(2))


@pytest.mark.parametrize("dim", [1, 2, 3, 20])
def test_the_second_moment_on_a_symbolic_number_of_columns(dim: int) -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    found = ks.analyze("2*gaussian(scale=2)*periodic(period=1)").second_moment.subs(d, dim)
    assert found == ks.analyze("2*gaussian(2)*periodic(1)", dim=dim).second_moment


def test_a_mixed_measure_gives_its_atoms_and_the_density_of_the_rest() -> None:
    facts = ks.analyze("gaussian() + 0.5*cosine(2)", dim=1)
    assert facts.atoms is not None
    assert sorted(zip(facts.atoms.points[:, 0], facts.atoms.weights, strict=True)) == [(-2.0, 0.25), (2.0, 0.25)]
    omega = np.linspace(-3, 3, 7)
    normal = np.exp(-(omega**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(facts.density_beside_atoms_at(omega[:, None]), normal, rtol=1e-12)
    with pytest.raises(NoDensityError, match=r"facts\.atoms"):
        facts.spectral_density_at([[1.0]])
    assert facts.to_dict()["atoms"]["weights"] == [0.25, 0.25]
    assert ks.analyze("gaussian()", dim=1).atoms is None


def test_masses_of_a_mixed_measure_add_up() -> None:
    """∫ of the positive and the negative part of 2(1 − cos ω)/(πω²) − 0.3/(π(0.09ω² + 1)), beside two atoms."""
    masses = ks.analyze("2*triangle() - laplace(0.3) - 0.5*cosine(2)", dim=1).masses
    omega = np.linspace(1e-9, 4000.0, 8_000_001)
    density = 2 * (1 - np.cos(omega)) / (np.pi * omega**2) - 0.3 / (np.pi * (0.09 * omega**2 + 1))
    tail = 2 * (2 - 1 / 0.3) / np.pi / 4000.0  # of the mean of the density, which is negative
    positive = 2 * np.trapezoid(np.maximum(density, 0), omega)
    negative = 2 * np.trapezoid(np.maximum(-density, 0), omega) - tail
    assert float(masses.real_positive) == pytest.approx(positive, abs=2e-3)
    assert float(masses.real_negative) == pytest.approx(negative + 0.5, abs=2e-3)
    assert float(masses.real_positive - masses.real_negative) == pytest.approx(0.5, abs=1e-6)
    both = ks.analyze("gaussian() - 0.5*cosine(2)", dim=2).masses
    assert (float(both.real_positive), float(both.real_negative)) == pytest.approx((1.0, 0.5))
