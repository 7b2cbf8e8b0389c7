"""Nearly normal vectors from signs and Hadamard's matrix: what holds exactly, and what nearly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.stats import chi2, kstest

from kernelspec.random.normal_blocks import HadamardStream, block_size, hadamard_rows, signs_of
from kernelspec.random.streams import Stream, UnevenRuns
from kernelspec.testing.laboratory import assert_mean

CHANCE = 1e-7
"""Of a false alarm, for every Kolmogorov–Smirnov test."""


@pytest.mark.parametrize(("d", "p"), [(1, 64), (64, 64), (65, 128), (784, 1024), (1024, 1024)])
def test_blocks_have_a_power_of_two_of_rows(d: int, p: int) -> None:
    assert block_size(d) == p


def test_signs_are_the_bits_of_words() -> None:
    words = np.array([[5, 1 << 63]], dtype=np.uint64)
    expected = np.ones(128)
    expected[[0, 2, 127]] = -1
    assert np.array_equal(signs_of(words), expected[None])


@pytest.mark.parametrize(("d", "n"), [(64, 64), (100, 300), (130, 5)])
def test_rows_are_those_of_the_matrix(d: int, n: int) -> None:
    (words,) = HadamardStream(0).diagonals_of_runs("normal", (n, d))
    p = block_size(d)
    H, whole = hadamard(p).astype(float), []
    for first, second, third in signs_of(words):
        whole.append(H @ np.diag(first) @ H @ np.diag(second) @ H @ np.diag(third) / p)
    np.testing.assert_allclose(hadamard_rows(words, n, d), np.vstack(whole)[:n, :d], atol=1e-12)


def test_rows_of_a_block_are_orthogonal_and_their_lengths_are_radii() -> None:
    found = HadamardStream(3, (1,)).normal("normal", (200, 128))
    radii = np.linalg.norm(found, axis=1)
    for part in (slice(0, 128), slice(128, 200)):
        rows = found[part] / radii[part, None]
        np.testing.assert_allclose(rows @ rows.T, np.eye(len(rows)), atol=1e-12)
    assert np.abs(found[0] @ found[128:].T).max() > 1
    many = HadamardStream(5).normal("normal", (4096, 64))
    assert kstest(np.square(many).sum(axis=1), chi2(64).cdf).pvalue > CHANCE


def test_moments_of_second_order_are_those_of_normal_vectors() -> None:
    found = HadamardStream(1).normal("normal", (64 * 200, 70)).reshape(100, 128, 70)
    for row in (0, 127):  # of independent blocks
        assert_mean(found[:, row], np.zeros(70))
        assert_mean(found[:, row, 0] * found[:, row, 1], [0.0])
        assert_mean(np.square(found[:, row]), np.ones(70))


def test_the_first_vectors_do_not_depend_on_how_many_follow() -> None:
    many = HadamardStream(4, (2,)).normal("normal", (150, 64))
    for n in (0, 1, 64, 100):
        np.testing.assert_allclose(HadamardStream(4, (2,)).normal("normal", (n, 64)), many[:n], atol=1e-12)
    assert not np.array_equal(HadamardStream(5, (2,)).normal("normal", (1, 64)), many[:1])


def test_blocks_end_with_a_run() -> None:
    stream = HadamardStream(0, lengths=(70,) * 3).in_blocks(64)
    found, mixing = stream.normal("normal", (210, 64)), stream.uniform("mixing", 210)
    for start in range(0, 210, 70):
        for part in (slice(start, start + 64), slice(start + 64, start + 70)):
            products = found[part] @ found[part].T
            np.testing.assert_allclose(products - np.diag(np.diag(products)), 0, atol=1e-10)
        assert len(np.unique(np.floor(64 * mixing[start : start + 64]))) == 64
    with pytest.raises(UnevenRuns):
        stream.normal("normal", (70, 64))


def test_vectors_of_few_entries_and_single_numbers_are_independent() -> None:
    stream, plain = HadamardStream(1, (3,)), Stream(1, (3,))
    for shape in (7, (7,), (7, 1), (7, 63)):
        assert np.array_equal(stream.normal("normal", shape), plain.normal("normal", shape))
    assert isinstance(stream.child(2), HadamardStream)
    assert np.array_equal(stream.in_blocks(3).uniform("u", 5), plain.uniform("u", 5))
