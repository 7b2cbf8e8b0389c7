"""The Cauchy kernel."""

import mpmath as mp
import numpy as np
import pytest
import scipy.stats

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Cauchy
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_characteristic_function
from tests.kernels.standard import over_columns, standard_kernel_tests


def formula(scale):
    return over_columns(lambda t: 1 / (1 + (t / scale) ** 2))


test_standard = standard_kernel_tests({"cauchy(1)": formula(1), "cauchy(0.4)": formula(mp.mpf(0.4))})


def test_density_agrees_with_scipy(rows):
    ours = Cauchy(scale=0.9, dim=3).density(NumericPairs.of_vectors(rows))
    np.testing.assert_allclose(ours, scipy.stats.laplace(scale=1 / 0.9).pdf(rows).prod(axis=1), rtol=1e-13)


@pytest.mark.parametrize("dim", [1, 3])
def test_sums_of_frequencies(dim):
    kernel, counts = Cauchy(scale=0.6, dim=dim), np.array([0, 1, 2, 7, 40])
    lags = np.random.default_rng(dim).uniform(-1, 1, (4, dim)) / 5
    drawn = kernel.draw_sums(Stream(3), np.tile(counts, 8000)).reshape(8000, 5, dim)
    for i, count in enumerate(counts):
        expected = np.prod(1 / (1 + (lags / 0.6) ** 2), axis=1) ** count
        assert_characteristic_function(drawn[:, i], lags, expected, budget=1e-8)
    assert np.array_equal(kernel.draw_sums(Stream(3), np.tile(counts, 2)), drawn[:2].reshape(10, dim))
