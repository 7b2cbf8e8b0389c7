"""One frequency from the spectral measure per sample."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.laws.fourier import FourierLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.testing.laboratory import assert_characteristic_function, assert_mean
from tests.laws.texts import kernel_of


def drawn(text: str, columns: tuple[int, ...], seed: int, n: int) -> list[Samples]:
    return FourierLaw(kernel_of(text, len(columns))).draw(Stream(seed), n, columns)


def line(columns: tuple[int, ...]) -> str:
    return FourierLaw(kernel_of("gaussian()", len(columns))).lines(columns)[0]


@pytest.mark.parametrize(
    "text", ["gaussian(scale=2)", "3 * laplace()", "gaussian() * cosine(1)", "stretch(matern(3/2), [1, 4])"]
)
def test_frequencies_have_the_kernel_as_characteristic_function(text: str) -> None:
    (batch,) = drawn(text, (0, 1), 11, 40_000)
    assert batch.phasors is not None
    lags = np.array([[0.3, 0.0], [0.0, -0.7], [1.0, 1.0], [2.0, -0.5]])
    kernel = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    mass = ks.parse(text).gram(np.zeros((1, 2)))[0, 0]
    assert_characteristic_function(batch.phasors.frequencies, lags, kernel / mass)
    assert np.allclose(batch.weight, mass, rtol=1e-14)
    assert (batch.sign == 1).all()


def test_positions_are_those_of_the_table() -> None:
    (batch,) = drawn("gaussian()", (5, 2), 0, 3)
    assert batch.phasors is not None
    assert batch.phasors.columns == (2, 5)
    (straight,) = drawn("gaussian()", (2, 5), 0, 3)
    assert straight.phasors is not None
    assert np.array_equal(batch.phasors.frequencies, straight.phasors.frequencies[:, ::-1])


def test_a_column_selected_twice_gets_the_sum_of_its_frequencies() -> None:
    (batch,) = drawn("gaussian()", (4, 4), 3, 20_000)
    assert batch.phasors is not None
    assert batch.phasors.columns == (4,)
    # the frequency of k(x₄, x₄) is ω₁ + ω₂, of variance 2
    assert_mean(np.square(batch.phasors.frequencies), [2.0])


def test_there_is_a_phasor_and_no_key() -> None:
    assert FourierLaw(kernel_of("gaussian()", 1)).has_phasor
    assert not FourierLaw(kernel_of("gaussian()", 1)).has_key


def test_lines_name_columns_as_ranges() -> None:
    assert line((2, 3, 4, 5, 6)).endswith("on columns 2:7")
    assert line((2, 4)).endswith("on columns 2, 4")
    assert line((0, 1, 2, 7)).endswith("on columns 0, 1, 2, 7")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("gaussian()[1] * laplace()[3]", (1, 3)),
        ("(gaussian()[2] + laplace()[0]) * cauchy()[0]", (0, 2)),
        ("stretch(gaussian()[1], [1, 2, 3, 4])", (1,)),
        ("(gaussian()[0] * laplace()[1])[3, 2]", (2, 3)),
        ("stretch(gaussian()[0], [[0, 1, 0, 0], [0, 0, 1, 0]])", (0, 1, 2, 3)),
    ],
)
def test_columns_that_are_not_selected_are_not_read(text: str, columns: tuple[int, ...]) -> None:
    feature_map = ks.compile(text, dim=4, n_features=8)
    assert feature_map.dense is not None
    assert feature_map.dense.columns == columns
    if len(columns) < 4:
        X = np.full((2, 4), np.nan)
        X[:, list(columns)] = 1
        assert np.allclose(feature_map.approximate(X), ks.parse(text).gram(np.ones((1, 4))), rtol=1e-13)
