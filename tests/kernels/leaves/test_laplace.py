"""The Laplace kernel."""

import mpmath as mp
import numpy as np
import pytest
import sympy
from sklearn.metrics.pairwise import laplacian_kernel

import kernelspec as ks
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_characteristic_function
from tests.kernels.standard import at, over_columns, standard_kernel_tests


def formula(scale):
    return over_columns(lambda t: mp.exp(-abs(t) / scale))


test_standard = standard_kernel_tests({"laplace(1)": formula(1), "laplace(2.3)": formula(mp.mpf(2.3))})


def test_agrees_with_scikit_learn(rows):
    ours = at(Laplace(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, laplacian_kernel(rows, np.zeros((1, 3)), gamma=1 / 0.9).ravel(), rtol=1e-12)


def test_one_factor_per_column(rows):
    kernel = Laplace(scale=0.9, dim=3)
    np.testing.assert_allclose(kernel.factor(rows).prod(axis=1), at(kernel, rows), rtol=1e-13)
    t = sympy.Symbol("t", real=True)
    assert kernel.factor_expression(t).subs(t, -2) == sympy.exp(-2 / sympy.S(0.9))


def test_product_of_two_is_one_again(rows):
    first, second = Laplace(scale=0.9, dim=3), Laplace(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(second).scale == pytest.approx(1 / (1 / 0.9 + 1 / 2))


@pytest.mark.parametrize("dim", [1, 3])
def test_sums_of_frequencies(dim):
    kernel, counts = Laplace(scale=1.7, dim=dim), np.array([0, 1, 2, 7, 40])
    lags = np.random.default_rng(dim).uniform(-1, 1, (4, dim)) / 10
    drawn = kernel.draw_sums(Stream(3), np.tile(counts, 8000)).reshape(8000, 5, dim)
    for i, count in enumerate(counts):
        expected = np.exp(-np.abs(lags).sum(axis=1) / 1.7) ** count
        assert_characteristic_function(drawn[:, i], lags, expected, budget=1e-8)
    assert np.array_equal(kernel.draw_sums(Stream(3), np.tile(counts, 2)), drawn[:2].reshape(10, dim))


def test_the_dual_of_a_step_meets_no_limit():
    # P(l > n) ≈ ¼/√n: 40 000 degrees reach beyond 10⁶ with near certainty, of which a million are drawn one by one
    fmap = ks.compile("dual(step, laplace())", dim=1, n_features=40_000, method="phase", seed=1)
    X = np.array([[0.0], [0.01], [0.7]])
    expected = 0.5 + np.arcsin(np.exp(-np.abs(X - X.T))) / np.pi
    z = (fmap.approximate(X) - expected) / np.sqrt(fmap.predicted_variance(X, hashed=False))
    assert np.abs(z).max() < 6
