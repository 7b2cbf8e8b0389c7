"""Tests of `samples/keys.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.random.streams import Stream
from kernelspec.samples import keys as gcws
from kernelspec.samples.keys import BinningKey, GcwsKey, MappedKey, PoissonKey, TranslatedKey, nonzeros
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import law
from tests.samples.key_laws import minmax

GENERATOR = np.random.default_rng(0)
X = GENERATOR.standard_normal((50, 5)) * 3
MATRICES: list[Any] = [0.5, (1.0, 2.0, 0.25), ((1.0, 0.0, 2.0), (0.0, -1.0, 1.0)), ((1.0, 2.0, 3.0),)]


def grid(d: int, n: int = 20) -> BinningKey:
    generator = np.random.default_rng(d)
    return BinningKey(1 + generator.random((n, d)), generator.random((n, d)), tuple(range(d)))


def mapped(matrix: Any) -> MappedKey:
    a = np.asarray(matrix, dtype=float)
    return MappedKey(grid(a.shape[0] if a.ndim else 3), a, (4, 0, 2))


@pytest.mark.parametrize("matrix", MATRICES, ids=["number", "columns", "matrix", "row"])
def test_the_key_of_the_mapped_row(matrix: Any) -> None:
    key = mapped(matrix)
    x = X[:, [4, 0, 2]]
    image = (
        np.stack([sum(x[:, i] * row[i] for i in range(3)) for row in key.matrix], axis=1)
        if key.matrix.ndim == 2
        else x * key.matrix
    )
    expected = key.factor.keys(Rows(np.ascontiguousarray(image)), "left")
    found = key.keys(Rows(X), "left")
    assert np.array_equal(found, expected)
    assert np.array_equal(key.keys(Rows(csr_array(X)), "right"), expected)
    assert np.array_equal(np.concatenate([key.keys(Rows(X[i : i + 1]), "left") for i in range(50)]), expected)
    assert key.columns == (0, 2, 4)
    assert not np.array_equal(found, grid(key.factor.pitches.shape[1]).keys(Rows(X), "left"))  # type: ignore[attr-defined]


MOVED = np.random.default_rng(0).standard_normal((6, 3))


def test_left_is_moved_and_right_is_not() -> None:
    (batch,) = law("laplace()", 2, "binning").draw(Stream(2), 7, (0, 2))
    (key,) = batch.keys
    moved = TranslatedKey(key, (0.5, -1.0), (0, 2))
    expected = key.keys(Rows(MOVED + np.array([0.5, 0, -1.0])), "left")
    assert np.array_equal(moved.keys(Rows(MOVED), "left"), expected)
    assert np.array_equal(moved.keys(Rows(MOVED), "right"), key.keys(Rows(MOVED), "right"))
    assert moved.has_sides
    some = np.array([4, 1])
    assert np.array_equal(moved.take(some).keys(Rows(MOVED), "left"), expected[:, some])
    joined = moved.join([moved.take(some)])
    assert np.array_equal(joined.keys(Rows(MOVED), "left"), np.hstack([expected, expected[:, some]]))
    assert moved.structure == TranslatedKey(key.take(some), (0.5, -1.0), (0, 2)).structure
    assert moved.structure != TranslatedKey(key, (0.5, -1.5), (0, 2)).structure


@pytest.mark.long
def test_keys_are_the_same_where_tables_are_too_large_to_keep(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 50)) * (rng.random((40, 50)) < 0.5)
    x[[0, 7, 39]] = 0
    key = GcwsKey(Stream(1).words("samples", (300,)), tuple(range(50)))
    keys = key.keys(Rows(x))
    monkeypatch.setattr(gcws, "LARGEST_TABLE", 0)
    monkeypatch.setattr(gcws, "_COORDINATES_AT_ONCE", 7)
    for at_once in (1, 60, 10**6):
        monkeypatch.setattr(gcws, "_NONZEROS_AT_ONCE", at_once)
        assert np.array_equal(key.keys(Rows(csr_array(x))), keys)


SIGNED = np.array([[0.0, -2.0, 3.0], [0.0, 0.0, -0.0], [1e-310, 0.0, -1e300]])


@pytest.mark.slow
def test_positive_parts_have_even_coordinates():
    found = nonzeros(Rows(SIGNED), (0, 1, 2))
    assert found.pointers.tolist() == [0, 2, 2, 4]
    assert found.coordinates.tolist() == [3, 4, 0, 5]
    assert found.weights.tolist() == [2, 3, 1e-310, 1e300]


def test_coordinates_count_the_columns_that_are_asked_for():
    found = nonzeros(Rows(SIGNED), (2, 1))
    assert found.coordinates.tolist() == [0, 3, 1]
    assert found.weights.tolist() == [3, 2, 1e300]


@pytest.mark.slow
def test_sparse_rows_with_zeros_duplicates_and_columns_in_any_order():
    data, columns = [3.0, -1.0, 0.0, -1.0, -1e300, 1e-310], [2, 1, 0, 1, 2, 0]
    sparse = csr_array((np.array(data), np.array(columns), np.array([0, 4, 4, 6])), shape=(3, 3))
    for one, other in zip(nonzeros(Rows(sparse), (0, 1, 2)), nonzeros(Rows(SIGNED), (0, 1, 2)), strict=True):
        assert one.tolist() == other.tolist()
    assert sparse.nnz == 6  # the caller's rows are as they were


SIX = np.random.default_rng(3).standard_normal((6, 4))


def key(n: int, *, zero_bit: bool = False) -> PoissonKey:
    """n samples, each of which has a process of its own."""
    words = Stream(1).words("processes", (n,))
    return PoissonKey(words, np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), (0, 1, 2, 3), zero_bit)


@pytest.mark.slow
def test_rows_agree_with_the_probability_of_the_kernel():
    keys = key(20_000).keys(Rows(SIX))
    upper = np.triu_indices(6, 1)
    expected = [minmax(SIX[i], SIX[j]) for i, j in zip(*upper, strict=True)]
    assert_mean(np.stack([keys[i] == keys[j] for i, j in zip(*upper, strict=True)], axis=1), expected)


def test_samples_that_share_a_process_do_not_depend_on_which_are_asked_for():
    n = 64
    shared = PoissonKey(np.full(n, np.uint64(7)), np.arange(n), np.full(n, n), (0, 1, 2, 3))
    keys = shared.keys(Rows(SIX))
    assert np.array_equal(shared.take(np.array([40, 3])).keys(Rows(SIX)), keys[:, [40, 3]])
    assert len(np.unique(keys)) > n


def test_without_the_point_the_key_is_one_of_the_nonzeros():
    """A sample has at most one key for every nonzero that there is in rows of one support."""
    x = np.exp(np.random.default_rng(0).standard_normal((200, 4))) * [1.0, 0.0, -1.0, 1.0]

    def most(sample: PoissonKey) -> int:
        return max(len(np.unique(column)) for column in sample.keys(Rows(x)).T)

    assert most(key(100, zero_bit=True)) == 3
    assert most(key(100)) > 3


def test_structure_joins_equal_maps_only() -> None:
    key = mapped(0.5)
    assert key.structure == mapped(0.5).structure
    assert key.structure != mapped(0.25).structure
    assert key.structure != mapped((0.5, 0.5, 0.5)).structure
    parts = [key.take(np.arange(7)), key.take(np.arange(7, 20))]
    assert np.array_equal(parts[0].join(parts[1:]).keys(Rows(X), "left"), key.keys(Rows(X), "left"))
    assert not key.has_sides
