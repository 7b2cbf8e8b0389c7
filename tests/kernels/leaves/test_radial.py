"""Tests of kernels of a distance."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import multivariate_t
from sklearn.gaussian_process.kernels import Matern
from sklearn.gaussian_process.kernels import Matern as SklearnMatern
from sklearn.gaussian_process.kernels import RationalQuadratic as SklearnRationalQuadratic
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Exponential, RationalQuadratic
from kernelspec.kernels.leaves.radial import Matern as MaternOfMatern
from kernelspec.random.streams import Stream
from tests.kernels.standard import at, euclidean, over_columns, standard_kernel_tests
from tests.laboratory import assert_characteristic_function
from tests.thoroughness import sweep


def formula(scale):
    return euclidean(lambda r: mp.exp(-r / scale))


test_standard = standard_kernel_tests({"exponential(1)": formula(1), "exponential(0.6)": formula(mp.mpf(0.6))})


def test_agrees_with_scikit_learn(rows):
    ours = at(Exponential(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, Matern(length_scale=0.9, nu=0.5)(rows, np.zeros((1, 3))).ravel(), rtol=1e-12)


def test_product_of_two_is_one_again(rows):
    first, second = Exponential(scale=0.9, dim=3), Exponential(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(Laplace(scale=1.0, dim=3)) is None


def formula_of_gaussian(scale):
    return euclidean(lambda r: mp.exp(-((r / scale) ** 2) / 2))


test_standard_gaussian = standard_kernel_tests(
    {"gaussian(1)": formula_of_gaussian(1), "gaussian(0.37)": formula_of_gaussian(mp.mpf(0.37))}
)


def test_agrees_with_scikit_learn_gaussian(rows):
    ours = at(Gaussian(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, rbf_kernel(rows, np.zeros((1, 3)), gamma=1 / (2 * 0.9**2)).ravel(), rtol=1e-12)


def test_product_of_two_is_one_again_gaussian(rows):
    first, second = Gaussian(scale=0.9, dim=3), Gaussian(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(second).scale == pytest.approx((1 / 0.81 + 1 / 4) ** -0.5)


def formula_of_laplace(scale):
    return over_columns(lambda t: mp.exp(-abs(t) / scale))


test_standard_laplace = standard_kernel_tests(
    {"laplace(1)": formula_of_laplace(1), "laplace(2.3)": formula_of_laplace(mp.mpf(2.3))}
)


def test_agrees_with_scikit_learn_laplace(rows):
    ours = at(Laplace(scale=0.9, dim=3), rows)
    np.testing.assert_allclose(ours, laplacian_kernel(rows, np.zeros((1, 3)), gamma=1 / 0.9).ravel(), rtol=1e-12)


def test_one_factor_per_column(rows):
    kernel = Laplace(scale=0.9, dim=3)
    np.testing.assert_allclose(kernel.factor(rows).prod(axis=1), at(kernel, rows), rtol=1e-13)
    t = sympy.Symbol("t", real=True)
    assert kernel.factor_expression(t).subs(t, -2) == sympy.exp(-2 / sympy.S(0.9))


def test_product_of_two_is_one_again_laplace(rows):
    first, second = Laplace(scale=0.9, dim=3), Laplace(scale=2.0, dim=3)
    np.testing.assert_allclose(at(first.fuse(second), rows), at(first, rows) * at(second, rows), rtol=1e-13)
    assert first.fuse(second).scale == pytest.approx(1 / (1 / 0.9 + 1 / 2))


@pytest.mark.parametrize("dim", [1, 3])
def test_sums_of_frequencies(dim):
    kernel, counts = Laplace(scale=1.7, dim=dim), np.array([0, 1, 2, 7, 40])
    lags = np.random.default_rng(dim).uniform(-1, 1, (4, dim)) / 10
    drawn = kernel.draw_sums(Stream(3), np.tile(counts, 8000)).reshape(8000, 5, dim)
    for i, count in enumerate(counts):
        expected = np.exp(-np.abs(lags).sum(axis=1) / 1.7) ** count
        assert_characteristic_function(drawn[:, i], lags, expected, budget=1e-8)
    assert np.array_equal(kernel.draw_sums(Stream(3), np.tile(counts, 2)), drawn[:2].reshape(10, dim))


def test_the_dual_of_a_step_meets_no_limit():
    # P(l > n) ≈ ¼/√n: 40 000 degrees reach beyond 10⁶ with near certainty, of which a million are drawn one by one
    fmap = ks.compile("dual(step, laplace())", dim=1, n_features=40_000, method="phase", seed=1)
    X = np.array([[0.0], [0.01], [0.7]])
    expected = 0.5 + np.arcsin(np.exp(-np.abs(X - X.T))) / np.pi
    z = (fmap.approximate(X) - expected) / np.sqrt(fmap.predicted_variance(X, hashed=False))
    assert np.abs(z).max() < 6


def formula_of_matern(nu, scale):
    nu, scale = mp.mpf(nu), mp.mpf(scale)

    def profile(r):
        x = mp.sqrt(2 * nu) * r / scale
        if x == 0:
            return mp.mpf(1)
        if x > 100_000:
            return mp.mpf(0)  # below the smallest float; mpmath's Bessel function is slow there
        return 2 ** (1 - nu) / mp.gamma(nu) * x**nu * mp.besselk(nu, x)

    return euclidean(profile)


test_standard_matern = standard_kernel_tests(
    {
        f"matern({nu:g}, {scale:g})": formula_of_matern(nu, scale)
        for nu, scale in [(0.3, 1), (1, 1), (0.5, 2), (40, 1), (1.5, 0.7), (7.3, 1.3)]
    }
)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 3.2, 0.1])
def test_agrees_with_scikit_learn_matern(rows, nu):
    ours = at(MaternOfMatern(nu=nu, scale=0.9, dim=3), rows)
    theirs = SklearnMatern(length_scale=0.9, nu=nu)(rows, np.zeros((1, 3))).ravel()
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize("nu", [0.4, 1.5, 20.0])
def test_density_agrees_with_scipy(rows, nu):
    ours = MaternOfMatern(nu=nu, scale=0.9, dim=3).density(NumericPairs.of_vectors(rows))
    theirs = multivariate_t(shape=np.eye(3) / 0.81, df=2 * nu).pdf(rows)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


def test_density_of_a_thousand_degrees_of_freedom_in_high_dimension():
    for nu, dim in ((500.0, 300), (1e6, 1), (0.01, 101)):
        kernel = MaternOfMatern(nu=nu, scale=1.0, dim=dim)
        with mp.workdps(40):
            constant = mp.gammaprod([nu + mp.mpf(dim) / 2], [nu]) / (2 * nu * mp.pi) ** (mp.mpf(dim) / 2)
            exact = constant * (1 + mp.mpf(4) / (2 * nu)) ** (-nu - mp.mpf(dim) / 2)
        assert kernel.radial_density(np.array([2.0]), dim)[0] == pytest.approx(float(exact), rel=1e-11)


def test_tends_to_the_gaussian():
    r = np.linspace(0, 5, 20)
    np.testing.assert_allclose(
        MaternOfMatern(nu=1e9, scale=1.3, dim=1).profile(r), np.exp(-(r**2) / 2 / 1.69), rtol=1e-7
    )


def test_half_integer_orders_are_elementary():
    r = sympy.Symbol("r", positive=True)
    written = MaternOfMatern(nu=1.5, scale=1, dim=1).profile_expression(r)
    assert sympy.simplify(written - (1 + sympy.sqrt(3) * r) * sympy.exp(-sympy.sqrt(3) * r)) == 0
    assert not MaternOfMatern(nu=sympy.Rational(5, 2), scale=1, dim=1).profile_expression(r).has(sympy.besselk)
    assert MaternOfMatern(nu=sympy.Rational(7, 3), scale=1, dim=1).profile_expression(r).has(sympy.besselk)


def test_second_moment_starts_to_exist_above_order_one():
    assert MaternOfMatern(nu=1.0, scale=1.0, dim=2).second_moment() == math.inf
    assert MaternOfMatern(nu=1.5, scale=2.0, dim=2).second_moment() == pytest.approx(2 * 3 / 4)
    nu = sympy.Symbol("nu", positive=True)
    assert MaternOfMatern(nu=nu, scale=1, dim=1).frequency_variance().subs(nu, 1) == sympy.oo


def formula_of_rational_quadratic(alpha, scale):
    alpha, scale = mp.mpf(alpha), mp.mpf(scale)
    return euclidean(lambda r: (1 + r**2 / (2 * alpha * scale**2)) ** -alpha)


test_standard_rational_quadratic = standard_kernel_tests(
    {
        f"rational_quadratic({alpha:g}, {scale:g})": formula_of_rational_quadratic(alpha, scale)
        for alpha, scale in [(0.3, 1), (1, 2), (2.5, 0.7), (60, 1)]
    }
)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 3.7])
def test_agrees_with_scikit_learn_rational_quadratic(rows, alpha):
    ours = at(RationalQuadratic(alpha=alpha, scale=0.9, dim=3), rows)
    theirs = SklearnRationalQuadratic(length_scale=0.9, alpha=alpha)(rows, np.zeros((1, 3))).ravel()
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "dim"), sweep([(0.3, 1), (0.5, 1), (1.0, 2), (2.5, 3), (0.7, 7), (400.0, 3), (3.5, 7)], every=3)
)
def test_density_is_the_mixture_of_gaussians(alpha, dim):
    for radius in (1e-6, 0.5, 9.0):

        def integrand(s, radius=radius):
            tau = mp.exp(s)
            gamma_law = mp.exp(alpha * s + alpha * mp.log(alpha) - alpha * tau - mp.loggamma(alpha))
            return gamma_law * (2 * mp.pi * tau) ** (-mp.mpf(dim) / 2) * mp.exp(-(mp.mpf(radius) ** 2) / (2 * tau))

        with mp.workdps(30):
            exact = mp.quad(integrand, list(mp.linspace(-60, 12, 13)))
        found = RationalQuadratic(alpha=alpha, scale=1.0, dim=dim).radial_density(np.array([radius]), dim)[0]
        if exact > 1e-250:
            assert found == pytest.approx(float(exact), rel=1e-11)


def test_density_at_zero_is_finite_above_half_the_dimension():
    zero = np.zeros(1)
    assert RationalQuadratic(alpha=1.0, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    assert RationalQuadratic(alpha=0.9, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    finite = RationalQuadratic(alpha=1.5, scale=1.0, dim=2).radial_density(zero, 2)[0]
    assert finite == pytest.approx(1.5 / (2 * np.pi) / 0.5)  # α/2π · E 1/G = α/2π/(α − 1)


def test_rational_order_in_two_dimensions_has_mass_one():
    kernel = RationalQuadratic(alpha=1.0, scale=2.0, dim=2)
    total = quad(lambda r: 2 * np.pi * r * kernel.radial_density(np.array([r]), 2)[0], 0, 40, epsabs=1e-12)[0]
    assert total == pytest.approx(1, rel=1e-10)
