"""Keys of the least points of a Poisson process."""

import numpy as np
import pytest

from kernelspec.random.streams import Stream
from kernelspec.samples.weighted_keys import PoissonKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.samples.keys.sampling_of_minmax import minmax

X = np.random.default_rng(3).standard_normal((6, 4))


def key(n: int, *, zero_bit: bool = False) -> PoissonKey:
    """n samples, each of which has a process of its own."""
    words = Stream(1).words("processes", (n,))
    return PoissonKey(words, np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), (0, 1, 2, 3), zero_bit)


@pytest.mark.slow
def test_rows_agree_with_the_probability_of_the_kernel():
    keys = key(20_000).keys(Rows(X))
    upper = np.triu_indices(6, 1)
    expected = [minmax(X[i], X[j]) for i, j in zip(*upper, strict=True)]
    assert_mean(np.stack([keys[i] == keys[j] for i, j in zip(*upper, strict=True)], axis=1), expected)


def test_samples_that_share_a_process_do_not_depend_on_which_are_asked_for():
    n = 64
    shared = PoissonKey(np.full(n, np.uint64(7)), np.arange(n), np.full(n, n), (0, 1, 2, 3))
    keys = shared.keys(Rows(X))
    assert np.array_equal(shared.take(np.array([40, 3])).keys(Rows(X)), keys[:, [40, 3]])
    assert len(np.unique(keys)) > n


def test_without_the_point_the_key_is_one_of_the_nonzeros():
    """A sample has at most one key for every nonzero that there is in rows of one support."""
    x = np.exp(np.random.default_rng(0).standard_normal((200, 4))) * [1.0, 0.0, -1.0, 1.0]

    def most(sample: PoissonKey) -> int:
        return max(len(np.unique(column)) for column in sample.keys(Rows(x)).T)

    assert most(key(100, zero_bit=True)) == 3
    assert most(key(100)) > 3


def test_columns_are_those_of_the_table():
    assert key(3).columns == (0, 1, 2, 3)
    assert not key(3).has_sides
