"""Tests of `random/streams.py`."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from hashlib import blake2b
from zlib import crc32

import numpy as np
import pytest
from scipy.stats import kstest, norm

from kernelspec.random.streams import Stream, hash_numbers, hash_text, mix, mix_words, scramble
from tests.laboratory import assert_proportions

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


def test_single_words_have_the_bits_of_arrays() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, (50, 2), dtype=np.uint64).tolist()
    for salt, (first, second) in enumerate([(0, 0), (MASK, MASK), *words]):
        assert mix_words(first, second, salt) == int(mix(first, second, salt))


def test_equal_numbers_equal_hashes() -> None:
    assert len({int(hash_numbers([v])[0]) for v in (1, 1.0, True, np.float32(1), Fraction(1))}) == 1
    assert hash_numbers([0.0])[0] == hash_numbers([-0.0])[0]
    assert len(set(hash_numbers(np.arange(10_000)).tolist())) == 10_000


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


def draw(stream: Stream, purpose: str = "normal", n: int = 50) -> np.ndarray:
    return stream.generator(purpose).random(n)


def test_every_place_has_its_own_numbers() -> None:
    places = [Stream(s, p) for s in (0, 1, 2**40) for p in ((), (0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (257,))]
    firsts = [draw(place, purpose, 1)[0] for place in places for purpose in ("a", "b")]
    assert len(set(firsts)) == len(firsts)


@pytest.mark.slow
def test_the_same_in_another_process() -> None:
    code = "from kernelspec.random.streams import Stream; print(Stream(5, (1,)).generator('g').integers(2**62))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert int(found.stdout) == Stream(5, (1,)).generator("g").integers(2**62)


def test_choices_partition_the_samples_in_the_right_proportions() -> None:
    chosen = Stream(5).choose([0.2, 0.0, 0.5, 0.3], 20_000)
    assert sorted(np.concatenate(chosen).tolist()) == list(range(20_000))
    assert_proportions([len(part) for part in chosen], [0.2, 0.0, 0.5, 0.3])


def test_uniforms_are_uniform_in_pairs_too() -> None:
    values = Stream(5).child(2).uniforms("pitch", (200_000,))
    assert kstest(values, "uniform").pvalue > 1e-8
    for gap in (1, 2, 3, 1000):
        cells = np.floor(8 * values[:-gap]) * 8 + np.floor(8 * values[gap:])
        # pairs overlap: taken apart, so that they are independent
        apart = cells[np.arange(len(cells)) // gap % 2 == 0]
        assert_proportions(np.bincount(apart.astype(int), minlength=64), np.full(64, 1 / 64), budget=1e-8)


@pytest.mark.slow
def test_uniforms_are_never_at_the_ends_and_have_their_last_bits() -> None:
    values = Stream(6).uniforms("pitch", (300_000,))
    assert values.min() > 0
    assert values.max() < 1
    scaled = values * 2.0**53  # odd numbers of 53 bits: as far from 0 as from 1
    np.testing.assert_array_equal(scaled % 2, 1)
    bits = (scaled.astype(np.uint64)[:, None] >> np.arange(1, 53, dtype=np.uint64)) & np.uint64(1)
    z = (bits.mean(axis=0) - 0.5) * 2 * np.sqrt(len(values))
    assert np.abs(z).max() < norm.isf(1e-8 / 104)


def test_uniforms_of_different_places_are_independent() -> None:
    seeds = (0, 1, 2**40, 2**64, 2**64 + 1)
    paths = ((), (0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (257,))
    drawn = [Stream(s, p).uniforms(purpose, (2000,)) for s in seeds for p in paths for purpose in ("a", "b")]
    together = np.concatenate(drawn)
    assert len(np.unique(together)) == len(together)
    correlations = np.corrcoef(drawn) * np.sqrt(2000)
    pairs = correlations[np.triu_indices(len(drawn), 1)]
    assert np.abs(pairs).max() < norm.isf(1e-8 / (2 * len(pairs)))
    # not even shifted: neither is a later part of the other
    for first, second in ((0, 1), (0, 2), (2, 4), (16, 32)):
        shifted = np.correlate(drawn[first] - 0.5, drawn[second] - 0.5, mode="full") * 12 / np.sqrt(2000)
        assert np.abs(shifted).max() < norm.isf(1e-8 / (2 * len(shifted)))


@pytest.mark.slow
def test_words_are_uniform_in_every_bit_and_byte_and_in_neighbours() -> None:
    words = Stream(6).child(1).words("samples", (300_000,))
    bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    z = (bits.mean(axis=0) - 0.5) * 2 * np.sqrt(len(words))
    assert np.abs(z).max() < norm.isf(1e-8 / 128)
    octets = words.astype("<u8").view(np.uint8).reshape(-1, 8).astype(int)
    for place in range(8):
        assert_proportions(np.bincount(octets[:, place], minlength=256), np.full(256, 1 / 256), budget=1e-9)
        after = octets[::2, place] // 16 * 16 + octets[1::2, (place + 1) % 8] // 16
        assert_proportions(np.bincount(after, minlength=256), np.full(256, 1 / 256), budget=1e-9)


def test_words_of_other_places_and_uniforms_of_the_same_are_others() -> None:
    paths = ((), (0,), (1,), (0, 1), (crc32(b"a"),))
    places = [(Stream(seed, path), purpose) for seed in (0, 2**64) for path in paths for purpose in ("a", "b")]
    drawn = [stream.words(purpose, (2000,)) for stream, purpose in places]
    # of uniforms 52 bits are left
    leading = [(stream.uniforms(purpose, (2000,)) * 2.0**52).astype(np.uint64) for stream, purpose in places]
    together = np.concatenate([*(words >> np.uint64(12) for words in drawn), *leading])
    assert len(np.unique(together)) == len(together)


def test_uniforms_are_splitmix64_and_therefore_the_same_everywhere() -> None:
    """The generator of Steele, Lea and Flood 2014 in whole numbers of Python, from the state of this place."""
    mask, weyl = 2**64 - 1, 0x9E3779B97F4A7C15

    def scrambled(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    state = scrambled((scrambled((5 + weyl) & mask) + 2) & mask)
    for step in (7, 257, crc32(b"pitch")):
        state = scrambled((scrambled((state + weyl) & mask) + step) & mask)
    expected = [((scrambled((state + i * weyl) & mask) >> 12) + 0.5) / 2**52 for i in range(1, 6)]
    np.testing.assert_array_equal(Stream(5, (7, 257)).uniforms("pitch", (5,)), expected)
    state = scrambled((scrambled((state + weyl) & mask) + 1) & mask)
    words = [scrambled((state + i * weyl) & mask) for i in range(1, 6)]
    assert Stream(5, (7, 257)).words("pitch", (5,)).tolist() == words
