"""Bins against a loop with whole numbers of Python."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.bin_kernels import bin_keys
from kernelspec.numerics.distances import pack_weights
from kernelspec.random import streams as hashing
from tests.numerics.registers import needs_wide_registers

GENERATOR = np.random.default_rng(0)


def plain_bins(x: np.ndarray, inverse: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """One step per column with whole numbers of Python."""
    with np.errstate(over="ignore", invalid="ignore"):
        index = np.floor(x[:, :, None] * inverse + offsets)
    bits = (index + 0.0).view(np.uint64)
    own = np.broadcast_to(~(x + 0.0).view(np.uint64)[:, :, None], bits.shape)
    bits = np.where(np.abs(index) < 2**53, bits, own)  # inf and NaN are not
    keys = np.empty((len(x), inverse.shape[1]), dtype=np.uint64)
    for r in range(len(x)):
        for j in range(inverse.shape[1]):
            state = hashing.WEYL
            for i in range(x.shape[1]):
                z = (state ^ int(bits[r, i, j])) * hashing.WEYL % 2**64
                state = z ^ z >> 32
            keys[r, j] = hashing.scramble(np.uint64(state))
    return keys


def hashed(x: np.ndarray, inverse: np.ndarray, offsets: np.ndarray, largest: np.ndarray) -> np.ndarray:
    found = np.zeros((len(x), inverse.shape[1]), dtype=np.uint64)
    bin_keys(x, *(pack_weights(own.T, np.dtype(np.float64)) for own in (inverse, offsets)), largest, found)
    return found


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize(("rows", "n"), [(12, 9), (3, 32), (5, 70), (1, 64), (0, 2)])
def test_bins_step_by_step(rows: int, n: int, d: int) -> None:
    x = GENERATOR.standard_normal((rows, d)) * 10.0 ** GENERATOR.integers(-300, 300, (rows, d))
    inverse, offsets = 10.0 ** GENERATOR.integers(-300, 300, (d, n)), GENERATOR.random((d, n))
    expected = plain_bins(x, inverse, offsets)
    for largest in (np.zeros(d), 2.0**52 / inverse.max(axis=1)):
        assert np.array_equal(hashed(x, inverse, offsets, largest), expected)


@pytest.mark.parametrize(("rows", "n", "d"), [(7, 40, 3), (8, 33, 1), (2, 31, 5), (4, 64, 0)])
def test_ordinary_rows_of_every_sign(rows: int, n: int, d: int) -> None:
    x = np.round(GENERATOR.standard_normal((rows, d)) * 30, 1)
    x[:1, :1] = -0.0
    inverse, offsets = np.round(GENERATOR.random((d, n)) * 8 + 0.25, 1), np.round(GENERATOR.random((d, n)) * 0.9, 1)
    assert np.array_equal(hashed(x, inverse, offsets, np.full(d, 1e9)), plain_bins(x, inverse, offsets))


@pytest.mark.long
@needs_wide_registers
def test_loops_use_wide_registers() -> None:
    fresh = njit(nogil=True)(bin_keys.py_func)  # what comes from a cache cannot be read
    panels, one = np.ones((1, 1, 32)), np.ones((1, 1))
    fresh(one, panels, panels, one[0], np.zeros((1, 32), dtype=np.uint64))
    (code,) = fresh.inspect_asm().values()
    name = f"v{'rndscale' if 'zmm' in code else 'round'}pd"
    assert [line for line in code.splitlines() if name in line and ("zmm" in line or "ymm" in line)]
