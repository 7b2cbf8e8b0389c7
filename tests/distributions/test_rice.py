"""The Rice law, its kernel and transform against mpmath."""

import mpmath
import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.rice import Rice
from tests.distributions.comparisons import assert_evaluated_by_sympy, assert_values, rounded_phases
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Rice(nu=1.3, sigma=0.8), scipy.stats.rice(1.3 / 0.8, scale=0.8)),
        (Rice(nu=6.0), scipy.stats.rice(6)),
    ]
)


def triangles(shape, u):
    """Q(m, u²) − u Γ(m − ½, u²)/Γ(m): the kernel of the root of a gamma variable."""
    upper = mpmath.gammainc(shape - mpmath.mpf(1) / 2, u**2)
    return mpmath.gammainc(shape, u**2, regularized=True) - u * upper / mpmath.gamma(shape)


@pytest.mark.parametrize("nu", [0.0, 0.01, 0.7, 3.0])
def test_the_kernel_to_twelve_digits(nu):
    """R²/2σ² is a gamma variable whose shape is 1 + N, N ~ Poisson(ν²/2σ²): a sum of kernels in closed form."""

    def exact(t):
        rate = mpmath.mpf(nu) ** 2 / (2 * mpmath.mpf(0.8) ** 2)
        u = t / (mpmath.mpf(0.8) * mpmath.sqrt(2))
        total, j, chance = mpmath.mpf(0), 0, mpmath.exp(-rate)
        while True:
            part = chance * triangles(mpmath.mpf(1 + j), u)
            total += part
            j += 1
            chance *= rate / j
            if part <= total * mpmath.mpf(10) ** -18:
                return total

    lags = [1e-12, 0.01, 0.4, 1.5, 4.0, 9.0, 20.0]
    assert_values(Rice(nu=nu, sigma=0.8).polya_kernel, exact, lags, digits=50)


@pytest.mark.parametrize("nu", [30.0, 1e4])
def test_far_from_the_origin_it_is_nearly_normal(nu):
    """∫ (r − t) p(r)/r dr by Gauss–Legendre of another order, and a straight line where no R is below t."""
    nodes, weights = np.polynomial.legendre.leggauss(150)

    def by_quadrature(t):
        lag = float(t)
        start = max(lag, nu - 14)
        r = start + (nu + 14 - start) * (nodes + 1) / 2
        density = scipy.stats.rice.pdf(r, nu)
        return float(((r - start + (start - lag)) / r * density) @ weights) * (nu + 14 - start) / 2

    lags = [1e-9, nu - 25, nu - 10, nu - 9.5, nu - 3, nu + 0.2, nu + 4]
    assert_values(Rice(nu=nu).polya_kernel, by_quadrature, lags, rel=2e-12)


@pytest.mark.parametrize("nu", [0.0, 0.7, 3.0])
def test_the_transform_to_twelve_digits(nu):
    """The same sum of (2M/ω²)(1 − ₁F₁(m − ½; ½; −c²ω²/4)), M = Γ(m − ½)/cΓ(m), c = σ√2."""

    def exact(w):
        rate, c = mpmath.mpf(nu) ** 2 / (2 * mpmath.mpf(0.8) ** 2), mpmath.mpf(0.8) * mpmath.sqrt(2)
        half = mpmath.mpf(1) / 2
        total, chance = mpmath.mpf(0), mpmath.exp(-rate)
        for j in range(60 if nu else 1):
            inverse = mpmath.gamma(j + half) / (c * mpmath.gamma(j + 1))
            wave = mpmath.hyp1f1(j + half, half, -(c**2) * w**2 / 4)
            total += chance * 2 * inverse / w**2 * (1 - wave)
            chance *= rate / (j + 1)
        return total

    frequencies = [1e-8, 1e-3, 0.4, 2.0, 6.0, 40.0, 1e3, 1e6]
    law = Rice(nu=nu, sigma=0.8)
    assert_values(law.polya_transform, exact, frequencies, rel=rounded_phases(frequencies))


@pytest.mark.parametrize("nu", [40.0, 1e4])
def test_the_transform_far_from_the_origin(nu):
    """E[R (sin(Rω/2)/(Rω/2))²] by Gauss–Legendre, up to the frequencies where the wave dies out."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    r = nu + 13 * nodes
    chances = 13 * weights * scipy.stats.rice.pdf(r, nu)

    def by_quadrature(w):
        return float(chances @ (r * np.square(np.sinc(r * float(w) / 2 / np.pi))))

    frequencies = [1e-3 / nu, 0.7 / nu, 2.2 / nu, 0.31, 2.0, 9.0]
    assert_values(Rice(nu=nu).polya_transform, by_quadrature, frequencies, rel=1e-10)


def test_a_pitch_that_is_nearly_certain_makes_the_triangle():
    law = Rice(nu=1e6, sigma=1e-3)
    np.testing.assert_allclose(law.polya_kernel(np.array([1.0, 2.5e5, 9e5])), [1 - 1e-6, 0.75, 0.1], rtol=1e-12)
    found = Rice(nu=1e6).polya_transform(np.array([0.0, 3e-6]))
    np.testing.assert_allclose(found, [1e6, 1e6 * np.sinc(1.5 / np.pi) ** 2], rtol=1e-8)


def test_at_nu_zero_it_is_rayleigh():
    law, frozen = Rice(nu=0.0, sigma=2.0), scipy.stats.rayleigh(scale=2)
    x = np.array([-1.0, 0.0, 0.5, 3.0, 11.0])
    np.testing.assert_allclose(law.density(x), frozen.pdf(x), rtol=1e-13)
    assert law.mean() == pytest.approx(frozen.mean(), rel=1e-14)


@pytest.mark.long
def test_sympy_itself_evaluates_the_integral():
    assert_evaluated_by_sympy(Rice(nu=1.3, sigma=0.8))
