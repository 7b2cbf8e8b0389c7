"""Tests of `numerics/key_kernels.py`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kernelspec.numerics.key_kernels import (
    add_agreements,
    add_products,
    apply_matrix,
    entries_of_csr,
    entries_of_dense,
    mix_columns,
    mix_keys,
    mix_runs,
    multiply_complex,
    multiply_real,
    scramble,
)
from kernelspec.random import streams as hashing
from kernelspec.random.streams import mix

GENERATOR = np.random.default_rng(0)


def keys(n: int, m: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    left, right = (GENERATOR.integers(0, 3, shape).astype(np.uint64) for shape in ((n, samples), (samples, m)))
    return left, right


@pytest.mark.long
@pytest.mark.parametrize("m", [1, 1023, 1025, 2100])
def test_agreements(m: int) -> None:
    left, right = keys(5, m, 7)
    weights = GENERATOR.standard_normal(7)
    expected = ((left[:, :, None] == right[None]) * weights[:, None]).sum(axis=1)
    out = np.full((5, m), 2.0)
    add_agreements(left, right, weights, out)
    assert np.abs(out - 2 - expected).max() <= 1e-14


@pytest.mark.parametrize("m", [1, 1025])
@pytest.mark.parametrize("entries", [1, 2])
def test_products(m: int, entries: int) -> None:
    left, right = keys(5, m, 7)
    a, b = GENERATOR.standard_normal((entries, 5, 7)), GENERATOR.standard_normal((entries, 7, m))
    expected = np.einsum("eij,ejc,ijc->ic", a, b, left[:, :, None] == right[None])
    out = np.full((5, m), 2.0)
    add_products(left, right, a, b, out)
    assert np.abs(out - 2 - expected).max() <= 1e-13


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


RNG = np.random.default_rng(1)
DATA = RNG.standard_normal((7, 4))
STARTS = np.array([0, 3, 3, 4, 9])
FIRST = RNG.integers(0, 4, 9)
SECOND = np.where(RNG.random(9) < 0.3, -1, RNG.integers(0, 4, 9))
TURN = np.where(RNG.random(9) < 0.5, -1.0, 1.0)
SCALE = RNG.uniform(0.5, 2, 9)


def products(factors: np.ndarray) -> np.ndarray:
    runs = itertools.pairwise(STARTS)
    return np.stack([factors[:, a:b].prod(axis=1) for a, b in runs], axis=1)


def test_real() -> None:
    out = np.empty((7, 4))
    multiply_real(DATA, STARTS, FIRST, SCALE, out)
    np.testing.assert_allclose(out, products(SCALE * DATA[:, FIRST]), rtol=1e-13)


def test_complex() -> None:
    out = np.empty((7, 4), dtype=complex)
    multiply_complex(DATA, STARTS, FIRST, SECOND, TURN, SCALE, out)
    imaginary = np.where(SECOND >= 0, TURN * DATA[:, SECOND], 0.0)
    np.testing.assert_allclose(out, products(SCALE * (DATA[:, FIRST] + 1j * imaginary)), rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_sparse_entries_are_those_of_numpy(dtype):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((7, 11)) * (rng.random((7, 11)) < 0.4)).astype(dtype)
    rows, columns = np.nonzero(x)
    values = x[rows, columns]
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    for found in (entries_of_dense(x), entries_of_csr(pointers, columns, values)):
        assert found[0].tolist() == pointers.tolist()
        assert found[1].tolist() == (2 * columns + (values < 0)).tolist()
        assert found[2].tolist() == np.abs(values).astype(float).tolist()


def test_nothing_at_all():
    pointers, coordinates, weights = entries_of_dense(np.zeros((3, 4)))
    assert (pointers.tolist(), len(coordinates), len(weights)) == ([0, 0, 0, 0], 0, 0)


KEYS = np.random.default_rng(0).integers(0, 2**64, (4, 5), dtype=np.uint64)


@pytest.mark.parametrize("starts", [[0, 5], [0, 1, 3, 5], [0, 0, 5, 5]])
def test_is_mix_in_order(starts: list[int]) -> None:
    found = mix_runs(KEYS, np.array(starts))
    for j, (a, b) in enumerate(itertools.pairwise(starts)):
        expected = np.zeros(4, dtype=np.uint64)
        for t in range(a, b):
            expected = mix(expected, KEYS[:, t])
        assert np.array_equal(found[:, j], expected)


def test_one_key_for_all_samples() -> None:
    spread = np.repeat(KEYS[:, :1], 5, axis=1)
    starts = np.array([0, 2, 5])
    assert np.array_equal(mix_runs(KEYS[:, :1].copy(), starts), mix_runs(spread, starts))
