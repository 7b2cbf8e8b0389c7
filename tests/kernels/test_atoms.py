"""Atoms: weights sum to k(0), equal points are one, the kernel is their sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import iv

from kernelspec.kernels.atoms import Atoms
from tests.measures import oracles as o

CASES = [
    ("cosine(1)*cosine(2)", 1, o.cosine(1), o.cosine(2), 1),
    ("periodic(2, 0.7)*cosine(3)", 1, o.periodic(2, 0.7), o.cosine(3), 1),
    ("periodic(2)*periodic(3)", 1, o.periodic(2), o.periodic(3), 1),
    ("periodic(2)[0]*periodic(2)[1]", 2, lambda t: o.periodic(2)(t[:, :1]), lambda t: o.periodic(2)(t[:, 1:]), 1),
    ("4*periodic(2)*stretch(cosine([1, 2]), 3)", 2, o.periodic(2), o.cosine([1 / 3, 2 / 3]), 4),
]


@pytest.mark.parametrize(("text", "dim", "first", "second", "mass"), CASES, ids=[case[0] for case in CASES])
def test_products_of_discrete_kernels(text: str, dim: int, first: o.Oracle, second: o.Oracle, mass: float) -> None:
    atoms = o.measure_of_text(text, dim).atoms()
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(mass, rel=1e-12)
    assert (np.diff(atoms.weights) <= 0).all()
    assert len(np.unique(np.round(atoms.points, 9), axis=0)) == len(atoms.points)
    at = o.lags(dim)
    np.testing.assert_allclose(
        np.cos(at @ atoms.points.T) @ atoms.weights, mass * first(at) * second(at), atol=1e-12 + 2 * atoms.omitted
    )


def test_sums_of_discrete_kernels() -> None:
    atoms = o.measure_of_text("2*cosine(1) + 0.5*periodic(2)", 1).atoms()
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(2.5, rel=1e-12)
    np.testing.assert_allclose(atoms.points[:2, 0] ** 2, [1, 1])
    np.testing.assert_allclose(atoms.weights[:3], [1, 1, 0.5 * np.exp(-1) * iv(0, 1)])


def test_equal_points_are_merged() -> None:
    squared = o.measure_of_text("cosine(1)**2", 1).atoms()
    assert dict(zip(squared.points[:, 0].tolist(), squared.weights.tolist(), strict=True)) == {
        0: 0.5,
        2: 0.25,
        -2: 0.25,
    }
    signs = o.measure_of_text("cosine([1, 0]) + stretch(cosine([-2, 0]), 2)", 2).atoms()  # −0.0 is 0.0
    np.testing.assert_allclose(signs.weights, [1, 1])


@pytest.mark.parametrize("weights", [[1, -2, 0.5], [0.25, 0.5 + 1j, 3]])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_powers_are_coefficients_of_polynomials(weights: list[complex], count: int) -> None:
    atoms = Atoms(np.arange(3.0)[:, None], np.array(weights)).convolved(count)
    expected = np.polynomial.Polynomial(weights) ** count
    found = atoms.weights[np.argsort(atoms.points[:, 0])]
    np.testing.assert_allclose(found, expected.coef, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_what_is_left_out_is_counted() -> None:
    """In four dimensions there are too many atoms to list: the heaviest are, and the rest is a number."""
    atoms = o.measure_of_text("periodic(2, 0.5)", 4).atoms()
    assert len(atoms.points) == 4096
    assert 0 < atoms.omitted < 1
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(1, rel=1e-12)
    heaviest = (np.exp(-4) * iv(0, 4)) ** 4
    assert atoms.weights[0] == pytest.approx(heaviest, rel=1e-12)
    both = o.measure_of_text("periodic(2, 0.5)*periodic(3, 0.5)", 2).atoms()
    assert both.weights.sum() + both.omitted == pytest.approx(1, rel=1e-9)


def test_heaviest_first_with_negative_weights() -> None:
    atoms = o.measure_of_text("-2*periodic(2)", 1).atoms()
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(-2, rel=1e-12)
    assert (np.diff(np.abs(atoms.weights)) <= 0).all()


def test_product_keeps_the_heaviest() -> None:
    rng = np.random.default_rng(0)
    weights = np.sort(rng.random(90))[::-1]
    one = Atoms(np.arange(90.0)[:, None], weights)
    joint = one.product(one)
    expected = np.sort(np.outer(weights, weights).ravel())[::-1][:4096]
    np.testing.assert_allclose(joint.weights, expected, rtol=1e-12)
    assert joint.omitted == pytest.approx(weights.sum() ** 2 - expected.sum(), rel=1e-9)
    assert joint.power(1) is joint
