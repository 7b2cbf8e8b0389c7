"""The uniform law."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import scipy.stats
import sympy

from kernelspec.distributions.ray_transforms import Rice
from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from kernelspec.distributions.uniform import Uniform
from kernelspec.errors import RangeError
from kernelspec.kernels.leaves.of_distributions import Polya
from tests.distributions.comparisons import assert_evaluated_by_sympy, assert_values, rounded_phases
from tests.distributions.standard import standard_distribution_tests
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_distribution_tests(
    [
        (Uniform(low=-2.0, high=2.0), scipy.stats.uniform(-2, 4)),
        (Uniform(low=-0.5, high=2.5), scipy.stats.uniform(-0.5, 3)),
        (Cauchy(), scipy.stats.cauchy()),
        (Cauchy(scale=0.4), scipy.stats.cauchy(scale=0.4)),
        (Gaussian(), scipy.stats.norm()),
        (Gaussian(scale=1.7), scipy.stats.norm(scale=1.7)),
        (Laplace(), scipy.stats.laplace()),
        (Laplace(scale=1.7), scipy.stats.laplace(scale=1.7)),
        *[(StudentT(dof=dof, scale=1.0), scipy.stats.t(dof)) for dof in (0.4, 1.0, 2.0, 3.0, 90.0)],
        (StudentT(dof=5.5, scale=0.6), scipy.stats.t(5.5, scale=0.6)),
    ]
)

test_standard_positive = standard_positive_tests(
    [
        (Uniform(low=0.0, high=2.0), scipy.stats.uniform(0, 2)),
        (Uniform(low=0.5, high=3.5), scipy.stats.uniform(0.5, 3)),
        (Rice(nu=1.3, sigma=0.8), scipy.stats.rice(1.3 / 0.8, scale=0.8)),
        (Rice(nu=6.0), scipy.stats.rice(6)),
    ]
)


def test_an_empty_interval_is_refused():
    with pytest.raises(RangeError, match=r"low < high, not low=2\.0 and high=1\.0"):
        Uniform(low=2.0, high=1.0)
    with pytest.raises(RangeError):
        Uniform(low=sympy.S(2), high=sympy.S(2))
    Uniform(low=math.nan, high=math.nan)  # numbers not known yet


def test_symmetry_of_symbols():
    a, b = sympy.symbols("a b", positive=True)
    assert Uniform(low=-a, high=a).is_symmetric
    assert not Uniform(low=-a, high=b).is_symmetric
    assert Uniform(low=math.nan, high=1.0).is_symmetric


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (1.0, 3.0), (0.001, 5.0), (7.0, 7.0001)])
def test_the_kernel_to_twelve_digits(low, high):
    """(b − t − t ln(b/t))/(b − a), and 1 − t ln(b/a)/(b − a) below a, up to the end of the support."""

    def exact(t):
        a, b = mpmath.mpf(low), mpmath.mpf(high)
        if t == 0:
            return mpmath.mpf(1)
        return 1 - t * mpmath.log(b / a) / (b - a) if t <= a else (b - t - t * mpmath.log(b / t)) / (b - a)

    width = high - low
    lags = [1e-12, low / 2, low, low + 1e-9 * width, low + 0.4 * width, low + 0.9 * width, high - 1e-6 * width]
    assert_values(Uniform(low=low, high=high).polya_kernel, exact, lags)


@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (1.0, 3.0), (0.001, 5.0), (7.0, 7.01)])
def test_the_transform_to_twelve_digits(low, high):
    def exact(w):
        a, b = mpmath.mpf(low), mpmath.mpf(high)
        start = mpmath.euler + mpmath.log(a * w) - mpmath.ci(a * w) if low else mpmath.mpf(0)
        return 2 / (w**2 * (b - a)) * (mpmath.euler + mpmath.log(b * w) - mpmath.ci(b * w) - start)

    frequencies = [1e-8, 1e-3, 0.5, 3.999, 4.001, 20.0, 1e3, 1e6]
    assert_values(Uniform(low=low, high=high).polya_transform, exact, frequencies, digits=80)


def test_below_zero_there_is_no_polya_kernel():
    with pytest.raises(RangeError, match="mass below 0"):
        Polya(distribution=Uniform(low=-1.0, high=2.0), dim=1)


def triangles(shape, u):
    """Q(m, u²) − u Γ(m − ½, u²)/Γ(m): the kernel of the root of a gamma variable."""
    upper = mpmath.gammainc(shape - mpmath.mpf(1) / 2, u**2)
    return mpmath.gammainc(shape, u**2, regularized=True) - u * upper / mpmath.gamma(shape)


@pytest.mark.parametrize("nu", [0.0, 0.01, 0.7, 3.0])
def test_the_kernel_to_twelve_digits_rice(nu):
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
def test_the_transform_to_twelve_digits_rice(nu):
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


@pytest.mark.long
def test_sympy_itself_evaluates_the_integral():
    assert_evaluated_by_sympy(Rice(nu=1.3, sigma=0.8))
