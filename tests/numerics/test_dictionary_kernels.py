"""Compiled dictionaries against those of Python."""

from __future__ import annotations

import numpy as np

from kernelspec.numerics.column_kernels import MISSING, find_places, insert_keys, rebuild_slots

GENERATOR = np.random.default_rng(0)
LAST = np.uint64(2**64 - 1)


def test_keys_are_entered_once_in_their_order() -> None:
    keys = GENERATOR.integers(0, 2**64, 40, dtype=np.uint64)[GENERATOR.integers(0, 40, 500)]
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
