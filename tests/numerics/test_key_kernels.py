"""Compiled keys against the NumPy functions that define them."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import apply_matrix, mix_columns, mix_keys, scramble
from kernelspec.random import streams as hashing

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


def test_products_are_summed_in_the_order_of_the_columns() -> None:
    x, matrix = GENERATOR.standard_normal((9, 6)), GENERATOR.standard_normal((6, 4))
    expected = np.zeros((9, 4))
    for i in range(6):
        expected = expected + x[:, i, None] * matrix[i]
    assert np.array_equal(apply_matrix(x, matrix), expected)
    assert np.allclose(expected, x @ matrix, rtol=1e-13)
