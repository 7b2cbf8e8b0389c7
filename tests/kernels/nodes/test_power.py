"""Powers: as many independent factors."""

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.product import ProductLaw
from kernelspec.laws.rules import law_of
from kernelspec.measures.measure import measure_of

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
