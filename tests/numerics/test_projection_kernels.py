"""Sums in the order of the columns: each is the chain of fused products, wherever the row stands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kernelspec.numerics.projection_kernels import project_block, project_sparse_row


def weights_of(p: int, kind: type) -> np.ndarray:
    """Two panels."""
    return np.random.default_rng(p).standard_normal((2, max(p, 1), 256 // np.dtype(kind).itemsize)).astype(kind)


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
@pytest.mark.parametrize("p", [0, 1, 3, 9])
@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_every_sum_is_the_chain(m: int, p: int, kind: type) -> None:
    generator, weights = np.random.default_rng(m), weights_of(p, kind)
    rows = generator.standard_normal((m, p)).astype(kind)
    start = generator.standard_normal(weights.shape[::2]).astype(kind)
    sums = np.full((8, start.size), np.nan, kind)
    project_block(rows, weights, start, sums)
    flat = weights.transpose(1, 0, 2).reshape(len(weights[0]), -1)
    for i in range(m):
        assert np.array_equal(sums[i], chain(rows[i], flat, start.ravel())), i
    assert np.isnan(sums[-(-m // 4) * 4 :]).all()


@pytest.mark.parametrize("m", [1, 6])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_many_columns_are_one_chain(kind: type, m: int) -> None:
    rows, weights = np.random.default_rng(1).standard_normal((m, 900)).astype(kind), weights_of(900, kind)
    start, sums = np.zeros(weights.shape[::2], kind), np.empty((8, weights[:, 0].size), kind)
    project_block(rows, weights, start, sums)
    assert np.array_equal(sums[m - 1, 7:9], chain(rows[m - 1], weights[0, :, 7:9], start[0, 7:9]))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_zeros_that_are_not_stored_change_no_bit(kind: type) -> None:
    generator, weights = np.random.default_rng(3), weights_of(130, kind)
    row = (generator.standard_normal(130) * (generator.random(130) < 0.4)).astype(kind)
    start = generator.standard_normal(weights.shape[::2]).astype(kind)
    dense, sparse = np.empty((4, start.size), dtype=kind), np.empty(start.size, dtype=kind)
    project_block(row[None], weights, start, dense)
    columns = np.flatnonzero(row)
    project_sparse_row(columns, row[columns], weights, start, sparse)
    assert np.array_equal(dense[0], sparse)
    project_sparse_row(columns[:0], row[:0], weights, start, sparse)
    assert np.array_equal(sparse, start.ravel())
