"""The triangle kernel."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import triang

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Triangle
from tests.kernels.standard import at, over_columns, standard_kernel_tests


def formula(width):
    return over_columns(lambda t: max(mp.mpf(0), 1 - abs(t) / width))


test_standard = standard_kernel_tests({"triangle(1)": formula(1), "triangle(2.5)": formula(mp.mpf(2.5))})


def test_agrees_with_scipy(rows):
    density = triang(c=0.5, loc=-2, scale=4).pdf(rows) * 2
    np.testing.assert_allclose(at(Triangle(width=2.0, dim=3), rows), density.prod(axis=1), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("omega", [0.0, 1e-9, 0.3, 2.0, 2 * np.pi / 2.5, 31.4, 200.0])
def test_density_is_the_transform_of_the_kernel(omega):
    exact = quad(lambda t: (1 - t / 2.5) * np.cos(omega * t), 0, 2.5, epsabs=1e-14, limit=400)[0] / np.pi
    found = Triangle(width=2.5, dim=1).density(NumericPairs.of_vectors([[omega]]))[0]
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-14)


def test_density_near_zero_does_not_cancel():
    tiny = Triangle(width=1.0, dim=1).factor_density(np.array([0.0, 1e-300, 1e-9, 1e-4]))
    np.testing.assert_allclose(tiny * 2 * np.pi, [1, 1, 1, 1 - 1e-8 / 12], rtol=1e-15)
