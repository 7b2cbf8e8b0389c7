"""The compiled consistent weighted samples, against datasketch and against the laws of their random numbers."""

import numpy as np
import pytest

from kernelspec.numerics.gcws_kernels import NO_SAMPLE, scramble_words, winners

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
