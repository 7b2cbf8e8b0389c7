"""Hashes: SplitMix64's own numbers, equality of what is equal, order, spread."""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b

import numpy as np

from kernelspec.random.streams import hash_numbers, hash_text, mix, mix_words, scramble

WEYL = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def test_scramble_is_the_finaliser_of_splitmix64() -> None:
    """The first outputs of the published generator for the seeds 1234567 and 0."""
    state = [(1234567 + (i + 1) * WEYL) & MASK for i in range(5)]
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert scramble(np.array(state, dtype=np.uint64)).tolist() == published
    assert int(scramble(np.uint64(WEYL))) == 0xE220A8397B1DCDAF


def test_scramble_leaves_its_argument_alone() -> None:
    values = np.arange(5, dtype=np.uint64)
    scramble(values)
    np.testing.assert_array_equal(values, np.arange(5))


def test_single_words_have_the_bits_of_arrays() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, (50, 2), dtype=np.uint64).tolist()
    for salt, (first, second) in enumerate([(0, 0), (MASK, MASK), *words]):
        assert mix_words(first, second, salt) == int(mix(first, second, salt))


def test_one_bit_changes_half_of_the_bits() -> None:
    words = np.random.default_rng(0).integers(0, 2**63, 400, dtype=np.uint64)
    for bit in range(0, 64, 9):
        changed = scramble(words) ^ scramble(words ^ np.uint64(1 << bit))
        flips = np.bitwise_count(changed)
        assert abs(flips.mean() - 32) < 6 * 4 / np.sqrt(400)


def test_equal_numbers_equal_hashes() -> None:
    assert len({int(hash_numbers([v])[0]) for v in (1, 1.0, True, np.float32(1), Fraction(1))}) == 1
    assert hash_numbers([0.0])[0] == hash_numbers([-0.0])[0]
    assert len(set(hash_numbers(np.arange(10_000)).tolist())) == 10_000


def test_layout_of_the_array_does_not_matter() -> None:
    table = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(hash_numbers(table.T), hash_numbers(table).T)
    np.testing.assert_array_equal(hash_numbers(table[:, ::2]), hash_numbers(table)[:, ::2])


def test_text_is_blake2b() -> None:
    words = ["", "ulm", "Köln", "1"]
    expected = [int.from_bytes(blake2b(w.encode(), digest_size=8).digest(), "little") for w in words]
    assert hash_text(words).tolist() == expected
    assert hash_text(["1"])[0] != hash_numbers([1])[0]
    assert hash_text([]).shape == (0,)
    assert hash_text(["\ud800"]).shape == (1,)  # what is no Unicode text can still be a category


def test_mix_has_an_order_and_does_not_cancel() -> None:
    a, b = np.uint64(7), np.uint64(9)
    assert mix(a, b) != mix(b, a)
    assert mix(a, a) != mix(b, b)
    assert mix(a, b, salt=1) != mix(a, b)
    assert mix(np.arange(3, dtype=np.uint64), b).shape == (3,)


def test_mix_spreads() -> None:
    grid = np.arange(300, dtype=np.uint64)
    assert len(np.unique(mix(grid[:, None], grid[None, :]))) == 300**2
