"""Tests of `numerics/column_kernels.py`."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from kernelspec.numerics.arrays import pack_weights
from kernelspec.numerics.column_kernels import (
    MISSING,
    bin_keys,
    compact,
    find_places,
    insert_keys,
    rebuild_slots,
    write_entries,
)
from kernelspec.random import streams as hashing
from tests.numerics.registers import needs_wide_registers

DOUBLE, GENERATOR = np.dtype(np.float64), np.random.default_rng(0)


GENERATOR_OF_BIN_KERNELS = np.random.default_rng(0)


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
    x = GENERATOR_OF_BIN_KERNELS.standard_normal((rows, d)) * 10.0 ** GENERATOR_OF_BIN_KERNELS.integers(
        -300, 300, (rows, d)
    )
    inverse, offsets = (
        10.0 ** GENERATOR_OF_BIN_KERNELS.integers(-300, 300, (d, n)),
        GENERATOR_OF_BIN_KERNELS.random((d, n)),
    )
    expected = plain_bins(x, inverse, offsets)
    for largest in (np.zeros(d), 2.0**52 / inverse.max(axis=1)):
        assert np.array_equal(hashed(x, inverse, offsets, largest), expected)


@pytest.mark.parametrize(("rows", "n", "d"), [(7, 40, 3), (8, 33, 1), (2, 31, 5), (4, 64, 0)])
def test_ordinary_rows_of_every_sign(rows: int, n: int, d: int) -> None:
    x = np.round(GENERATOR_OF_BIN_KERNELS.standard_normal((rows, d)) * 30, 1)
    x[:1, :1] = -0.0
    inverse, offsets = (
        np.round(GENERATOR_OF_BIN_KERNELS.random((d, n)) * 8 + 0.25, 1),
        np.round(GENERATOR_OF_BIN_KERNELS.random((d, n)) * 0.9, 1),
    )
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


GENERATOR_OF_COLUMN_KERNELS = np.random.default_rng(0)
KEYS = GENERATOR_OF_COLUMN_KERNELS.integers(0, 2**64, (40, 6), dtype=np.uint64)


@pytest.mark.long
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(("entries", "stride", "step"), [(1, 1, 0), (1, 2, 0), (2, 1, 100), (2, 2, 1)])
@pytest.mark.parametrize("shared", [False, True])
def test_entries(kind: type, width: type, entries: int, stride: int, step: int, shared: bool) -> None:
    places = GENERATOR_OF_COLUMN_KERNELS.integers(0, 20, (4, 3)).astype(np.uint64)
    places[1, 2] = places[3, 0] = MISSING
    values = GENERATOR_OF_COLUMN_KERNELS.standard_normal((entries, 1 if shared else 4, 3)).astype(kind)
    if np.iscomplexobj(values):
        values = values + values.dtype.type(0.5j)
    starts = np.array([1000, 2000, 3000])
    data, indices = np.full((6, 2 + 3 * entries), 7, dtype=kind), np.full((6, 2 + 3 * entries), 8, dtype=width)
    write_entries(places, values, starts, stride, step, 2, data[1:5], indices[1:5])
    assert (data[[0, 5]] == 7).all()
    assert (data[:, :2] == 7).all()
    assert (indices[:, :2] == 8).all()
    for r in range(4):
        for j in range(3):
            for e in range(entries):
                found = data[1 + r, 2 + j * entries + e], indices[1 + r, 2 + j * entries + e]
                value = values[e, 0 if shared else r, j]
                if places[r, j] == MISSING:
                    assert found[1] == -1
                    continue
                place = int(places[r, j])
                assert found[0] == (-value if place % 2 else value)
                assert found[1] == starts[j] + place // 2 * stride + e * step


@pytest.mark.long
def test_entries_without_a_column_are_dropped() -> None:
    indices = np.array([[0, -1, 2], [-1, -1, -1], [3, 4, 5], [-1, 6, -1]])
    data = np.arange(12.0)
    flat, pointers = indices.ravel().copy(), np.zeros(5, dtype=np.int64)
    compact(data, flat, pointers)
    assert pointers.tolist() == [0, 2, 2, 5, 6]
    assert flat[:6].tolist() == [0, 2, 3, 4, 5, 6]
    assert data[:6].tolist() == [0, 2, 6, 7, 8, 10]


LAST = np.uint64(2**64 - 1)


def test_keys_are_entered_once_in_their_order() -> None:
    keys = GENERATOR_OF_COLUMN_KERNELS.integers(0, 2**64, 40, dtype=np.uint64)[
        GENERATOR_OF_COLUMN_KERNELS.integers(0, 40, 500)
    ]
    met, slots = np.empty(64, dtype=np.uint64), np.full(64, -1, dtype=np.int32)
    count, looked_at = insert_keys(keys, 0, met, 0, 64, slots)
    expected = list(dict.fromkeys(keys.tolist()))
    assert (count, looked_at) == (len(expected), 500)
    assert met[:count].tolist() == expected
    assert sorted(slots[slots >= 0]) == list(range(count))


def test_a_full_dictionary_says_where_it_stopped() -> None:
    keys = np.array([5, 6, 5, 6, 7, 5], dtype=np.uint64)
    met, slots = np.empty(2, dtype=np.uint64), np.full(4, -1, dtype=np.int32)
    assert insert_keys(keys, 0, met, 0, 2, slots) == (2, 4)
    assert met.tolist() == [5, 6]


def test_crowded_slots_go_round_the_end() -> None:
    met = LAST - np.arange(6, dtype=np.uint64)  # all seek the last slot
    slots = np.empty(8, dtype=np.int32)
    rebuild_slots(met, slots)
    assert slots.tolist() == [1, 2, 3, 4, 5, -1, -1, 0]
    again = np.full(8, -1, dtype=np.int32)
    assert insert_keys(met, 0, np.empty(6, dtype=np.uint64), 0, 6, again) == (6, 6)
    assert np.array_equal(again, slots)
    keys = np.append(met, LAST - np.uint64(6))[:, None]
    starts, edges = np.array([0, 6]), np.array([0, 8])
    assert find_places(keys, met, starts, slots, edges, 0) == 1
    assert keys[:, 0].tolist() == [0, 2, 4, 6, 8, 10, int(MISSING)]


def test_every_sample_has_its_own_dictionary() -> None:
    met = np.array([3, 4, 3, 9, 9], dtype=np.uint64)
    starts, edges = np.array([0, 2, 4, 5, 5]), np.array([0, 4, 12, 16, 20])
    slots = np.empty(20, dtype=np.int32)
    for j in range(4):
        rebuild_slots(met[starts[j] : starts[j + 1]], slots[edges[j] : edges[j + 1]])
    keys = np.array([[3, 3, 3, 3], [4, 4, 4, 4], [9, 9, 9, 9]], dtype=np.uint64)
    assert find_places(keys, met, starts, slots, edges, 0) == 7
    gone = int(MISSING)
    assert keys.tolist() == [[0, 4, gone, gone], [2, gone, gone, gone], [gone, 6, 8, gone]]


def test_keys_that_are_not_met_go_to_shared_columns_with_signs() -> None:
    met = np.array([3, 4, 3], dtype=np.uint64)
    starts, edges = np.array([0, 2, 3]), np.array([0, 4, 8])
    slots = np.empty(8, dtype=np.int32)
    for j in range(2):
        rebuild_slots(met[starts[j] : starts[j + 1]], slots[edges[j] : edges[j + 1]])
    high, odd = np.uint64(2**63), np.uint64(1)
    keys = np.array([[3, 3], [high, high + odd], [5, 4]], dtype=np.uint64)
    assert find_places(keys, met, starts, slots, edges, 2) == 4
    # sample 0: columns 0 and 1 for 3 and 4, 2 and 3 shared; sample 1: 4 for 3, 5 and 6 shared; odd keys are negated
    assert keys.tolist() == [[0, 8], [6, 13], [5, 10]]
