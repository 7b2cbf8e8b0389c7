"""Tests of `numerics/arrays.py`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelspec.numerics.arrays import Projection, distances
from kernelspec.numerics.phasor_kernels import transpose

X = np.arange(12.0).reshape(3, 4)


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


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "n"), [(0, 0), (1, 1), (3, 40), (16, 16), (33, 17), (40, 64)])
@pytest.mark.parametrize("order", ["plain", "apart", "columns"])
def test_every_number_has_its_place(m: int, n: int, order: str, kind: type) -> None:
    source = np.random.default_rng(m).standard_normal((m + 2, n + 3)).astype(kind)
    whole = np.zeros((n + 1, 2 * m + 9), dtype=kind, order="F" if order == "columns" else "C")
    target = whole[:, ::2] if order == "apart" else whole
    transpose(source, m, n, target, 2)
    assert np.array_equal(target[:n, 2 : 2 + m], source[:m, :n].T)
    assert np.count_nonzero(whole) == m * n
