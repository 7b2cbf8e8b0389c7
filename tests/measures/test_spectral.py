"""The measure of a catalogue kernel is what the kernel states."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NoDensityError
from kernelspec.measures.spectral import Spectral
from tests.measures import oracles as o

CASES = {
    "gaussian(2)": o.gaussian(2),
    "laplace(2)": o.laplace(2),
    "cauchy(2)": o.cauchy(2),
    "triangle(2)": o.triangle(2),
    "sinc(2)": o.sinc(2),
    "cosine(2)": o.cosine(2),
    "periodic(3, 2)": o.periodic(3, 2),
    "matern(0.8, 2)": o.matern(0.8, 2),
    "exponential(2)": o.exponential(2),
    "rational_quadratic(1.5, 2)": lambda t: (1 + o.length(t) ** 2 / (3 * 4)) ** -1.5,
    "powered_exponential(1.3, 2)": lambda t: np.exp(-((o.length(t) / 2) ** 1.3)),
    "bochner(student_t(dof=3))": lambda t: ((1 + np.sqrt(3) * np.abs(t)) * np.exp(-np.sqrt(3) * np.abs(t))).prod(
        axis=1
    ),
    "bochner(student_t(dof=3), isotropic=true)": o.matern(1.5),
}


@pytest.mark.long
@pytest.mark.parametrize("dim", [1, 2, 3, 7])
@pytest.mark.parametrize("text", CASES)
def test_measure_is_that_of_the_kernel(text: str, dim: int) -> None:
    assert isinstance(o.measure_of_text(text, dim), Spectral)
    o.assert_same_function(text, dim, CASES[text])
    o.assert_draws_follow(text, dim, CASES[text])
    o.assert_prefix_stable(text, dim)


@pytest.mark.parametrize("text", [t for t in CASES if not t.startswith(("cosine", "periodic", "powered"))])
def test_expression_is_density(text: str) -> None:
    for dim in (1, 2):
        o.assert_expression_is_density(text, dim)


@pytest.mark.parametrize("text", ["cosine(2)", "periodic(3)"])
def test_atoms_have_no_density(text: str) -> None:
    with pytest.raises(NoDensityError, match=r"consists of atoms: see facts\.atoms"):
        o.measure_of_text(text, 2).density(np.zeros((1, 2)))


def test_mass_moment_description() -> None:
    measure = o.measure_of_text("gaussian(2)", 3)
    assert measure.total_mass() == 1
    assert float(measure.second_moment(4)) == pytest.approx(3 * 16 / 4)
    assert measure.describe() == "gaussian(scale=2): N(0, σ⁻² I)"
    assert measure.dim == 3
    assert measure.finite_atoms() is None
