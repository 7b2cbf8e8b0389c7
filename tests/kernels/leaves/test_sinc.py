"""The sinc kernel."""

import mpmath as mp
import numpy as np
from scipy.stats import uniform

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Sinc
from tests.kernels.standard import over_columns, standard_kernel_tests


def formula(bandwidth):
    return over_columns(lambda t: mp.sinc(bandwidth * t))


test_standard = standard_kernel_tests({"sinc(1)": formula(1), "sinc(3)": formula(3)})


def test_density_agrees_with_scipy(rows):
    ours = Sinc(bandwidth=0.8, dim=3).density(NumericPairs.of_vectors(rows))
    np.testing.assert_allclose(ours, uniform(-0.8, 1.6).pdf(rows).prod(axis=1), rtol=1e-13)


def test_frequencies_stay_in_the_band():
    from kernelspec.random.streams import Stream

    assert np.abs(Sinc(bandwidth=0.8, dim=2).draw(Stream(3), 10_000)).max() <= 0.8
