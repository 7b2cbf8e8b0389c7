"""Keys at mapped rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.samples.changed_keys import MappedKey
from kernelspec.samples.keys import BinningKey
from kernelspec.tables.rows import Rows

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
    assert key.columns == (4, 0, 2)
    assert not np.array_equal(found, grid(key.factor.pitches.shape[1]).keys(Rows(X), "left"))  # type: ignore[attr-defined]


def test_a_map_of_a_map() -> None:
    inner = MappedKey(grid(2), np.array([[2.0, 0.5], [0.25, 1.0]]), (0, 1))
    outer = MappedKey(inner, np.array([0.5, 4.0]), (3, 1))
    x = X[:, [3, 1]] * [0.5, 4.0]
    expected = grid(2).keys(Rows(np.column_stack([2 * x[:, 0] + 0.5 * x[:, 1], 0.25 * x[:, 0] + x[:, 1]])), "left")
    assert np.array_equal(outer.keys(Rows(X), "left"), expected)


def test_structure_joins_equal_maps_only() -> None:
    key = mapped(0.5)
    assert key.structure == mapped(0.5).structure
    assert key.structure != mapped(0.25).structure
    assert key.structure != mapped((0.5, 0.5, 0.5)).structure
    parts = [key.take(np.arange(7)), key.take(np.arange(7, 20))]
    assert np.array_equal(parts[0].join(parts[1:]).keys(Rows(X), "left"), key.keys(Rows(X), "left"))
    assert not key.has_sides
