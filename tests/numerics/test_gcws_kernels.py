"""Tests of `numerics/gcws_kernels.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gamma, kstest, uniform

from kernelspec.numerics.gcws_kernels import (
    NO_SAMPLE,
    logarithms,
    passing_winners,
    random_tables,
    scramble_words,
    winners,
)
from kernelspec.random.streams import scramble

RNG = np.random.default_rng(12)


@pytest.mark.long
def test_the_same_samples_as_datasketch_bit_for_bit():
    datasketch = pytest.importorskip("datasketch")
    n, d, k = 60, 37, 128
    x = (RNG.lognormal(0, 2, (n, d)) * (RNG.random((n, d)) < 0.7)).astype(np.float32)
    x[:, 0] = 1
    generator = datasketch.WeightedMinHashGenerator(d, sample_size=k, seed=5)
    theirs = np.stack([generator.minhash(row).hashvalues for row in x])
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    for tile in (k, 32):
        tables = np.stack([generator.rs.T, generator.betas.T, generator.ln_cs.T])
        tables = tables.reshape(3, d, k // tile, tile).transpose(2, 1, 0, 3)
        keys = np.empty((n, k), dtype=np.uint64)
        winners(pointers, columns, columns, np.log(x[rows, columns]), np.ascontiguousarray(tables), keys)
        assert np.array_equal(keys >> np.uint64(32), theirs[:, :, 0])
        assert np.array_equal((keys & np.uint64(2**32 - 1)).astype(np.uint32).view(np.int32), theirs[:, :, 1])


def test_the_first_of_equal_minima_wins_and_rows_of_zeros_have_no_sample():
    tables = np.ones((1, 6, 3, 16), dtype=np.float32)  # r = β = ln c = 1
    pointers, columns = np.array([0, 6, 6, 7]), np.array([0, 1, 2, 3, 4, 5, 5])
    keys = np.empty((3, 16), dtype=np.uint64)
    winners(pointers, columns, columns, np.zeros(7, dtype=np.float32), tables, keys)
    assert (keys[0] == 1).all()  # coordinate 0, t = 1
    assert (keys[1] == NO_SAMPLE).all()
    assert (keys[2] == (5 << 32) + 1).all()
    scramble_words(keys, True)
    assert len(np.unique(keys)) == 3


def test_the_laws_of_the_random_numbers():
    words, tile = scramble(np.arange(400)), 256
    tables = random_tables(words, np.arange(50), tile)
    r, beta, ln_c = (tables[:, :, i].transpose(0, 2, 1).reshape(-1, 50)[:400].ravel() for i in range(3))
    assert kstest(r, gamma(2).cdf).pvalue > 1e-7
    assert kstest(np.exp(ln_c), gamma(2).cdf).pvalue > 1e-7
    assert kstest(beta, uniform.cdf).pvalue > 1e-7
    assert np.abs(np.corrcoef([r, beta, ln_c])[np.triu_indices(3, 1)]).max() < 5.5 / np.sqrt(len(r))


def test_a_number_depends_on_its_word_and_coordinate_alone():
    words = scramble(np.arange(40))
    whole = random_tables(words, np.arange(9), 16)
    some = random_tables(words[17:19], np.array([8, 3]), 16)
    assert np.array_equal(some[0, :, :, :2], whole[1, [8, 3], :, 1:3])


def test_logarithms_are_rounded_once():
    x = np.exp(np.random.default_rng(12).uniform(-600, 600, 500))
    assert np.array_equal(logarithms(x), np.log(x.astype(np.longdouble)).astype(np.float32))


@pytest.mark.long
@pytest.mark.parametrize("height", [1, 5, 64])
@pytest.mark.parametrize("k", [1, 16, 40])
def test_the_winners_of_kept_tables(k, height):
    generator, words = np.random.default_rng(k), scramble(np.arange(k))
    x = generator.lognormal(size=(9, 60)) * (generator.random((9, 60)) < 0.5)
    x[[0, 4]] = 0
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    coordinates, logs = 1000 * columns, logarithms(x[rows, columns])
    met, places = np.unique(coordinates, return_inverse=True)
    expected, found = np.empty((2, 9, k), dtype=np.uint64)
    winners(pointers, coordinates, places, logs, random_tables(words, met, 16), expected)
    passing_winners(pointers, coordinates, places, met, logs, words, np.empty((height, 3, 16), np.float32), found)
    assert np.array_equal(found, expected)
