"""Mixtures: weights, choice of the part, signed parts, zero mass."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kernelspec.errors import NoDensityError, PlanError
from kernelspec.random.streams import Stream
from tests.measures import oracles as o

CASES = {
    "0.7*gaussian(scale=2) + 0.3*laplace()": lambda t: 0.7 * o.gaussian(2)(t) + 0.3 * o.laplace()(t),
    "2*matern(nu=1.5) + 0.5*cosine(1)": lambda t: 2 * o.matern(1.5)(t) + 0.5 * o.cosine(1)(t),
    "mean(sinc(2), cauchy(), triangle())": lambda t: (o.sinc(2)(t) + o.cauchy()(t) + o.triangle()(t)) / 3,
    "gaussian()[0] + 0.25*laplace()": lambda t: o.gaussian()(t[:, :1]) + 0.25 * o.laplace()(t),
    "1e-3*cauchy(3) + 5*(gaussian() + 2*exponential())": lambda t: (
        1e-3 * o.cauchy(3)(t) + 5 * o.gaussian()(t) + 10 * o.exponential()(t)
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("dim", [1, 2, 3, 7])
@pytest.mark.parametrize("text", CASES)
def test_measure_is_that_of_the_kernel(text: str, dim: int) -> None:
    o.assert_same_function(text, dim, CASES[text])
    o.assert_draws_follow(text, dim, CASES[text])
    o.assert_prefix_stable(text, dim)


@pytest.mark.parametrize("dim", [1, 2])
def test_density_inverts_to_the_kernel(dim: int) -> None:
    text = "0.7*gaussian(scale=2) + 0.6*cauchy(2)"
    o.assert_density_inverts(text, dim, lambda t: 0.7 * o.gaussian(2)(t) + 0.6 * o.cauchy(2)(t))
    o.assert_expression_is_density(text, dim)


def test_heavy_tails_have_all_their_mass() -> None:
    """∫ over R by ω = tan θ, where no tail is cut off."""
    angle, weight = o.grid(1, np.pi / 2, 4)
    density = o.measure_of_text("0.7*laplace(2) + 0.3*exponential()", 1).density(np.tan(angle))
    np.testing.assert_allclose(weight @ (density / np.cos(angle[:, 0]) ** 2), 1, rtol=1e-10)


def test_the_share_of_a_part_is_its_mass() -> None:
    omega = o.measure_of_text("1*cosine(1) + 2*cosine(2) + 5*cosine(3)", 1).sample(Stream(1), o.DRAWS)
    for size, share in ((1, 1 / 8), (2, 2 / 8), (3, 5 / 8)):
        count = (np.abs(omega[:, 0]) == size).sum()
        z = (count - share * o.DRAWS) / np.sqrt(o.DRAWS * share * (1 - share))
        assert abs(z) < norm.isf(o.SIGNIFICANCE / 6)


def test_atoms_of_a_part_leave_no_density() -> None:
    measure = o.measure_of_text("gaussian() + cosine(1)", 1)
    assert "consists of atoms" in str(measure.without_density())
    with pytest.raises(NoDensityError, match="consists of atoms"):
        measure.density(np.zeros((1, 1)))
    assert measure.atoms() is None


def test_signed_mixture() -> None:
    measure = o.measure_of_text("3*gaussian() - gaussian(scale=2)", 1)
    with pytest.raises(PlanError, match="negative parts"):
        measure.sample(Stream(0), 3)
    at = np.array([[0.0], [0.5]])
    expected = 3 * norm.pdf(at[:, 0]) - norm.pdf(at[:, 0], scale=0.5)
    np.testing.assert_allclose(measure.density(at), expected, rtol=1e-12)


def test_second_moment() -> None:
    # 1·d under the gaussian, d/4 under the wider one, ‖w‖² under the cosine, by mass
    assert float(o.measure_of_text("gaussian() + gaussian(scale=2) + 2*cosine(1)", 3).second_moment()) == pytest.approx(
        (3 + 3 / 4 + 2 * 3) / 4, rel=1e-12
    )
    assert o.measure_of_text("gaussian() + laplace()", 2).second_moment() == np.inf
    assert np.isnan(o.measure_of_text("gaussian() - gaussian(scale=2)", 2).second_moment())


def test_zero_measure() -> None:
    measure = o.measure_of_text("gaussian() - gaussian()", 2)
    assert measure.total_mass() == 0
    assert np.isnan(measure.second_moment())
    assert measure.describe() == "the zero measure"
    np.testing.assert_array_equal(measure.density(np.ones((3, 2))), np.zeros(3))
    np.testing.assert_array_equal(measure.characteristic_function(np.ones((3, 2))), np.zeros(3))
    with pytest.raises(PlanError):
        measure.sample(Stream(0), 1)


def test_description_names_weights_and_parts() -> None:
    assert o.measure_of_text("0.25*gaussian() + 2*laplace()", 1).describe() == (
        "mixture of 0.25 × (gaussian(scale=1): N(0, σ⁻² I)), 2 × (laplace(scale=1): Cauchy(0, 1/σ) in every coordinate)"
    )
