"""Distances of rows: those of SciPy, of differences, whatever other rows there are."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelspec.numerics import distances as module
from kernelspec.numerics.distances import PackedRows, distances


@pytest.mark.parametrize(("kind", "metric"), [("squared", "sqeuclidean"), ("absolute", "cityblock")])
@pytest.mark.parametrize(("n", "m", "p"), [(0, 3, 2), (1, 1, 1), (7, 70, 54), (6, 40, 200)])
def test_are_those_of_scipy(n: int, m: int, p: int, kind: Literal["squared", "absolute"], metric: str) -> None:
    generator = np.random.default_rng(p)
    x, y = 1e8 + generator.standard_normal((n, p)), 1e8 + generator.standard_normal((m, p))
    found = distances(x, y, kind)
    assert found.shape == (n, m)
    np.testing.assert_allclose(found, cdist(x, y, metric), rtol=1e-13)
    assert np.array_equal(found[:, m // 2 :], distances(x, y[m // 2 :], kind))
    assert np.array_equal(found[n // 2 :], distances(np.asfortranarray(x)[n // 2 :], y, kind))


def test_without_columns_all_rows_are_alike() -> None:
    assert np.array_equal(distances(np.empty((2, 0)), np.empty((3, 0)), "squared"), np.zeros((2, 3)))


def test_too_far_apart_is_infinite_and_no_number_stays_none() -> None:
    x = np.array([[1e200], [np.nan]])
    found = distances(x, np.array([[-1e200]]), "squared")
    assert found[0, 0] == np.inf
    assert np.isnan(found[1, 0])


@pytest.mark.parametrize("kind", ["squared", "absolute"])
def test_many_rows_are_packed_a_few_at_a_time(
    kind: Literal["squared", "absolute"], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(0)
    x, y = generator.standard_normal((9, 30)), generator.standard_normal((101, 30))
    whole = PackedRows.of(y).distances(x, kind)
    monkeypatch.setattr(module, "_AT_ONCE", y.nbytes - 1)
    monkeypatch.setattr(module, "_AT_A_TIME", 17 * y[0].nbytes)
    packed = PackedRows.of(y)
    assert packed.panels is None
    assert np.array_equal(packed.distances(x, kind), whole)
