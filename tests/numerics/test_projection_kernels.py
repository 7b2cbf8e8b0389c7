"""Tests of `numerics/projection_kernels.py`."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.distances import PANEL, ROWS, pack_weights
from kernelspec.numerics.projection_kernels import (
    add_differences,
    count_beyond,
    multiply_panel,
    multiply_sparse_panel,
    project_block,
    project_sparse_row,
)
from tests.numerics.registers import needs_wide_registers


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_as_with_numpy(n: int, kind: Any) -> None:
    numbers = np.resize(np.array([0.5, -0.75, 0.7500001, -9, np.inf, -np.inf, np.nan, -0.0, 1e-320]), n).astype(kind)
    assert count_beyond(numbers, 0.75) == np.count_nonzero(~(np.abs(numbers) <= 0.75))
    assert count_beyond(numbers, np.inf) == np.count_nonzero(np.isnan(numbers))
    assert count_beyond(numbers, 0.0) == np.count_nonzero(numbers)


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_whole_numbers(kind: type, squared: bool) -> None:
    generator = np.random.default_rng(2)
    rows, others = (generator.integers(-9, 9, shape).astype(kind) for shape in ((5, 130), (70, 130)))
    packed = pack_weights(others, np.dtype(kind))
    sums = np.ones((8, packed[:, 0].size), dtype=kind)
    add_differences(rows, packed, squared, sums)
    differences = rows[:, None] - others
    assert np.array_equal(sums[:5, :70], 1 + (differences**2 if squared else np.abs(differences)).sum(axis=2))


SUMS = """
import numpy as np
from kernelspec.numerics.distances import Projection
for kind in (np.float32, np.float64):
    generator = np.random.default_rng(5)
    rows, frequencies = generator.standard_normal((7, 70)), generator.standard_normal((70, 90))
    print(Projection(frequencies.astype(kind))(rows.astype(kind)).tobytes().hex())
from kernelspec.numerics.bin_kernels import bin_keys
from kernelspec.numerics.distances import pack_weights
keys = np.zeros((7, 90), dtype=np.uint64)
bin_keys(rows, *(pack_weights(own.T, rows.dtype) for own in (frequencies, frequencies % 1)), np.full(70, 1e9), keys)
print(keys.tobytes().hex())
"""


@njit
def multiplied(rows, i, first, last, panel, start, sums):
    multiply_panel(rows, i, rows.shape[0], rows.shape[1], first, last, panel, start, 0, sums, sums.shape[1])


@njit
def multiplied_sparsely(columns, numbers, panel, start, sums):
    multiply_sparse_panel(columns, numbers, 0, len(numbers), panel, start, sums)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_some_rows_and_columns_in_whole_numbers(kind: type) -> None:
    generator, size = np.random.default_rng(0), PANEL // np.dtype(kind).itemsize
    rows, panel = (generator.integers(-9, 9, shape).astype(kind) for shape in ((6, 5), (5, size)))
    start, sums = np.arange(size, dtype=kind), np.full((ROWS, size + 1), np.nan, dtype=kind)
    multiplied(rows, 3, 1, 4, panel, start, sums)
    expected = start + rows[:, 1:4] @ panel[1:4]
    assert np.array_equal(sums[:, :size], expected[[3, 4, 5, 5]])  # the last row stands in for one beyond it
    assert np.isnan(sums[:, size]).all()
    columns = np.array([0, 2, 3])
    multiplied_sparsely(columns, rows[4, columns], panel, start, sums[0])
    assert np.array_equal(sums[0, :size], start + rows[4, columns] @ panel[columns])


@pytest.mark.long
@needs_wide_registers
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of other processors")
@pytest.mark.parametrize(("processor", "features"), [("haswell", "+sse2,+avx,+avx2,+fma"), ("nehalem", "+sse2")])
def test_narrower_registers_give_the_same_bits(processor: str, features: str) -> None:
    narrow = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features}
    found = [
        subprocess.run(
            [sys.executable, "-c", SUMS], env=os.environ | own, capture_output=True, text=True, check=True
        ).stdout
        for own in ({}, narrow)
    ]
    assert len(found[0]) > 2 * 7 * 90 * (4 + 8 + 8)
    assert found[0] == found[1]


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
