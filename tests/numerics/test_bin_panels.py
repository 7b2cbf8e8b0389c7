"""Bins of four rows in registers: the last row stands in for those beyond it, and nothing else is written."""

from __future__ import annotations

import numpy as np
from numba import njit

from kernelspec.numerics.bin_kernels import bin_rows
from kernelspec.numerics.distances import PANEL
from kernelspec.random.streams import WEYL, scramble


@njit
def binned(rows, i, inverse, offsets, keys, at, first):
    bin_rows(rows, i, rows.shape[0], rows.shape[1], inverse, offsets, keys, at, keys.shape[0], keys.shape[1], first)


def test_one_column_by_the_formula() -> None:
    size = PANEL // 8
    generator = np.random.default_rng(0)
    rows, inverse, offsets = generator.standard_normal((6, 1)) * 9, generator.random((1, size)), np.zeros((1, size))
    keys = np.zeros((5, size + 3), dtype=np.uint64)
    binned(rows, 3, inverse, offsets, keys, 2, 2)
    words = np.uint64(WEYL) ^ (np.floor(rows[[3, 4, 5, 5]] * inverse) + 0.0).view(np.uint64)
    words *= np.uint64(WEYL)
    expected = scramble(words ^ (words >> np.uint64(32)))
    assert np.array_equal(keys[2:, 2 : size + 2], expected[[0, 1, 3]])  # the last of four is written over the third
    assert not keys[:2].any()
    assert not keys[:, :2].any()
    assert not keys[:, size + 2 :].any()
