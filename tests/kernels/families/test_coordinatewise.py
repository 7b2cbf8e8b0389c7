"""Products of one function over the columns."""

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.random.streams import Stream
from tests.kernels.cases import CATALOGUE_CASES

PRODUCTS = [(name, factory) for name, factory in CATALOGUE_CASES if isinstance(factory(1), Coordinatewise)]


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_value_is_the_product_of_factors(name, factory):
    lags = np.random.default_rng(6).standard_normal((10, 4))
    kernel = factory(4)
    np.testing.assert_allclose(
        kernel.numbers(NumericPairs.of_vectors(lags)), kernel.factor(lags).prod(axis=1), rtol=1e-12, atol=1e-16
    )


@pytest.mark.parametrize(("name", "factory"), PRODUCTS)
def test_coordinates_are_drawn_independently(name, factory):
    """Signs of two columns agree half the time: five standard errors, seed 24."""
    drawn = factory(2).draw(Stream(24), 40_000)
    moved = drawn[(drawn != 0).all(axis=1)]
    agree = np.mean(np.sign(moved[:, 0]) == np.sign(moved[:, 1]))
    assert abs(agree - 0.5) < 5 * 0.5 / np.sqrt(len(moved))
