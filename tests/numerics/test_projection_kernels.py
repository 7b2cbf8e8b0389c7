"""Sums in the order of the columns: each is the chain of fused products, wherever the row stands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kernelspec.numerics.projection_kernels import project_block, project_sparse_row


def weights_of(p: int, tile: int, kind: type) -> np.ndarray:
    full = np.zeros((max(4, -(-p // 4) * 4), tile), dtype=kind)
    full[:p] = np.random.default_rng(p).standard_normal((p, tile))
    return full


def chain(row: np.ndarray, weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The same sums in exact numbers, rounded after every column."""
    kind, found = row.dtype.type, start.copy()
    for x, own in zip(row.tolist(), weights.tolist(), strict=False):
        exact = [Fraction(x) * Fraction(w) + Fraction(float(t)) for w, t in zip(own, found, strict=True)]
        found = np.array([nearest(value, kind) for value in exact])
    return found


def nearest(value: Fraction, kind: type) -> np.floating:
    """A fraction rounded once: by way of double precision it would be rounded twice."""
    if kind is np.float64:
        return np.float64(float(value))
    first = np.float32(float(value))
    around = (first, np.nextafter(first, np.float32(np.inf)), np.nextafter(first, np.float32(-np.inf)))
    return min(around, key=lambda own: abs(Fraction(float(own)) - value))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0, 1, 3, 4, 9])
@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_every_sum_is_the_chain(m: int, p: int, kind: type) -> None:
    generator = np.random.default_rng(m)
    rows, start = generator.standard_normal((m, p)).astype(kind), generator.standard_normal(19).astype(kind)
    weights, sums = weights_of(p, 19, kind), np.full((8, 19), np.nan, dtype=kind)
    project_block(rows, weights, start, sums)
    for i in range(m):
        assert np.array_equal(sums[i], chain(rows[i], weights, start)), i


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_zeros_that_are_not_stored_change_no_bit(kind: type) -> None:
    generator = np.random.default_rng(3)
    row = (generator.standard_normal(30) * (generator.random(30) < 0.4)).astype(kind)
    start, weights = generator.standard_normal(33).astype(kind), weights_of(30, 33, kind)
    dense, sparse = np.empty((4, 33), dtype=kind), np.empty(33, dtype=kind)
    project_block(row[None], weights, start, dense)
    columns = np.flatnonzero(row)
    project_sparse_row(columns, row[columns], weights, start, sparse)
    assert np.array_equal(dense[0], sparse)
