"""The Gaussian kernel."""

import mpmath as mp
import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelspec.kernels.leaves.gaussian import Gaussian
from tests.kernels.standard import at, euclidean, standard_kernel_tests


def formula(scale):
    return euclidean(lambda r: mp.exp(-((r / scale) ** 2) / 2))


test_standard = standard_kernel_tests({"gaussian(1)": formula(1), "gaussian(0.37)": formula(mp.mpf(0.37))})


def test_agrees_with_scikit_learn(rows):
    ours = at(Gaussian(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, rbf_kernel(rows, np.zeros((1, 3)), gamma=1 / (2 * 0.9**2)).ravel(), rtol=1e-12)


def test_product_of_two_is_one_again(rows):
    first, second = Gaussian(scale=0.9, dim=3), Gaussian(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(second).scale == pytest.approx((1 / 0.81 + 1 / 4) ** -0.5)
