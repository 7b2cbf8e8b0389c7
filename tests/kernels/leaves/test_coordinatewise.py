"""Tests of kernels that are products over coordinates."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Triangle
from kernelspec.kernels.leaves.radial import PoweredExponential
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.kernels.standard import euclidean, over_columns, standard_kernel_tests
from tests.laboratory import assert_characteristic_function
from tests.thoroughness import sweep


def formula(scale):
    return over_columns(lambda t: 1 / (1 + (t / scale) ** 2))


test_standard = standard_kernel_tests({"cauchy(1)": formula(1), "cauchy(0.4)": formula(mp.mpf(0.4))})


def formula_of_sinc(bandwidth):
    return over_columns(lambda t: mp.sinc(bandwidth * t))


test_standard_sinc = standard_kernel_tests({"sinc(1)": formula_of_sinc(1), "sinc(3)": formula_of_sinc(3)})


def formula_of_triangle(width):
    return over_columns(lambda t: max(mp.mpf(0), 1 - abs(t) / width))


test_standard_triangle = standard_kernel_tests(
    {"triangle(1)": formula_of_triangle(1), "triangle(2.5)": formula_of_triangle(mp.mpf(2.5))}
)


@pytest.mark.parametrize("omega", [0.0, 1e-9, 0.3, 2.0, 2 * np.pi / 2.5, 31.4, 200.0])
def test_density_is_the_transform_of_the_kernel(omega):
    exact = quad(lambda t: (1 - t / 2.5) * np.cos(omega * t), 0, 2.5, epsabs=1e-14, limit=400)[0] / np.pi
    found = Triangle(width=2.5, dim=1).density(NumericPairs.of_vectors([[omega]]))[0]
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-14)


def test_density_near_zero_does_not_cancel():
    tiny = Triangle(width=1.0, dim=1).factor_density(np.array([0.0, 1e-300, 1e-9, 1e-4]))
    np.testing.assert_allclose(tiny * 2 * np.pi, [1, 1, 1, 1 - 1e-8 / 12], rtol=1e-15)


def formula_of_powered_exponential(alpha, scale):
    alpha, scale = mp.mpf(alpha), mp.mpf(scale)
    return euclidean(lambda r: mp.exp(-((r / scale) ** alpha)))


test_standard_powered_exponential = standard_kernel_tests(
    {
        f"powered_exponential({alpha:g}, {scale:g})": formula_of_powered_exponential(alpha, scale)
        for alpha, scale in [(0.5, 1), (1, 2), (1.5, 0.8), (1.95, 1), (2, 1.5)]
    }
)


def series(alpha, dim, radii):
    """The density by its power series in ω, which converges for α > 1 [Samorodnitsky and Taqqu 1994]."""
    with mp.workdps(60):
        alpha, half = mp.mpf(alpha), mp.mpf(dim) / 2
        terms = [
            (-1) ** n * mp.gamma((2 * n + dim) / alpha) / (mp.factorial(n) * mp.gamma(n + half)) for n in range(400)
        ]
        factor = 2 / (alpha * (4 * mp.pi) ** half)
        return [float(factor * mp.fsum(c * (mp.mpf(w) / 2) ** (2 * n) for n, c in enumerate(terms))) for w in radii]


def tail_series(alpha, dim, radii):
    """The density by its series in ω^{−α}, which converges for α < 1 [Samorodnitsky and Taqqu 1994]."""
    with mp.workdps(60):
        alpha, half = mp.mpf(alpha), mp.mpf(dim) / 2

        def coefficient(n):
            gammas = mp.gamma(n * alpha / 2 + 1) * mp.gamma(n * alpha / 2 + half) / mp.factorial(n)
            return (-1) ** (n + 1) * gammas * mp.sin(mp.pi * n * alpha / 2)

        terms = [(n * alpha + dim, coefficient(n)) for n in range(1, 400)]
        factor = 1 / (2**dim * mp.pi ** (half + 1))
        return [float(factor * mp.fsum(c * (2 / mp.mpf(w)) ** power for power, c in terms)) for w in radii]


@pytest.mark.slow
@pytest.mark.parametrize("dim", sweep([1, 2, 3, 7], every=2))
@pytest.mark.parametrize("alpha", [1.4, 1.7, 1.95, 1.999, 1.9999999])
def test_density_against_the_power_series(alpha, dim):
    radii = np.array([0.01, 0.3, 1.0, 2.5, 4.0])
    found = PoweredExponential(alpha=alpha, scale=1.0, dim=dim).radial_density(radii, dim)
    np.testing.assert_allclose(found, series(alpha, dim, radii), rtol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("dim", sweep([1, 2, 3, 7], every=2))
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.6, 0.75])
def test_density_against_the_tail_series(alpha, dim):
    radii = np.array([0.6, 1.0, 4.0, 50.0, 1e6])
    found = PoweredExponential(alpha=alpha, scale=1.0, dim=dim).radial_density(radii, dim)
    np.testing.assert_allclose(found, tail_series(alpha, dim, radii), rtol=1e-11)


@pytest.mark.long
def test_density_against_the_integral_in_sympy():
    closed = PoweredExponential(alpha=1.5, scale=0.8, dim=1)
    value = closed.radial_density_expression(sympy.Integer(2), 1)
    assert float(value) == pytest.approx(closed.radial_density(np.array([2.0]), 1)[0], rel=1e-10)
    for alpha, dim in ((1.7, 1), (1.3, 3)):
        omega = sympy.Symbol("omega", positive=True)
        written = PoweredExponential(alpha=alpha, scale=0.8, dim=dim).radial_density_expression(omega, dim)
        (integral,) = written.atoms(sympy.Integral)
        ((r, low, high),) = integral.limits
        assert (low, high) == (0, sympy.oo)
        integrand = sympy.lambdify(r, integral.function.subs(omega, 2), "mpmath")
        with mp.workdps(25):
            total = mp.quadosc(integrand, [0, mp.inf], omega=2)
        value = written.subs(omega, 2).subs(integral.subs(omega, 2), total)
        found = PoweredExponential(alpha=alpha, scale=0.8, dim=dim).radial_density(np.array([2.0]), dim)[0]
        assert found == pytest.approx(float(value), rel=1e-10)


def test_elementary_members():
    radii = np.array([0.0, 0.5, 3.0])
    near_cauchy = PoweredExponential(alpha=1 + 1e-12, scale=1.0, dim=3).radial_density(radii, 3)
    np.testing.assert_allclose(near_cauchy, 1 / (np.pi**2 * (1 + radii**2) ** 2), rtol=1e-10)
    np.testing.assert_allclose(
        PoweredExponential(alpha=2.0, scale=1.0, dim=1).radial_density(radii, 1),
        np.exp(-(radii**2) / 4) / np.sqrt(4 * np.pi),
        rtol=1e-13,
    )


@pytest.mark.parametrize("alpha", [0.02, 0.4, 1.2, 1.99])
def test_mixing_variable_is_positive_stable(alpha):
    """E exp(−sA) = exp(−s^{α/2}); seed 11, budget 1e-8."""
    stable = PoweredExponential(alpha=alpha, scale=1.0, dim=1).draw_variance(Stream(11), 100_000) / 2
    rates = np.array([1e-3, 0.1, 1, 10, 1e3])
    assert_mean(np.exp(-np.outer(stable, rates)), np.exp(-(rates ** (alpha / 2))), budget=1e-8)


def test_second_moment_of_symbols():
    alpha, s = sympy.symbols("alpha s", positive=True)
    variance = PoweredExponential(alpha=alpha, scale=s, dim=1).frequency_variance()
    assert variance.subs(alpha, 2) == 2 / s**2
    assert variance.subs(alpha, 1) == sympy.oo
    assert PoweredExponential(alpha=sympy.S(2), scale=s, dim=1).frequency_variance() == 2 / s**2
    assert PoweredExponential(alpha=1.9, scale=1.0, dim=1).frequency_variance() == math.inf


@pytest.mark.parametrize(("alpha", "dim"), [(0.3, 1), (0.7, 2), (1, 1), (1.5, 3), (2, 2)])
def test_sums_of_frequencies_powered_exponential(alpha, dim):
    kernel, counts = PoweredExponential(alpha=alpha, scale=0.8, dim=dim), np.array([0, 1, 2, 7, 40])
    drawn = kernel.draw_sums(Stream(3), np.tile(counts, 8000)).reshape(8000, 5, dim)
    direction = np.random.default_rng(dim).standard_normal((4, dim))
    for i, count in enumerate(counts):
        # at lags where the power of the kernel is neither 0 nor 1
        radius = 0.8 * (np.array([0.2, 0.5, 1, 2]) / max(count, 1)) ** (1 / alpha)
        lags = direction / np.linalg.norm(direction, axis=1)[:, None] * radius[:, None]
        expected = np.exp(-((radius / 0.8) ** alpha)) ** count
        assert_characteristic_function(drawn[:, i], lags, expected, budget=1e-8)
    assert np.array_equal(kernel.draw_sums(Stream(3), np.tile(counts, 2)), drawn[:2].reshape(10, dim))


def test_sums_stay_finite():
    drawn = PoweredExponential(alpha=0.01, scale=1, dim=2).draw_sums(Stream(0), np.full(100, 10**9))
    assert np.isfinite(drawn).all()
    assert np.abs(drawn).max() <= 1e30
