"""The compiled Poisson process, against brute force over its own points."""

import numpy as np
import pytest

from kernelspec.numerics.poisson_kernels import NO_SAMPLE, least_points
from kernelspec.testing.laboratory import assert_proportions


def samples(weights, word=1, k=64, needed=None, of_coordinate=False):
    """Keys (rows, k) of dense non-negative rows."""
    x = np.atleast_2d(np.asarray(weights, dtype=float))
    rows, columns = np.nonzero(x)
    pointers = np.concatenate([[0], np.cumsum((x != 0).sum(axis=1))])
    keys = np.zeros((len(x), k), dtype=np.uint64)
    chosen = np.ones(k, dtype=bool) if needed is None else needed
    least_points(pointers, columns, *np.frexp(x[rows, columns]), np.uint64(word), chosen, of_coordinate, keys)
    return keys


@pytest.mark.long
def test_a_sample_lies_on_each_coordinate_in_proportion_to_its_weight():
    weights = [5.0, 0.7, 1.3, 1e-9, 3.0]
    keys = samples(weights, k=2**13, of_coordinate=True)[0]
    alone = [samples(np.eye(5)[i], of_coordinate=True)[0, 0] for i in range(5)]
    counts = [(keys == key).sum() for key in alone]
    assert sum(counts) == len(keys)
    assert_proportions(counts, np.array(weights) / sum(weights))


@pytest.mark.long
def test_a_smaller_row_keeps_the_points_that_it_still_covers():
    # consistency: of nested rows, a sample that the middle one loses never comes back in the smaller one
    large = samples([4.0, 3.0, 2.5], k=4096)[0]
    middle = samples([3.1, 3.0, 1.5], k=4096)[0]
    small = samples([2.2, 0.3, 1.5], k=4096)[0]
    assert not ((large == small) & (large != middle)).any()
    assert 0 < (large == middle).sum() < 4096
    assert 0 < (middle == small).sum() < 4096


def test_what_is_needed_does_not_change_what_is_found():
    # for one sample alone fewer ranks are explored at first, and one row in twenty has to look further
    weights, needed = np.random.default_rng(3).exponential(size=(4000, 12)), np.zeros(4, dtype=bool)
    needed[3] = True
    assert np.array_equal(samples(weights, k=4, needed=needed)[:, 3], samples(weights, k=4)[:, 3])


@pytest.mark.parametrize("exponent", [-1073, -300, 0, 300, 1023])
def test_scaling_by_a_power_of_two_is_one_step_of_octaves(exponent):
    keys = samples([2.0**exponent], k=16)
    assert (keys != NO_SAMPLE).all()
    assert len(np.unique(keys)) == 16


def test_rows_of_zeros_have_no_sample():
    assert (samples(np.zeros((2, 3))) == NO_SAMPLE).all()
