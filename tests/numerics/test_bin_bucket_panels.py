"""Entries of four rows in registers: the last row stands in for those beyond it, and nothing else is written."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.bin_kernels import bucket_rows
from kernelspec.numerics.distances import PANEL
from kernelspec.random.streams import WEYL, scramble

SIZE, GENERATOR = PANEL // 8, np.random.default_rng(0)


@njit
def bucketed(rows, i, inverse, offsets, before, buckets, values, starts, first, data, indices, entry):
    bucket_rows(
        rows, i, rows.shape[0], rows.shape[1], inverse, offsets,
        before, buckets, values, starts, first, data, indices, data.shape[1], entry,
    )  # fmt: skip


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("buckets", [2, 256, 3 * 2**24])
def test_one_column_by_the_formula(buckets: int, number: type, index: type) -> None:
    rows, inverse, offsets = GENERATOR.standard_normal((6, 1)) * 9, GENERATOR.random((1, SIZE)), np.zeros((1, SIZE))
    before = GENERATOR.integers(2**64, size=SIZE + 4, dtype=np.uint64)
    values, starts = GENERATOR.random(SIZE + 4).astype(number), np.arange(SIZE + 4) * 7
    data, indices = np.zeros((6, SIZE + 3), dtype=number), np.zeros((6, SIZE + 3), dtype=index)
    bucketed(rows, 3, inverse, offsets, before, np.uint64(buckets), values, starts, 4, data, indices, 2)
    words = np.uint64(WEYL) ^ (np.floor(rows[3:] * inverse) + 0.0).view(np.uint64)
    words *= np.uint64(WEYL)
    keys = scramble(before[4:] + scramble(words ^ (words >> np.uint64(32))))
    expected = starts[4:] + [[(int(key) >> 32) * buckets >> 32 for key in row] for row in keys]
    assert np.array_equal(indices[3:, 2:-1], expected)
    assert np.array_equal(data[3:, 2:-1], np.where(keys & np.uint64(1), -values[4:], values[4:]))
    for table in (data, indices):
        assert not table[:3].any()
        assert not table[:, :2].any()
        assert not table[:, -1].any()
