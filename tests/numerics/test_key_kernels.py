"""Compiled keys against the NumPy functions that define them."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import apply_matrix, bin_keys, mix_columns, mix_keys, scramble
from kernelspec.random import hashing

GENERATOR = np.random.default_rng(0)


def words(*shape: int) -> np.ndarray:
    return GENERATOR.integers(0, 2**64, shape, dtype=np.uint64)


def offset(salt: int) -> np.uint64:
    return np.uint64((salt + 1) * hashing.WEYL % 2**64)


def test_scramble() -> None:
    for word in [*words(50), np.uint64(0), np.uint64(2**64 - 1)]:
        assert int(scramble(word)) == int(hashing.scramble(word))


@pytest.mark.parametrize("rows", [1, 2, 37])
@pytest.mark.parametrize("n", [1, 2, 33])
@pytest.mark.parametrize("salt", [0, 1, 7])
def test_mix_is_that_of_hashing(rows: int, n: int, salt: int) -> None:
    for first_rows in {1, rows}:
        for wide in {1, n}:
            first, second = words(first_rows, n), words(rows, wide)
            expected = hashing.mix(first, second, salt=salt)
            found = mix_keys(first.copy(), second.copy(), offset(salt))
            assert found.dtype == np.uint64
            assert found.shape == expected.shape == (rows, n)
            assert np.array_equal(found, expected)


def test_columns_are_mixed_in_order() -> None:
    codes = words(20, 5)
    key = np.zeros(20, dtype=np.uint64)
    for i in range(5):
        key = hashing.mix(key, codes[:, i])
    assert np.array_equal(mix_columns(codes)[:, 0], key)


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


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7])
def test_bins_step_by_step(d: int) -> None:
    x = GENERATOR.standard_normal((12, d)) * 10.0 ** GENERATOR.integers(-300, 300, (12, d))
    inverse, offsets = 10.0 ** GENERATOR.integers(-300, 300, (d, 9)), GENERATOR.random((d, 9))
    expected = plain_bins(x, inverse, offsets)
    for largest in (np.zeros(d), 2.0**52 / inverse.max(axis=1)):
        found = np.empty_like(expected)
        bin_keys(x, inverse, offsets, largest, found)
        assert np.array_equal(found, expected)


def test_products_are_summed_in_the_order_of_the_columns() -> None:
    x, matrix = GENERATOR.standard_normal((9, 6)), GENERATOR.standard_normal((6, 4))
    expected = np.zeros((9, 4))
    for i in range(6):
        expected = expected + x[:, i, None] * matrix[i]
    assert np.array_equal(apply_matrix(x, matrix), expected)
    assert np.allclose(expected, x @ matrix, rtol=1e-13)
