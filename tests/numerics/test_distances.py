"""Tests of `numerics/distances.py`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from kernelspec.numerics import distances as module
from kernelspec.numerics.distances import ROWS, PackedRows, Projection, distances, filled_up, pack_weights


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


@pytest.mark.parametrize(("kind", "panel"), [(np.float32, 64), (np.float64, 32)])
@pytest.mark.parametrize(("n", "p"), [(1, 1), (33, 4), (512, 5), (520, 0)])
def test_panels(n: int, p: int, kind: type, panel: int) -> None:
    weights = np.random.default_rng(n).standard_normal((n, p))
    packed = pack_weights(weights, np.dtype(kind))
    assert packed.shape == (-(-n // panel), max(p, 1), panel)
    assert packed.ctypes.data % 64 == 0
    flat = packed.transpose(0, 2, 1).reshape(-1, max(p, 1))
    assert np.array_equal(flat[:n, :p], weights.astype(kind))
    assert not flat[n:].any()
    assert not flat[:, p:].any()


def test_heights_are_whole_groups_of_rows() -> None:
    assert [filled_up(n) for n in (0, 1, ROWS, ROWS + 1)] == [0, ROWS, ROWS, 2 * ROWS]


SHAPES = [(0, 3), (1, 1), (3, 64), (8, 31), (54, 100), (100, 7), (5, 1030)]


def case(p, n, dtype):
    generator = np.random.default_rng(p * 1000 + n)
    return generator.standard_normal((37, p)).astype(dtype), generator.standard_normal((p, n)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_is_the_product(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    exact = rows.astype(np.longdouble) @ frequencies.astype(np.longdouble)
    size = np.abs(rows).astype(np.longdouble) @ np.abs(frequencies).astype(np.longdouble)
    found = Projection(frequencies)(rows)
    assert found.dtype == dtype
    assert (np.abs(found - exact) <= p * np.finfo(dtype).eps * size).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("p", "n"), SHAPES)
def test_bits_do_not_depend_on_the_place_or_the_neighbours(p, n, dtype):
    rows, frequencies = case(p, n, dtype)
    projection = Projection(frequencies)
    whole = projection(rows)
    assert np.array_equal(whole, projection(rows[::-1])[::-1])
    assert np.array_equal(whole, np.concatenate([projection(rows[i : i + 7]) for i in range(0, 37, 7)]))
    assert np.array_equal(whole, projection(np.asfortranarray(rows)))
    assert projection(rows[:0]).shape == (0, n)


def test_sparse_rows_give_the_same_numbers():
    rows, frequencies = case(54, 100, np.float64)
    rows[np.abs(rows) < 1] = 0
    np.testing.assert_allclose(
        Projection(frequencies)(csr_array(rows)), Projection(frequencies)(rows), rtol=1e-12, atol=1e-12
    )
