"""Transforms of mixtures of triangles over powers of gamma variables, against closed forms in many digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kernelspec.special.gamma_triangles import gamma_triangles_transform

FREQUENCIES = np.array([1e-8, 1e-4, 0.03, 0.3, 1.0, 2.0, 5.0, 20.0, 300.0, 1e4, 1e6])


def of_gamma(s: float, w: float) -> float:
    with mpmath.workdps(80):
        shape, x = mpmath.mpf(s), mpmath.mpf(w)
        if s == 1:
            return float(mpmath.log(1 + x**2) / x**2)
        return float(2 / ((shape - 1) * x**2) * (1 - mpmath.re((1 - 1j * x) ** (1 - shape))))


def of_nakagami(m: float, w: float) -> float:
    with mpmath.workdps(100):
        shape, x, half = mpmath.mpf(m), mpmath.mpf(w), mpmath.mpf(1) / 2
        if m == 0.5:
            return float(mpmath.gamma(1) / mpmath.gamma(half) * mpmath.hyp2f2(1, 1, 3 * half, 2, -(x**2) / 4))
        inverse = mpmath.gamma(shape - half) / mpmath.gamma(shape)
        return float(2 * inverse / x**2 * (1 - mpmath.hyp1f1(shape - half, half, -(x**2) / 4)))


def by_quadrature(shape: float, power: float, w: float) -> float:
    """E[(1 − cos ωR)/R] on the ray of the angle (π/2)(k/(1 + k)), in the logarithm of Y."""
    with mpmath.workdps(25):
        a, k, x = mpmath.mpf(shape), mpmath.mpf(power), mpmath.mpf(w)
        angle = mpmath.pi * k / (2 * (1 + k))

        def integrand(q: mpmath.mpf) -> mpmath.mpf:
            y = mpmath.exp(q + 1j * angle)
            return mpmath.re(-mpmath.expm1(1j * x * y ** (1 / k)) * y ** (a - 1 / k) * mpmath.exp(-y))

        total = mpmath.quad(integrand, mpmath.linspace(-45 / a, mpmath.log(200), 9))
        return float(2 / x**2 / mpmath.gamma(a) * total)


@pytest.mark.parametrize("shape", [0.001, 0.05, 0.49, 0.5, 0.9, 1.0, 1 + 1e-9, 1 - 1e-9, 2.0, 7.3, 200.0])
def test_gamma(shape: float) -> None:
    expected = [of_gamma(shape, w) for w in FREQUENCIES]
    np.testing.assert_allclose(gamma_triangles_transform(shape, 1, FREQUENCIES), expected, rtol=3e-15)


@pytest.mark.parametrize("shape", [0.01, 0.05, 0.3, 0.5, 0.5 + 1e-9, 0.5 - 1e-9, 1.0, 3.3, 30.0, 200.0])
def test_nakagami(shape: float) -> None:
    expected = [of_nakagami(shape, w) for w in FREQUENCIES]
    np.testing.assert_allclose(gamma_triangles_transform(shape, 2, FREQUENCIES), expected, rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("shape", "power"), [(1.0, 0.1), (1.0, 0.5), (1.0, 1.4), (2.5, 0.7), (0.4, 1.7)])
def test_others(shape: float, power: float) -> None:
    frequencies = np.array([1e-3, 0.4, 30.0])
    expected = [by_quadrature(shape, power, w) for w in frequencies]
    np.testing.assert_allclose(gamma_triangles_transform(shape, power, frequencies), expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [0.3, 1.0, 2.0, 40.0])
def test_the_ray_is_the_closed_form(shape: float) -> None:
    """k next to 1 is by quadrature, k = 1 not; the two sides of it average to it."""
    low, there, high = (gamma_triangles_transform(shape, k, FREQUENCIES) for k in (1 - 1e-8, 1.0, 1 + 1e-8))
    np.testing.assert_allclose((low + high) / 2, there, rtol=1e-12)


@pytest.mark.parametrize(("shape", "power"), [(0.05, 1.0), (0.05, 2.0), (1.0, 0.05), (1.0, 200.0), (1000.0, 1.0)])
def test_the_ends(shape: float, power: float) -> None:
    values = gamma_triangles_transform(shape, power, np.array([[0.0, 1e-300, 1e-60], [1.0, -1.0, 1e100]]))
    mean = float(mpmath.gamma(shape + 1 / power) / mpmath.gamma(shape))
    np.testing.assert_allclose(values[0], mean, rtol=1e-12)
    assert values[1, 0] == values[1, 1]
    assert 0 <= values[1, 2] < 1e-100
    assert gamma_triangles_transform(shape, power, np.zeros((0, 3))).shape == (0, 3)
