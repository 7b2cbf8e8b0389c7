"""Samples whose random numbers are used once: those of tables that are kept."""

import numpy as np
import pytest

from kernelspec.numerics.gcws_kernels import logarithms, passing_winners, random_tables, winners
from kernelspec.random.streams import scramble


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
