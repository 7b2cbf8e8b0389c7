"""Tests of `maps/landmarks.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelspec as ks
from kernelspec.errors import DataError, PlanError
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.maps.landmarks import KeptRowsWarning, kept_rows_shown
from kernelspec.planning.options import Draws
from kernelspec.testing.laboratory import assert_mean
from tests.thoroughness import examples, sweep

GENERATOR = np.random.default_rng(0)
POOL = GENERATOR.standard_normal((400, 3))
ROWS = np.vstack([POOL[:3], GENERATOR.standard_normal((3, 3)), 8 * GENERATOR.standard_normal((2, 3))])
TEXTS = [
    "gaussian(scale=2)",
    "laplace(scale=3)",
    "0.5*matern(nu=3/2)[0:2] + 0.2*linear()",
    "gaussian() - 0.4*laplace()",
    "shift_gaussian(by=0.4)",
    "tilt(gaussian(scale=2), by=0.05)",
    "gaussian(scale=2)[0]*laplace()[1] + periodic(period=3)[2]",
    "dual(exp(c=1), gaussian(scale=2))",
]


@cache
def correction(text: str, draws: Draws = "auto") -> FeatureMap:
    return ks.compile(text, data=POOL, n_features=40, method="landmarks", draws=draws)


@pytest.mark.slow
@pytest.mark.parametrize("draws", [pytest.param("independent", marks=pytest.mark.long), "auto"])
@pytest.mark.parametrize("text", sweep(TEXTS, every=3))
def test_unbiased_at_landmarks_near_them_and_far_away(text: str, draws: Draws, thorough: bool) -> None:
    fmap, n = correction(text, draws), 3000 if thorough else 100
    assert fmap.unbiased
    exact = ks.parse(text).gram(ROWS)
    estimates = np.stack([draw_map(replace(fmap.plan, seed=seed)).approximate(ROWS) for seed in range(n)])
    assert_mean(estimates.reshape(n, -1) - exact.ravel(), np.zeros(exact.size), budget=1e-7, what=text)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_columns_signs_and_names(text: str) -> None:
    fmap = correction(text)
    left, right = fmap.left(ROWS), fmap.right(ROWS)
    assert isinstance(left, np.ndarray)
    assert left.shape == right.shape == (8, fmap.n_columns)
    np.testing.assert_allclose((left * fmap.signs) @ right.T, fmap.approximate(ROWS), atol=1e-12)
    assert len(fmap.names()) == fmap.n_columns
    assert fmap.names()[0] == "landmark0"
    assert fmap.is_one_sided == (not any(word in text for word in ("shift", "tilt", " - ")))


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_a_row_has_the_same_bits_in_any_batch(text: str) -> None:
    fmap = correction(text)
    whole = fmap.left(POOL)
    assert isinstance(whole, np.ndarray)
    for rows in (slice(3, 4), slice(100, 103), slice(0, 399)):
        assert np.array_equal(fmap.left(POOL[rows]), whole[rows])


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_wide_rows_go_by_smaller_blocks(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fmap = correction(text)
    whole = fmap.left(POOL)
    monkeypatch.setattr("kernelspec.maps.landmarks._NUMBERS", 13 * POOL.shape[1])
    np.testing.assert_allclose(fmap.left(POOL), whole, atol=1e-12)
    assert np.array_equal(fmap.left(POOL[3:4]), fmap.left(POOL)[3:4])


@pytest.mark.slow
def test_float32_is_a_cast() -> None:
    fmap = correction("gaussian(scale=2)")
    single, double = fmap.transform(ROWS.astype(np.float32)), fmap.transform(ROWS.astype(np.float32).astype(float))
    assert isinstance(single, np.ndarray)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=2e-5)


@pytest.mark.slow
def test_output_is_written_where_it_is_wanted() -> None:
    fmap = correction("gaussian(scale=2)")
    out = np.empty((8, fmap.n_columns))
    assert fmap.transform(ROWS, out) is out
    assert np.array_equal(out, fmap.transform(ROWS))
    with pytest.raises(PlanError, match="out must have shape"):
        fmap.transform(ROWS, np.empty((8, fmap.n_columns + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["landmarks", "nystrom"])
def test_saved_with_the_map(tmp_path: Path, method: str) -> None:
    fmap = ks.compile("gaussian(scale=2)", data=POOL, n_features=40, method=method)
    with pytest.warns(ks.KeptRowsWarning):
        fmap.save(tmp_path / "map.npz")
    for redraw in (False, True):
        again = ks.load_map(tmp_path / "map.npz", redraw=redraw)
        assert np.array_equal(again.transform(ROWS), fmap.transform(ROWS))
    assert again.explain() == fmap.explain()


@pytest.mark.slow
def test_what_explain_says() -> None:
    shown = correction("gaussian(scale=2)").explain()
    assert "rows of the data, stored in the map and in saved maps (landmarks='never' forbids it)" in shown
    assert "(measured)" in shown
    assert "unbiased: " in shown
    biased = ks.compile("gaussian(scale=2)", data=POOL, n_features=40, method="nystrom").explain()
    assert "biased: too small away from the landmarks, by at most √(r(x) r(y))" in biased


@pytest.mark.slow
@pytest.mark.parametrize("text", ["rbf_cosine()", "normalize(linear())", "gaussian()*normalize(linear())"])
def test_a_row_is_refused_by_its_number(text: str) -> None:
    rows = np.vstack([POOL, POOL])
    rows[700] = 0
    for method in ("landmarks", "nystrom", "paired"):
        fmap = ks.compile(text, data=POOL, n_features=40, method=method)  # type: ignore[arg-type]
        with pytest.raises(DataError, match=r"^row 700 is all zeros, so it has"):
            fmap.transform(rows)


@pytest.mark.slow
def test_parts_that_do_not_fit_are_refused() -> None:
    fmap = correction("gaussian(scale=2)")
    assert fmap.correction is not None
    for change in (None, replace(fmap.correction, left=fmap.correction.left[1:])):
        with pytest.raises(ValueError, match=r"need corrections, and vice versa|must have the shape"):
            replace(fmap, correction=change).validate()


X = np.random.default_rng(0).standard_normal((80, 2))


def test_saving_warns_of_rows_of_the_data_alone(tmp_path: Path) -> None:
    assert ks.KeptRowsWarning is KeptRowsWarning
    correction = ks.compile("gaussian()", data=X, n_features=16, method="nystrom")
    with pytest.warns(
        KeptRowsWarning, match="contains 16 rows of the data, its landmarks; use landmarks='never'"
    ) as found:
        correction.save(tmp_path / "map.npz")
    assert [warning.filename for warning in found] == [__file__]
    without = ks.compile("gaussian()", data=X, n_features=16, landmarks="never")
    assert kept_rows_shown(without.plan) is None
    without.save(tmp_path / "map.npz")  # warnings are errors here


LEFT = np.random.default_rng(0).standard_normal((200, 3))
KERNELS = [
    "gaussian()",
    "laplace(scale=2)",
    "linear()",
    "gaussian()[0]*laplace()[1] + linear()",
    "rational_quadratic(alpha=2)",
]


@pytest.mark.slow
@settings(max_examples=examples(20), derandomize=True, database=None)
@given(st.sampled_from(KERNELS), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]), st.integers(4, 60))
def test_the_error_of_landmarks_alone_is_within_the_bound(text: str, seed: int, spread: float, n: int) -> None:
    generator = np.random.default_rng(seed)
    pool = generator.standard_normal((60, 3))
    pool[30:] = pool[:30] if seed % 2 else pool[30:]  # duplicates
    rows = np.vstack([pool[:5], spread * generator.standard_normal((15, 3))])
    fmap = ks.compile(text, data=pool, n_features=n, method="nystrom")
    exact = ks.parse(text).gram(rows)
    r = fmap.residual(rows) + 1e-12 * np.diagonal(exact).max()
    error = np.abs(fmap.approximate(rows) - exact)
    assert (error <= np.sqrt(np.multiply.outer(r, r)) + 1e-12 * np.abs(exact).max()).all()


def test_nothing_is_left_of_the_landmarks() -> None:
    fmap = ks.compile("linear()", data=LEFT, n_features=8, method="nystrom")
    assert fmap.residual(LEFT).max() < 1e-9


@pytest.mark.slow
def test_maps_that_have_no_bound() -> None:
    with pytest.raises(PlanError, match="the map has no landmarks"):
        ks.compile("gaussian()", dim=3).residual(LEFT)
    with pytest.raises(PlanError, match="a difference or asymmetric"):
        ks.compile("gaussian() - 0.4*laplace()", data=LEFT, n_features=40, method="landmarks").residual(LEFT)
