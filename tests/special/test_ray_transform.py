"""The transform on a ray, against the closed form for Gamma laws: (2/(s−1)ω²)(1 − Re (1 − iω)^{1−s}), scale 1."""

from math import gamma, pi

import mpmath
import numpy as np
import pytest

from kernelspec.special.gamma_triangles import polya_transform_on_ray


def gamma_density(shape):
    return lambda r: r ** (shape - 1) * np.exp(-r) / gamma(shape)


@pytest.mark.parametrize("shape", [0.4, 1.5, 2.0, 4.5])
def test_gamma_laws(shape):
    frequencies = np.array([[1e-8, 1e-3, 0.4], [3.0, 50.0, 1e6]])
    found = polya_transform_on_ray(frequencies, gamma_density(shape), pi / 6, (-110.0, 5.0), 2 * pi * pi / 6 / 42)
    for frequency, value in zip(frequencies.ravel(), found.ravel(), strict=True):
        with mpmath.workdps(50):
            w, s = mpmath.mpf(frequency), mpmath.mpf(shape)
            exact = 2 / ((s - 1) * w**2) * (1 - mpmath.re(mpmath.mpc(1, -w) ** (1 - s)))
        assert value == pytest.approx(float(exact), rel=1e-12)
    assert found.shape == (2, 3)


@pytest.mark.long
def test_it_is_even_and_does_not_depend_on_the_company():
    frequencies = np.geomspace(1e-2, 1e2, 700)
    ends, step = (-60.0, 5.0), 0.07
    found = polya_transform_on_ray(frequencies, gamma_density(2.0), pi / 6, ends, step)
    np.testing.assert_allclose(found, 2 / (1 + frequencies**2), rtol=1e-12)
    np.testing.assert_array_equal(found, polya_transform_on_ray(-frequencies, gamma_density(2.0), pi / 6, ends, step))
    assert polya_transform_on_ray(np.zeros((0, 2)), gamma_density(2.0), pi / 6, ends, step).shape == (0, 2)
