"""Sums: values, mixture probabilities, verdicts."""

import numpy as np
import pytest
import sympy

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.coordinatewise import Laplace
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.rules import law_of

LAGS = NumericPairs.of_vectors(np.array([[0.0], [0.5], [2.0]]))
G, L = Gaussian(scale=1.0, dim=1), Laplace(scale=2.0, dim=1)


def weighted(*weights, terms=(G, L)):
    return Sum(terms=terms, weights=weights, dim=1)


def test_value_is_the_weighted_sum_of_formulas():
    t = np.array([0.0, 0.5, 2.0])
    expected = 3 * np.exp(-(t**2) / 2) - 0.5 * np.exp(-t / 2)
    np.testing.assert_allclose(weighted(3.0, -0.5).value(LAGS), expected, rtol=1e-14)
    assert weighted(3.0, -0.5).diagonal() == 2.5
    assert weighted(3.0, -0.5).magnitude() == 3.5


def test_terms_are_drawn_in_proportion_to_what_they_can_contribute():
    assert law_of(weighted(3.0, -1.0)).probabilities == (0.75, 0.25)
    difference = weighted(1.0, -1.0)  # zero at x = y, yet its samples have magnitude 2
    outer = weighted(1.0, 2.0, terms=(Product(factors=(difference, L), dim=1), G))
    assert law_of(outer).probabilities == (0.5, 0.5)


def test_moments_of_a_mixture_by_enumeration():
    kernel = weighted(3.0, 1.0)
    a, b = law_of(kernel).moments(LAGS).a, law_of(kernel).moments(LAGS).b
    t = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(np.broadcast_to(a, 3), 16, rtol=1e-14)  # every sample has modulus 4
    expected = 0.75 * 16 * np.exp(-2 * t**2) + 0.25 * 16 * np.exp(-t)
    np.testing.assert_allclose(b, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("weights", "state"),
    [((1.0, 2.0), "proved"), ((-1.0, -2.0), "disproved"), ((1.0, -2.0), "disproved"), ((2.0, -1.0), "unknown")],
)
def test_verdict(weights, state):
    assert weighted(*weights).verdict().positive_definite == state


def test_symbolic_weights_are_decided_by_their_sign():
    w, v = sympy.Symbol("w", positive=True), sympy.Symbol("v", real=True)
    assert weighted(w, 1).verdict().positive_definite == "proved"
    assert weighted(v, 1).verdict().positive_definite == "unknown"


def test_no_term_is_the_zero_kernel():
    zero = Sum(terms=(), weights=(), dim=1)
    assert zero.value(LAGS) == 0
    assert zero.verdict().reasons == ("the zero kernel",)
