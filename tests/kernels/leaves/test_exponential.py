"""The exponential kernel of the Euclidean distance."""

import mpmath as mp
import numpy as np
from sklearn.gaussian_process.kernels import Matern

from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.radial import Exponential
from tests.kernels.standard import at, euclidean, standard_kernel_tests


def formula(scale):
    return euclidean(lambda r: mp.exp(-r / scale))


test_standard = standard_kernel_tests({"exponential(1)": formula(1), "exponential(0.6)": formula(mp.mpf(0.6))})


def test_agrees_with_scikit_learn(rows):
    ours = at(Exponential(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, Matern(length_scale=0.9, nu=0.5)(rows, np.zeros((1, 3))).ravel(), rtol=1e-12)


def test_product_of_two_is_one_again(rows):
    first, second = Exponential(scale=0.9, dim=3), Exponential(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(Laplace(scale=1.0, dim=3)) is None
