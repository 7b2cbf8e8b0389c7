"""The pairs that plans are compared on."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.reference import reference_pairs
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_proportions

NUMBERS = Layout(3, None, (0, 1, 2), ())
MIXED = Layout(2, None, (0,), (1,))


def test_rows_of_the_data_and_never_a_row_with_itself() -> None:
    data = np.arange(15.0).reshape(5, 3)
    pairs, words = reference_pairs(NUMBERS, Rows(data))
    assert words == "256 random pairs of rows"
    assert pairs.shape == (256,)
    x, y = pairs.x.dense(), pairs.y.dense()
    assert (x != y).any(axis=1).all()
    assert {*map(tuple, x.tolist()), *map(tuple, y.tolist())} == set(map(tuple, data.tolist()))


@pytest.mark.parametrize("data", [None, Rows(np.ones((1, 2)))])
def test_without_two_rows_standard_normal_ones(data: Rows | None) -> None:
    pairs, words = reference_pairs(MIXED, data)
    assert "standard normal" in words
    assert pairs.shape == (256,)
    equal = int(np.sum(pairs.select((1,)).equal()))
    assert_proportions([equal, 256 - equal], [0.25, 0.75])


def test_the_same_at_every_call() -> None:
    first, again = (reference_pairs(MIXED, None)[0] for _ in range(2))
    assert np.array_equal(first.x.dense(), again.x.dense())
    assert np.array_equal(first.y.codes(1), again.y.codes(1))


def test_plans_do_not_depend_on_the_seed() -> None:
    plans = [ks.compile("gaussian() + match()[0] + laplace()", dim=3, seed=seed).plan for seed in (1, 2)]
    assert plans[0].chosen == plans[1].chosen


@pytest.mark.parametrize(("dim", "count"), [(8_192, 256), (16_384, 128), (32_768, 64), (131_072, 64)])
def test_fewer_standard_normal_rows_that_are_long(dim: int, count: int) -> None:
    assert reference_pairs(Layout(dim, None, tuple(range(dim)), ()), None)[0].shape == (count,)
