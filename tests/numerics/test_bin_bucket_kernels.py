"""Entries of bins against the keys of bins and the entries of keys, each of which has tests of its own."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.bin_kernels import bin_keys, bucket_bins
from kernelspec.numerics.column_kernels import write_buckets
from kernelspec.numerics.distances import pack_weights

DOUBLE, GENERATOR = np.dtype(np.float64), np.random.default_rng(0)


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("d", [0, 1, 7])
@pytest.mark.parametrize(("rows", "n"), [(12, 9), (3, 32), (5, 70), (130, 64), (0, 2), (67, 33)])
@pytest.mark.parametrize("spread", [0, 300])
def test_the_same_in_two_passes(rows: int, n: int, d: int, number: type, spread: int) -> None:
    x = GENERATOR.standard_normal((rows, d)) * 10.0 ** GENERATOR.integers(-spread, spread + 1, (rows, d))
    inverse, offsets = GENERATOR.random((d, n)) + 0.25, GENERATOR.random((d, n))
    grid = (*(pack_weights(own, DOUBLE) for own in (inverse.T, offsets.T)), 2.0**52 / inverse.max(axis=1))
    keys, identity = np.empty((rows, n), dtype=np.uint64), GENERATOR.integers(2**64, size=n, dtype=np.uint64)
    bin_keys(x, *grid, keys)
    values, starts = GENERATOR.random(n).astype(number), np.arange(n) * 256
    data, indices = np.zeros((2, rows, n + 3), dtype=number), np.full((2, rows, n + 3), -1, dtype=np.int32)
    of_samples = identity, np.uint64(5), np.uint64(250), values, starts, 2
    write_buckets(identity, keys, *of_samples[1:], data[0], indices[0])
    bucket_bins(x, *grid, *of_samples, data[1], indices[1])
    assert np.array_equal(data[0], data[1])
    assert np.array_equal(indices[0], indices[1])
