"""Stretches: the lag goes through a linear map."""

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.nodes.columns_and_lags import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.columns_and_lags import StretchLaw
from kernelspec.laws.rules import law_of
from kernelspec.measures.measure import measure_of

LAGS = np.array([[0.3, -0.4], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("matrix", "mapped"),
    [
        (0.5, LAGS / 2),
        ((0.5, 2.0), LAGS * [0.5, 2.0]),
        (((1.0, 1.0), (0.0, 2.0)), np.array([[-0.1, -0.8], [3.0, 4.0]])),
        (((1.0, 1.0),), np.array([[-0.1], [3.0]])),
    ],
)
def test_value(matrix, mapped):
    kernel = Stretch(base=Laplace(scale=1.0, dim=mapped.shape[1]), matrix=matrix, dim=2)
    expected = np.exp(-np.abs(mapped).sum(axis=1))
    np.testing.assert_allclose(kernel.value(NumericPairs.of_vectors(LAGS)), expected, rtol=1e-14)
    np.testing.assert_allclose(measure_of(kernel).characteristic_function(LAGS), expected, rtol=1e-14)
    assert kernel.verdict().positive_definite == "proved"
    assert kernel.is_matrix == (np.ndim(matrix) == 2)


def test_a_failure_of_the_base_may_be_lost_in_a_singular_matrix():
    base = Sum(terms=(Gaussian(scale=1.0, dim=2),), weights=(-1.0,), dim=2)
    singular = ((0.0, 0.0), (0.0, 0.0))
    assert Stretch(base=base, matrix=0.5, dim=2).verdict().positive_definite == "disproved"
    assert Stretch(base=base, matrix=singular, dim=2).verdict().positive_definite == "unknown"


def test_samples_of_a_difference_are_stretched_too():
    base = Sum(terms=(Gaussian(scale=1.0, dim=2), Laplace(scale=1.0, dim=2)), weights=(1.0, -1.0), dim=2)
    assert isinstance(law_of(Stretch(base=base, matrix=0.5, dim=2)), StretchLaw)
