"""The Matérn kernel."""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.stats import multivariate_t
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.radial import Matern
from tests.kernels.standard import at, euclidean, standard_kernel_tests


def formula(nu, scale):
    nu, scale = mp.mpf(nu), mp.mpf(scale)

    def profile(r):
        x = mp.sqrt(2 * nu) * r / scale
        if x == 0:
            return mp.mpf(1)
        if x > 100_000:
            return mp.mpf(0)  # below the smallest float; mpmath's Bessel function is slow there
        return 2 ** (1 - nu) / mp.gamma(nu) * x**nu * mp.besselk(nu, x)

    return euclidean(profile)


test_standard = standard_kernel_tests(
    {
        f"matern({nu:g}, {scale:g})": formula(nu, scale)
        for nu, scale in [(0.3, 1), (0.5, 2), (1, 1), (1.5, 0.7), (7.3, 1.3), (40, 1)]
    }
)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 3.2, 0.1])
def test_agrees_with_scikit_learn(rows, nu):
    ours = at(Matern(nu=nu, scale=0.9, dim=3), rows)
    theirs = SklearnMatern(length_scale=0.9, nu=nu)(rows, np.zeros((1, 3))).ravel()
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize("nu", [0.4, 1.5, 20.0])
def test_density_agrees_with_scipy(rows, nu):
    ours = Matern(nu=nu, scale=0.9, dim=3).density(NumericPairs.of_vectors(rows))
    theirs = multivariate_t(shape=np.eye(3) / 0.81, df=2 * nu).pdf(rows)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


def test_density_of_a_thousand_degrees_of_freedom_in_high_dimension():
    for nu, dim in ((500.0, 300), (1e6, 1), (0.01, 101)):
        kernel = Matern(nu=nu, scale=1.0, dim=dim)
        with mp.workdps(40):
            constant = mp.gammaprod([nu + mp.mpf(dim) / 2], [nu]) / (2 * nu * mp.pi) ** (mp.mpf(dim) / 2)
            exact = constant * (1 + mp.mpf(4) / (2 * nu)) ** (-nu - mp.mpf(dim) / 2)
        assert kernel.radial_density(np.array([2.0]), dim)[0] == pytest.approx(float(exact), rel=1e-11)


def test_tends_to_the_gaussian():
    r = np.linspace(0, 5, 20)
    np.testing.assert_allclose(Matern(nu=1e9, scale=1.3, dim=1).profile(r), np.exp(-(r**2) / 2 / 1.69), rtol=1e-7)


def test_half_integer_orders_are_elementary():
    r = sympy.Symbol("r", positive=True)
    written = Matern(nu=1.5, scale=1, dim=1).profile_expression(r)
    assert sympy.simplify(written - (1 + sympy.sqrt(3) * r) * sympy.exp(-sympy.sqrt(3) * r)) == 0
    assert not Matern(nu=sympy.Rational(5, 2), scale=1, dim=1).profile_expression(r).has(sympy.besselk)
    assert Matern(nu=sympy.Rational(7, 3), scale=1, dim=1).profile_expression(r).has(sympy.besselk)


def test_second_moment_starts_to_exist_above_order_one():
    assert Matern(nu=1.0, scale=1.0, dim=2).second_moment() == math.inf
    assert Matern(nu=1.5, scale=2.0, dim=2).second_moment() == pytest.approx(2 * 3 / 4)
    nu = sympy.Symbol("nu", positive=True)
    assert Matern(nu=nu, scale=1, dim=1).frequency_variance().subs(nu, 1) == sympy.oo
