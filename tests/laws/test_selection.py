"""Samples on some of the columns."""

from __future__ import annotations

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.texts import kernel_of, law

X = np.random.default_rng(0).standard_normal((4, 4))
PAIRS = NumericPairs(Rows(X), Rows(X))


def test_columns_are_chosen_of_those_given() -> None:
    own = law("gaussian()[3, 1]", 4)
    assert isinstance(own, SelectedLaw)
    assert own.chosen((5, 6, 7, 8)) == (8, 6)
    (batch,) = own.draw(Stream(1), 5, (5, 6, 7, 8))
    (plain,) = own.base.draw(Stream(1), 5, (8, 6))
    assert batch.phasors is not None
    assert plain.phasors is not None
    assert batch.phasors.columns == (6, 8)
    assert np.array_equal(batch.phasors.frequencies, plain.phasors.frequencies)
    products = own.draw_products(Stream(1), np.array([9]), (5, 6, 7, 8))
    assert products is not None
    assert products.phasors is not None
    assert products.phasors.columns == (6, 8)


def test_values_means_and_moments_are_those_on_the_columns() -> None:
    own, base = law("dual(step, gaussian(), max_degree=3)[3, 1]", 4), law("dual(step, gaussian(), max_degree=3)", 2)
    some = NumericPairs(Rows(X[:, [3, 1]]), Rows(X[:, [3, 1]]))
    np.testing.assert_array_equal(own.value(PAIRS), base.value(some))
    np.testing.assert_array_equal(own.mean(PAIRS), base.mean(some))
    np.testing.assert_array_equal(own.moments(PAIRS).b, base.moments(some).b)


def test_names_are_those_of_the_columns() -> None:
    assert law("match()[2, 0]", 3).lines((0, 1, 2), ["a", "b", "c"]) == ["key: the categories of columns c, a"]


def test_frequencies_of_a_selection_are_those_of_a_kernel() -> None:
    kernel = law("gaussian()[3, 1]", 4).fourier_kernel()
    assert isinstance(kernel, Select)
    assert kernel == kernel_of("gaussian()[3, 1]", 4)
    assert law("match()[1]", 2).fourier_kernel() is None
    assert isinstance(law("gaussian()[0] * laplace()[1]", 2), FourierLaw)
