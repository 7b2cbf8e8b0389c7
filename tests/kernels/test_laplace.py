"""The Laplace kernel."""

import mpmath as mp
import numpy as np
import pytest
import sympy
from sklearn.metrics.pairwise import laplacian_kernel

from kernelspec.kernels.laplace import Laplace

from .standard import at, over_columns, standard_kernel_tests


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
