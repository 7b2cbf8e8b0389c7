"""Tests of kernels of a distance."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import multivariate_t
from sklearn.gaussian_process.kernels import ExpSineSquared, Matern, RationalQuadratic
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.radial import Matern as OurMatern
from kernelspec.kernels.leaves.radial import RationalQuadratic as OurRationalQuadratic
from kernelspec.random.streams import Stream
from tests.kernels.standard import at, euclidean, over_columns, standard_kernel_tests
from tests.laboratory import assert_characteristic_function
from tests.thoroughness import sweep


def formula(scale):
    return euclidean(lambda r: mp.exp(-r / scale))


test_standard = standard_kernel_tests({"exponential(1)": formula(1), "exponential(0.6)": formula(mp.mpf(0.6))})


def formula_of_gaussian(scale):
    return euclidean(lambda r: mp.exp(-((r / scale) ** 2) / 2))


test_standard_gaussian = standard_kernel_tests(
    {"gaussian(1)": formula_of_gaussian(1), "gaussian(0.37)": formula_of_gaussian(mp.mpf(0.37))}
)


def formula_of_laplace(scale):
    return over_columns(lambda t: mp.exp(-abs(t) / scale))


test_standard_laplace = standard_kernel_tests(
    {"laplace(1)": formula_of_laplace(1), "laplace(2.3)": formula_of_laplace(mp.mpf(2.3))}
)


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


@pytest.mark.parametrize(
    ("text", "theirs"),
    [
        ("gaussian(scale=0.9)", lambda x: rbf_kernel(x, gamma=1 / (2 * 0.9**2))),
        ("laplace(scale=0.9)", lambda x: laplacian_kernel(x, gamma=1 / 0.9)),
        ("exponential(scale=0.9)", Matern(length_scale=0.9, nu=0.5)),
        *((f"matern(nu={nu}, scale=0.9)", Matern(length_scale=0.9, nu=nu)) for nu in (0.5, 1.5, 2.5, 3.2, 0.1)),
        *((f"rational_quadratic({a}, 0.9)", RationalQuadratic(length_scale=0.9, alpha=a)) for a in (0.2, 1.0, 3.7)),
        ("periodic(1.9, 0.7)[0]", lambda x: ExpSineSquared(length_scale=0.7, periodicity=1.9)(x[:, :1])),
    ],
)
def test_agrees_with_scikit_learn(rows, text, theirs):
    np.testing.assert_allclose(ks.parse(text).gram(rows), theirs(rows), rtol=1e-10, atol=1e-15)


FUSED = ["gaussian({})", "laplace({})", "exponential({})", "powered_exponential(1.3, {})", "periodic(1.3, {})"]


@pytest.mark.parametrize("text", FUSED)
def test_product_of_two_is_one_again(rows, text):
    first, second = (ks.parse(text.format(s)).kernel(Columns(3)) for s in (0.9, 2))
    fused = first.fuse(second)
    assert type(fused) is type(first)
    np.testing.assert_allclose(at(fused, rows), at(first, rows) * at(second, rows), rtol=1e-12)
    others = [ks.parse(other).kernel(Columns(3)) for other in ("powered_exponential(1.4, 2)", "periodic(1.4, 2)")]
    assert [first.fuse(other) for other in others] == [None, None]


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("text", ["laplace(1.7)", "cauchy(0.6)", "gaussian(2)", "rational_quadratic(2, 1.5)"])
def test_sums_of_frequencies(text, dim):
    kernel, counts = ks.parse(text).kernel(Columns(dim)), np.array([0, 1, 2, 7, 40])
    lags = np.random.default_rng(dim).uniform(-1, 1, (4, dim)) / 10
    drawn = kernel.draw_sums(Stream(3), np.tile(counts, 8000)).reshape(8000, 5, dim)
    for i, count in enumerate(counts):
        assert_characteristic_function(drawn[:, i], lags, at(kernel, lags) ** count, budget=1e-8)
    assert np.array_equal(kernel.draw_sums(Stream(3), np.tile(counts, 2)), drawn[:2].reshape(10, dim))


@pytest.mark.parametrize("nu", [0.4, 1.5, 20.0])
def test_density_agrees_with_scipy(rows, nu):
    ours = OurMatern(nu=nu, scale=0.9, dim=3).density(NumericPairs.of_vectors(rows))
    theirs = multivariate_t(shape=np.eye(3) / 0.81, df=2 * nu).pdf(rows)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


def test_density_of_a_thousand_degrees_of_freedom_in_high_dimension():
    for nu, dim in ((500.0, 300), (1e6, 1), (0.01, 101)):
        kernel = OurMatern(nu=nu, scale=1.0, dim=dim)
        with mp.workdps(40):
            constant = mp.gammaprod([nu + mp.mpf(dim) / 2], [nu]) / (2 * nu * mp.pi) ** (mp.mpf(dim) / 2)
            exact = constant * (1 + mp.mpf(4) / (2 * nu)) ** (-nu - mp.mpf(dim) / 2)
        assert kernel.radial_density(np.array([2.0]), dim)[0] == pytest.approx(float(exact), rel=1e-11)


def test_half_integer_orders_are_elementary():
    r = sympy.Symbol("r", positive=True)
    written = OurMatern(nu=1.5, scale=1, dim=1).profile_expression(r)
    assert sympy.simplify(written - (1 + sympy.sqrt(3) * r) * sympy.exp(-sympy.sqrt(3) * r)) == 0
    assert not OurMatern(nu=sympy.Rational(5, 2), scale=1, dim=1).profile_expression(r).has(sympy.besselk)
    assert OurMatern(nu=sympy.Rational(7, 3), scale=1, dim=1).profile_expression(r).has(sympy.besselk)


def test_second_moment_starts_to_exist_above_order_one():
    assert OurMatern(nu=1.0, scale=1.0, dim=2).second_moment() == math.inf
    assert OurMatern(nu=1.5, scale=2.0, dim=2).second_moment() == pytest.approx(2 * 3 / 4)
    nu = sympy.Symbol("nu", positive=True)
    assert OurMatern(nu=nu, scale=1, dim=1).frequency_variance().subs(nu, 1) == sympy.oo


def formula_of_rational_quadratic(alpha, scale):
    alpha, scale = mp.mpf(alpha), mp.mpf(scale)
    return euclidean(lambda r: (1 + r**2 / (2 * alpha * scale**2)) ** -alpha)


test_standard_rational_quadratic = standard_kernel_tests(
    {
        f"rational_quadratic({alpha:g}, {scale:g})": formula_of_rational_quadratic(alpha, scale)
        for alpha, scale in [(0.3, 1), (1, 2), (2.5, 0.7), (60, 1)]
    }
)


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
        found = OurRationalQuadratic(alpha=alpha, scale=1.0, dim=dim).radial_density(np.array([radius]), dim)[0]
        if exact > 1e-250:
            assert found == pytest.approx(float(exact), rel=1e-11)


def test_density_at_zero_is_finite_above_half_the_dimension():
    zero = np.zeros(1)
    assert OurRationalQuadratic(alpha=1.0, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    assert OurRationalQuadratic(alpha=0.9, scale=1.0, dim=2).radial_density(zero, 2)[0] == np.inf
    finite = OurRationalQuadratic(alpha=1.5, scale=1.0, dim=2).radial_density(zero, 2)[0]
    assert finite == pytest.approx(1.5 / (2 * np.pi) / 0.5)  # α/2π · E 1/G = α/2π/(α − 1)


def test_rational_order_in_two_dimensions_has_mass_one():
    kernel = OurRationalQuadratic(alpha=1.0, scale=2.0, dim=2)
    total = quad(lambda r: 2 * np.pi * r * kernel.radial_density(np.array([r]), 2)[0], 0, 40, epsabs=1e-12)[0]
    assert total == pytest.approx(1, rel=1e-10)
