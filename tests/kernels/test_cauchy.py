"""The Cauchy kernel."""

import mpmath as mp
import numpy as np
import scipy.stats

from kernelspec.kernels.cauchy import Cauchy
from kernelspec.kernels.pairs import NumericPairs

from .standard import over_columns, standard_kernel_tests


def formula(scale):
    return over_columns(lambda t: 1 / (1 + (t / scale) ** 2))


test_standard = standard_kernel_tests({"cauchy(1)": formula(1), "cauchy(0.4)": formula(mp.mpf(0.4))})


def test_density_agrees_with_scipy(rows):
    ours = Cauchy(scale=0.9, dim=3).density(NumericPairs.of_vectors(rows))
    np.testing.assert_allclose(ours, scipy.stats.laplace(scale=1 / 0.9).pdf(rows).prod(axis=1), rtol=1e-13)
