"""Tests of `kernels/nodes/product.py`."""

from __future__ import annotations

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.radial import Matern
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import law_of
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Spectral, measure_of
from kernelspec.random.streams import Stream

BASE = Matern(nu=1.5, scale=1.0, dim=1)
LAGS = NumericPairs.of_vectors(np.array([[0.0], [0.5], [2.0]]))


def test_is_the_product_of_equal_factors():
    cube, product = Power(base=BASE, exponent=3, dim=1), Product(factors=(BASE,) * 3, dim=1)
    np.testing.assert_allclose(cube.value(LAGS), product.value(LAGS), rtol=1e-14)
    np.testing.assert_allclose(law_of(cube).moments(LAGS).b, law_of(product).moments(LAGS).b, rtol=1e-14)
    np.testing.assert_allclose(measure_of(cube).characteristic_function(LAGS.x.numbers), cube.value(LAGS), rtol=1e-14)
    assert cube.verdict().positive_definite == "proved"


def test_size_is_a_power_too():
    scaled = Power(base=Sum(terms=(BASE,), weights=(2.0,), dim=1), exponent=3, dim=1)
    assert scaled.diagonal() == scaled.magnitude() == 8


def test_keys_are_drawn_as_often_as_the_exponent_says():
    law = law_of(Power(base=Match(dim=1), exponent=3, dim=1))
    assert isinstance(law, ProductLaw)
    assert len(law.factors) == 3


G, L, M = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1), Match(dim=1)
M2 = Match(dim=2)


def test_value_and_moments_multiply():
    kernel = Product(factors=(G, L), dim=1)
    t = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(kernel.value(LAGS), np.exp(-(t**2) / 2 - t / 2), rtol=1e-14)
    np.testing.assert_allclose(law_of(kernel).moments(LAGS).b, np.exp(-2 * t**2 - t), rtol=1e-14)
    assert kernel.diagonal() == kernel.magnitude() == 1


def test_frequencies_are_drawn_at_once_and_keys_beside_them():
    law = law_of(Product(factors=(G, M, L), dim=1))
    assert isinstance(law, ProductLaw)
    assert [type(factor).__name__ for factor in law.factors] == ["FourierLaw", "MatchLaw"]
    assert isinstance(law.factors[0].measure, Convolution)


def test_two_gaussians_are_one():
    law = law_of(Product(factors=(G, Gaussian(scale=2.0, dim=1)), dim=1))
    assert isinstance(law, FourierLaw)
    assert isinstance(law.measure, Spectral)
    assert np.isclose(law.measure.kernel.scale, (1 + 1 / 4) ** -0.5)


def test_verdict_follows_schur_and_no_further():
    assert Product(factors=(G, M), dim=1).verdict().positive_definite == "proved"
    assert Product(factors=(G, M), dim=1).verdict().stationary is None
    negative = Sum(terms=(L,), weights=(-1.0,), dim=1)
    # the product of two negative kernels is positive definite: a factor's failure decides nothing
    assert Product(factors=(negative, negative), dim=1).verdict().positive_definite == "unknown"


def test_the_one_smooth_factor_keeps_the_law_of_its_sums():
    kernel = Product(factors=(M2, Select(base=G, positions=(1,), dim=2)), dim=2)
    smooth, _ = law_of(kernel).factors
    assert isinstance(smooth, SelectedLaw)
    assert isinstance(smooth.base.measure, Spectral)
    assert smooth.chosen((5, 3)) == (3,)
    assert smooth.draw_products(Stream(0), np.array([100]), (5, 3)).phasors.columns == (3,)
