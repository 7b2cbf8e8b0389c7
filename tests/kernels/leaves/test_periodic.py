"""The periodic kernel."""

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.stats import skellam
from sklearn.gaussian_process.kernels import ExpSineSquared

from kernelspec.errors import NoDensityError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.discrete import Periodic
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions
from tests.kernels.standard import at, over_columns, standard_kernel_tests


def formula(period, scale):
    period, scale = mp.mpf(period), mp.mpf(scale)
    return over_columns(lambda t: mp.exp(-2 * mp.sin(mp.pi * t / period) ** 2 / scale**2))


test_standard = standard_kernel_tests(
    {f"periodic({p:g}, {s:g})": formula(p, s) for p, s in [(1, 1), (2.5, 0.3), (3, 5)]}
)


def test_agrees_with_scikit_learn_in_one_dimension(rows):
    lags = rows[:, :1]
    theirs = ExpSineSquared(length_scale=0.7, periodicity=1.9)(lags, np.zeros((1, 1))).ravel()
    np.testing.assert_allclose(at(Periodic(period=1.9, scale=0.7, dim=1), lags), theirs, rtol=1e-12)


def test_is_periodic_far_out():
    kernel = Periodic(period=0.5, scale=0.3, dim=1)
    np.testing.assert_array_equal(at(kernel, [[0.125], [1e12 + 0.125]]), at(kernel, [[0.125], [0.125]]))


def test_draws_follow_the_skellam_law():
    """Seed 12, budget 1e-8."""
    kernel = Periodic(period=2.0, scale=0.8, dim=2)
    orders = np.rint(kernel.draw(Stream(12), 100_000) / np.pi).astype(int)
    np.testing.assert_allclose(orders * np.pi, kernel.draw(Stream(12), 100_000), rtol=1e-14)
    rate, cells = 1 / (2 * 0.8**2), np.arange(-6, 7)
    chance = skellam(rate, rate).pmf(cells)
    for column in orders.T:
        counts = [*(column == cells[:, None]).sum(axis=1), (np.abs(column) > 6).sum()]
        assert_proportions(counts, [*chance, 1 - chance.sum()], budget=1e-8)


@pytest.mark.parametrize(("scale", "dim"), [(1.0, 1), (0.3, 1), (5.0, 1), (1.0, 2), (2.0, 3), (4.0, 7)])
def test_atoms_sum_to_the_kernel(scale, dim):
    kernel = Periodic(period=2.5, scale=scale, dim=dim)
    atoms = kernel.atoms()
    assert (np.diff(atoms.weights) <= 0).all()
    assert len(atoms.points) <= 4096
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(1, rel=1e-12)
    assert atoms.omitted < 0.2
    lags = np.random.default_rng(1).standard_normal((6, dim))
    found = np.cos(lags @ atoms.points.T) @ atoms.weights
    np.testing.assert_allclose(found, at(kernel, lags), atol=atoms.omitted + 1e-13)


def test_the_heaviest_atoms_are_found_without_forming_all():
    kernel = Periodic(period=2 * np.pi, scale=0.5, dim=3)
    n = np.arange(-20, 21)
    weights = skellam(2.0, 2.0).pmf(n)
    every = np.sort(np.einsum("i,j,k->ijk", weights, weights, weights).ravel())[::-1]
    np.testing.assert_allclose(kernel.atoms().weights, every[:4096], rtol=1e-10)
    assert kernel.atoms().omitted == pytest.approx(1 - every[:4096].sum(), abs=1e-12)


def test_atoms_in_a_thousand_dimensions():
    atoms = Periodic(period=1.0, scale=30.0, dim=1000).atoms()
    assert atoms.points.shape == (4096, 1000)
    assert atoms.weights[0] == pytest.approx(float(skellam(1 / 1800, 1 / 1800).pmf(0)) ** 1000, rel=1e-10)


def test_density_is_a_sum_of_deltas():
    kernel = Periodic(period=sympy.S(2), scale=sympy.S(1), dim=1)
    with pytest.raises(NoDensityError, match="atoms"):
        Periodic(period=2.0, scale=1.0, dim=1).density(NumericPairs.of_vectors(np.zeros((1, 1))))
    (total,) = kernel.density_expression(SymbolicPairs.frequency(1)).atoms(sympy.Sum)
    omega, n = SymbolicPairs.frequency(1).component(1), total.variables[0]
    near_zero = sympy.integrate(total.function.subs(n, 1), (omega, 3, 4))  # the atom at π
    assert float(near_zero) == pytest.approx(float(skellam(0.5, 0.5).pmf(1)), rel=1e-12)
    assert total.limits == ((n, -sympy.oo, sympy.oo),)


def test_product_of_two_of_one_period_is_one_again(rows):
    first, second = Periodic(period=1.3, scale=0.9, dim=3), Periodic(period=1.3, scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(Periodic(period=1.4, scale=2.0, dim=3)) is None
