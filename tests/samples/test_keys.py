"""Tests of `samples/keys.py`."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.random.streams import hash_numbers, hash_text, mix
from kernelspec.samples.keys import BinningKey, ChosenKey, ColumnKey, GcwsKey, MatchKey
from kernelspec.samples.samples import KeyFactor
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.laboratory import assert_proportions
from tests.samples.key_laws import drawn


def agreement(lag: np.ndarray) -> np.ndarray:
    """∏ E max(0, 1 − |t|/R) for R uniform on (1, 2): ∫_m^2 (1 − t/r) dr with m = max(t, 1)."""
    t = np.minimum(np.abs(lag), 2)
    m = np.maximum(t, 1)
    return np.asarray(np.prod(2 - m - t * np.log(2 / m), axis=-1))


def keys_of(key: BinningKey, numbers: Any) -> np.ndarray:
    return key.keys(Rows(np.asarray(numbers)), "left")


@pytest.mark.parametrize("d", [1, 2, 7])
def test_cells_are_shared_with_the_probability_of_the_kernel(d: int) -> None:
    lags = np.concatenate([np.zeros((1, d)), np.outer([0.05, 0.3, 0.9, 1.2, 1.7, 2.0, 5.0], np.ones(d) / d**0.5)])
    lags = np.concatenate([lags, np.random.default_rng(1).normal(size=(6, d)) / d, 0.7 * np.eye(d)[:1]])
    base = np.random.default_rng(2).standard_normal(d) * 10
    keys = keys_of(drawn(20_000, d), base + lags).T
    assert_mean(keys == keys[:, :1], agreement(lags), what=f"agreement in {d} columns")


def test_the_cell_is_the_one_of_the_formula() -> None:
    key = drawn(30, 3)
    x = np.random.default_rng(0).standard_normal((200, 3)) * 3
    cells = np.floor(x[:, None, :] * (1 / key.pitches) + key.offsets)
    same = (cells[:, None] == cells[None]).all(axis=3)
    keys = keys_of(key, x)
    assert np.array_equal(keys[:, None] == keys[None], same)
    assert 0 < same[np.triu_indices(200, 1)].mean() < 0.5


def test_order_of_the_columns_matters() -> None:
    key = BinningKey(np.ones((1, 2)), np.full((1, 2), 0.5), (0, 1))
    keys = keys_of(key, [[1.0, 2.0], [2.0, 1.0], [1.0, 2.25]])
    assert keys[0, 0] != keys[1, 0]
    assert keys[0, 0] == keys[2, 0]


def test_numbers_of_any_size_have_cells() -> None:
    for x, pitch in ((1e9, 1e-9), (1e300, 1e-280), (1.0, 5e-324), (1e300, 1e300), (1e-300, 1e-300), (1.0, 0.0)):
        key = BinningKey(np.full((5, 2), pitch), np.random.default_rng(0).random((5, 2)), (0, 1))
        values = np.array([x, x, 2 * x, 3 * x, -x, -2 * x, 8.5 * x])
        rows = np.column_stack([values, np.zeros(7)])
        for data in (rows, rows[:, ::-1]):
            keys = keys_of(key, data)
            assert np.array_equal(keys[0], keys[1])
            assert np.array_equal(keys, keys_of(key, data))
            if x > pitch:
                distinct = keys[1:]
                assert all(len(np.unique(column)) == 6 for column in distinct.T), (x, pitch)


def test_huge_neighbours_are_told_apart() -> None:
    key = BinningKey(np.full((3, 1), 1e-9), np.full((3, 1), 0.25), (0,))
    x = 1e9 + np.arange(64) * np.spacing(1e9)
    assert all(len(np.unique(column)) == 64 for column in keys_of(key, x[:, None]).T)


def test_minus_zero_is_zero_and_constant_columns_do_no_harm() -> None:
    key = drawn(50, 2)
    assert np.array_equal(*keys_of(key, [[0.0, 7.0], [-0.0, 7.0]]))
    still = BinningKey(np.full((2, 1), 1e-320), np.zeros((2, 1)), (0,))  # 1/r is infinite
    assert np.array_equal(*keys_of(still, [[0.0], [-0.0]]))
    straight = BinningKey(key.pitches, np.zeros_like(key.offsets), (0, 1))
    assert np.array_equal(*keys_of(straight, [[0.0, -0.0], [-0.0, 0.0]]))


def test_equal_numbers_have_equal_keys_in_any_type_and_storage() -> None:
    x = np.random.default_rng(0).standard_normal((300, 5)).astype(np.float32)
    x[x < -1] = 0
    key = BinningKey(drawn(40, 3).pitches, drawn(40, 3).offsets, (4, 0, 2))
    expected = keys_of(key, x)
    assert np.array_equal(keys_of(key, x.astype(np.float64)), expected)
    assert np.array_equal(keys_of(key, np.asfortranarray(x)), expected)
    assert np.array_equal(key.keys(Rows(csr_array(x)), "right"), expected)
    assert np.array_equal(np.concatenate([keys_of(key, x[i : i + 7]) for i in range(0, 300, 7)]), expected)
    read_only = x.copy()
    read_only.setflags(write=False)
    assert np.array_equal(keys_of(key, read_only), expected)


def assert_as_good_as_random(hashes: np.ndarray) -> None:
    """No two equal; collisions of the top 20 and the low 12 bits as many as of random words; every bit a fair coin."""
    n = len(hashes)
    assert len(np.unique(hashes)) == n
    for bits, cells in ((20, hashes >> np.uint64(44)), (12, hashes & np.uint64(4095))):
        counts = np.bincount(cells.astype(np.int64), minlength=1 << bits).astype(float)
        pairs, chance = n * (n - 1) / 2, 2.0**-bits
        # pairs of random words collide independently of each other, two by two
        z = ((counts * (counts - 1) / 2).sum() - pairs * chance) / np.sqrt(pairs * chance * (1 - chance))
        assert abs(z) <= z_threshold(1, 1e-7), f"{bits} bits: z = {z:.2f}"
    assert_proportions(np.bincount((hashes >> np.uint64(56)).astype(np.int64), minlength=256), np.full(256, 1 / 256))
    some = hashes[:: n // 50_000]
    share = np.array([((some >> np.uint64(bit)) & np.uint64(1)).mean() for bit in range(64)])
    assert np.abs((share - 0.5) * 2 * np.sqrt(len(some))).max() <= z_threshold(64, 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    ["cube", *(pytest.param(shape, marks=pytest.mark.long) for shape in ("line", "plane", "corners", "far", "tenths"))],
)
def test_hashes_of_a_million_cells(shape: str) -> None:
    match shape:
        case "line":
            cells = np.arange(-500_000, 500_000)[:, None].astype(float)
        case "plane":
            cells = np.array(np.meshgrid(np.arange(-500, 500), np.arange(1000))).reshape(2, -1).T.astype(float)
        case "cube":
            cells = np.array(np.meshgrid(*[np.arange(-5, 5)] * 6)).reshape(6, -1).T.astype(float)
        case "corners":  # ±1 in many columns: words that differ in the sign bit alone
            signs = np.array(list(product((-1.0, 1.0), repeat=10)))
            cells = np.concatenate([np.repeat(signs, 1024, axis=0), np.tile(signs, (1024, 1))], axis=1)
        case "far":
            cells = np.column_stack([np.full(1_000_000, 7.0), 2.0**80 * np.arange(1_000_000), np.zeros(1_000_000)])
        case _:  # powers of two: words that differ in the exponent alone
            powers = 2.0 ** np.arange(32)
            cells = np.array(np.meshgrid(powers, powers, powers, powers)).reshape(4, -1).T
    key = BinningKey(np.ones((1, cells.shape[1])), np.full((1, cells.shape[1]), 0.5), tuple(range(cells.shape[1])))
    assert_as_good_as_random(keys_of(key, cells)[:, 0])


@pytest.mark.slow
def test_hashes_of_random_cells_in_many_columns() -> None:
    key = BinningKey(np.full((8, 54), 2.0), np.random.default_rng(0).random((8, 54)), tuple(range(54)))
    x = np.random.default_rng(1).standard_normal((60_000, 54))
    for j, hashes in enumerate(keys_of(key, x).T):
        cells = np.floor(x / key.pitches[j] + key.offsets[j]).astype(np.int8)
        assert len(np.unique(hashes)) == len(np.unique(cells.view("V54")))


NUMBERS = np.array([[1.0, 2, 3, 3], [1, 5, 3, 2], [1, 5, 4, 3]])
KEY = ChosenKey(np.array([3, 0, 3, 2]))


def test_equal_categories_have_equal_keys() -> None:
    found = KEY.keys(Rows(NUMBERS), "left")
    assert found.shape == (3, 4)
    for j, column in enumerate(KEY.chosen):
        agree = found[:, None, j] == found[None, :, j]
        assert np.array_equal(agree, NUMBERS[:, None, column] == NUMBERS[None, :, column])
    assert np.array_equal(found, KEY.keys(Rows(NUMBERS), "right"))
    assert np.array_equal(KEY.keys(Rows(NUMBERS[1:2]), "left")[0], found[1])


def test_categories_that_are_no_numbers() -> None:
    codes = {3: np.array([7, 8, 7], dtype=np.uint64)}
    found = KEY.keys(Rows(NUMBERS, codes), "left")
    assert found[:, 0].tolist() == [7, 8, 7]
    assert np.array_equal(found[:, 1], KEY.keys(Rows(NUMBERS), "left")[:, 1])


GENERATOR = np.random.default_rng(0)
X = GENERATOR.uniform(0, 3, (6, 5))
CHOSEN = np.array([3, 0, 3, 4, 1, 0, 3])


def bins(n: int) -> BinningKey:
    return BinningKey(GENERATOR.uniform(0.5, 2, (n, 1)), GENERATOR.random((n, 1)), (0,))


def expected(factor: KeyFactor, chosen: np.ndarray, side: str = "left") -> np.ndarray:
    """Sample by sample, on a table of one column."""
    found = [factor.take(np.array([j])).keys(Rows(X[:, [column]]), side) for j, column in enumerate(chosen)]  # type: ignore[arg-type]
    return np.concatenate(found, axis=1)


@pytest.mark.slow
def test_every_sample_reads_its_column() -> None:
    words = GENERATOR.integers(0, 2**63, 7).astype(np.uint64)
    for factor in (bins(7), GcwsKey(words, (0,))):
        key = ColumnKey(factor, CHOSEN)
        assert np.array_equal(key.keys(Rows(X), "left"), expected(factor, CHOSEN))
        assert key.columns == (0, 1, 3, 4)
        assert not key.has_sides


def test_beside_categories_and_in_sparse_tables() -> None:
    key = ColumnKey(bins(7), CHOSEN)
    rows = Rows(np.where(np.arange(5) == 2, 0.0, X), {2: hash_text(list("aabbcc"))})
    assert np.array_equal(key.keys(rows, "left"), key.keys(Rows(X), "left"))
    assert np.array_equal(key.keys(Rows(csr_array(X)), "left"), key.keys(Rows(X), "left"))


ROWS = Rows(np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)], dtype=float))


@pytest.mark.parametrize("positions", [(0,), (0, 1), (2, 1), (0, 1, 2), (1, 1)])
def test_keys_are_equal_exactly_where_rows_are(positions: tuple[int, ...]) -> None:
    keys = MatchKey(positions).keys(ROWS, "left")
    assert keys.shape == (27, 1)
    rows = ROWS.dense()[:, list(positions)]
    assert np.array_equal(keys == keys.T, (rows[:, None] == rows[None]).all(axis=2))


def test_codes_of_numbers_and_of_text_are_mixed_in_order() -> None:
    codes = hash_text(["a", "b", "a"])
    rows = Rows(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 2.0], [-0.0, 0.0, 2.0]]), {1: codes})
    expected = np.zeros(3, dtype=np.uint64)
    for column in (hash_numbers([2.0, 2.0, 2.0]), codes, hash_numbers([1.0, 1.0, 0.0])):
        expected = mix(expected, column)
    assert np.array_equal(MatchKey((2, 1, 0)).keys(rows, "left")[:, 0], expected)


def test_swapped_categories_are_not_equal() -> None:
    keys = MatchKey((0, 1)).keys(Rows(np.array([[1.0, 2.0], [2.0, 1.0]])), "right")
    assert keys[0, 0] != keys[1, 0]
