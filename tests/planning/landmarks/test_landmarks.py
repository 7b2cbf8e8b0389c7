"""Tests of `planning/landmarks/landmarks.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.landmarks import CompiledPairs, LandmarkRows, Residual
from kernelspec.planning.reference import PairSums
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import kernel_of
from tests.planning.landmarks.kernels import DEFINITE, OTHERS, POSITIONS, grid, landmarks_of, rows, strata_of, values

TABLE = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])


def test_only_the_columns_that_are_read_are_kept() -> None:
    codes = {0: np.array([7, 8], dtype=np.uint64), 3: np.array([1, 2], dtype=np.uint64)}
    kept = LandmarkRows.of(Rows(TABLE, codes), (1, 3))
    assert (len(kept), kept.width, kept.coded) == (2, 4, (3,))
    again = kept.rows
    assert np.array_equal(again.numbers, [[0, 2, 0, 4], [0, 6, 0, 8]])
    assert list(again.categories) == [3]
    assert np.array_equal(again.codes(3), codes[3])


def test_sparse_rows_stay_sparse() -> None:
    kept = LandmarkRows.of(Rows(csr_array(TABLE * (TABLE > 2))), (0, 2))
    again = kept.rows
    assert again.is_sparse
    assert np.array_equal(again.dense(), [[0, 0, 3, 0], [5, 0, 7, 0]])


def test_columns_that_there_are_not() -> None:
    kept = LandmarkRows.of(Rows(TABLE), (1, 3))
    for width, positions in ((3, (1, 3)), (4, (1, 1))):
        with pytest.raises(ValueError, match="are not distinct columns"):
            LandmarkRows(width, positions, (), kept.numbers, kept.codes).validate()


LANDMARKS, X, Y = rows(12), rows(5, 1), rows(4, 2)


@pytest.mark.parametrize("ridge", [0.0, 1e-6, 0.1, 1.0])
@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_the_columns_are_the_formula(text: str, ridge: float) -> None:
    """h_l diag(s) h_r' = a k(L, y) + k(x, R) b - a k(L, R) b for the P that the weights are made of."""
    landmarks = landmarks_of(text, LANDMARKS, ridge)
    left, right, k = values(text, X, LANDMARKS), values(text, LANDMARKS, Y), values(text, LANDMARKS, LANDMARKS)
    a, b = landmarks.weights(left, "left"), landmarks.weights(right.T, "right").T
    expected = a @ right + left @ b - a @ k @ b
    found = (landmarks.columns(left, "left") * landmarks.signs) @ landmarks.columns(right.T, "right").T
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "gaussian() - 0.4*laplace()"])
def test_without_a_ridge_the_landmarks_themselves_are_explained(text: str) -> None:
    landmarks, k = landmarks_of(text, LANDMARKS), values(text, LANDMARKS, LANDMARKS)
    own = landmarks.columns(k, "left")
    np.testing.assert_allclose((own * landmarks.signs) @ own.T, k, atol=1e-8)
    assert (landmarks.signs < 0).any() == ("-" in text)


def test_the_inverse_with_a_ridge_is_that_of_the_paper() -> None:
    """P = (K + εI)⁻¹ for a symmetric kernel."""
    landmarks, k = landmarks_of("gaussian(scale=2)", LANDMARKS, 0.3), values("gaussian(scale=2)", LANDMARKS, LANDMARKS)
    np.testing.assert_allclose(landmarks.weights(np.eye(12), "left"), np.linalg.inv(k + 0.3 * np.eye(12)), atol=1e-9)


def test_rows_that_say_nothing_new_have_no_columns() -> None:
    twice = LANDMARKS.followed_by(LANDMARKS)
    assert landmarks_of("laplace(scale=3)", twice).n_columns == 12
    assert landmarks_of("linear()", twice).n_columns == 3


def test_what_does_not_fit_together() -> None:
    landmarks = landmarks_of("gaussian()", LANDMARKS)
    for change in ({"left_root": landmarks.left_root[1:]}, {"signs": 0.5 * landmarks.signs}):
        with pytest.raises(ValueError, match=r"different numbers of rows|sign must be"):
            replace(landmarks, **change).validate()


TEN, SPREAD, NEAR = rows(10), rows(4, 1, spread=3), rows(4, 2)


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_what_landmarks_say_and_what_they_leave_is_the_kernel(text: str, ridge: float) -> None:
    """For any regularisation: with samples of the remainder the map has no bias."""
    landmarks, strata = landmarks_of(text, TEN, ridge), strata_of(text)
    left = landmarks.columns(values(text, SPREAD, TEN), "left") * landmarks.signs
    explained = left @ landmarks.columns(values(text, TEN, NEAR).T, "right").T
    for pairs, said in (
        (grid(SPREAD, NEAR), explained),
        (NumericPairs(SPREAD, NEAR, grid=False), np.diagonal(explained)),
    ):
        residual = Residual.on(pairs, landmarks, strata)
        rest = sum(stratum.weight * residual.kernel(stratum) for stratum in strata)
        np.testing.assert_allclose(said + rest, np.asarray(sum(s.weight * s.value(pairs) for s in strata)), atol=1e-9)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "tilt(gaussian(scale=2), by=0.3)", "linear()"])
def test_samples_leave_on_average_what_the_kernel_does(text: str) -> None:
    (stratum,) = strata_of(text)
    residual = Residual.on(grid(SPREAD, NEAR), landmarks_of(text, rows(2), 0.1), [stratum])
    products = []
    for batch in stratum.law.draw(Stream(3), 4000, POSITIONS):
        left, right = residual.sides(batch)
        products.append((batch.sign * left[:, None] * np.conj(right[None])).real.reshape(16, -1))
        whole = residual.products(left * batch.sign, right)
        np.testing.assert_allclose(whole.ravel(), products[-1].sum(axis=1), rtol=1e-9)
    assert_mean(np.hstack(products).T, residual.kernel(stratum).ravel(), budget=1e-7)


TEXTS = [
    "gaussian(scale=2)",
    "laplace(scale=3)[0:2] * cauchy()[2]",
    "stretch(matern(nu=3/2), by=[1, 2, 0.5])",
    "shift(gaussian(), by=0.3) + linear()",
    "dual(relu, normalize(linear()))",
]


@pytest.mark.parametrize("grid", [True, False])
@pytest.mark.parametrize("text", TEXTS)
def test_kernels_have_the_same_values(text: str, grid: bool) -> None:
    kernel = kernel_of(text, 3)
    x, y = (Rows(np.random.default_rng(seed).standard_normal((9, 3))) for seed in (1, 2))
    own, other = CompiledPairs(x, y, grid), NumericPairs(x, y, grid)
    assert isinstance(own.select((0,)), CompiledPairs)
    np.testing.assert_allclose(kernel.value(own), kernel.value(other), rtol=1e-12, atol=1e-15)


VALUES = np.arange(16.0).reshape(4, 4)


def test_relative_to_the_whole() -> None:
    squares, whole = np.square(0.1 * VALUES), np.square(VALUES)
    assert PairSums.of(squares).relative_to(PairSums.of(whole), 100) == pytest.approx(0.1)
    assert PairSums.of(squares).relative_to(PairSums.of(0 * whole), 100) == np.inf
    assert PairSums.of(0 * squares).relative_to(PairSums.of(0 * whole), 100) is None
