"""Keys numbered as they are met."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.maps.columns.learned import KeyDictionary, slots_for


@pytest.mark.parametrize("size", [1, 11, 12, 13, 1000, 5000])
def test_the_same_whatever_the_pieces(size: int) -> None:
    generator = np.random.default_rng(0)
    keys = generator.integers(0, 2**64, 3000, dtype=np.uint64)[generator.integers(0, 3000, 5000)]
    dictionary = KeyDictionary()
    for start in range(0, 5000, size):
        dictionary.insert(keys[start : start + size])
    expected = list(dict.fromkeys(keys.tolist()))
    assert dictionary.keys.tolist() == expected
    assert len(dictionary) == len(expected)


def test_nothing_met() -> None:
    dictionary = KeyDictionary()
    dictionary.insert(np.empty(0, dtype=np.uint64))
    assert len(dictionary) == 0
    assert dictionary.keys.tolist() == []


def test_a_quarter_of_the_slots_stays_free() -> None:
    for n in (0, 1, 11, 12, 13, 24, 25, 99_000, 3 << 20):
        size = slots_for(n)
        assert size & (size - 1) == 0
        assert n <= 0.75 * size
        assert size == 16 or n > 0.75 * size / 2
