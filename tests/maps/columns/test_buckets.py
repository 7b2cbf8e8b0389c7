"""Keys hashed with random signs: mean and variance of inner products."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.maps.columns.hashed import Buckets, SparseTable
from kernelspec.maps.keyed import KeyedFeatures
from kernelspec.samples.keys import BinningKey
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, assert_variance

SAMPLES = 20_000
LAGS = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 3.0])
KERNEL = np.maximum(0, 1 - LAGS)


def part_of(n: int = SAMPLES) -> KeyedFeatures:
    """Grids of pitch 1 on the line: two points share a cell with probability 1 − |lag|."""
    generator = np.random.default_rng(5)
    key = BinningKey(np.ones((n, 1)), generator.random((n, 1)), (0,))
    identity = generator.integers(0, 2**64, n, dtype=np.uint64)
    return KeyedFeatures((key,), None, np.ones(n), np.ones(n), np.zeros(n), identity)


def products(buckets: int) -> np.ndarray:
    """Sample by sample, those of a row and the rows at some lags from it."""
    part, rows = part_of(), Rows(12.3 + LAGS[:, None])
    encoding = Buckets(buckets)
    table = SparseTable.empty(len(LAGS), SAMPLES, encoding.n_columns(part, "paired"), np.dtype(float))
    assert encoding.write(part, rows, "left", "paired", table, 0, 0) == 0
    same = table.indices[:1] == table.indices
    return np.asarray((table.data[:1] * table.data * same).T)


@pytest.mark.parametrize("buckets", [2, 3, 16, 256])
def test_unbiased_with_the_variance_of_the_formula(buckets: int) -> None:
    drawn = products(buckets)
    assert_mean(drawn, KERNEL)
    assert_variance(drawn, KERNEL * (1 - KERNEL) + (1 - KERNEL) / buckets)


@pytest.mark.parametrize("n_rows", [1, 6])
@pytest.mark.parametrize("n_keys", [1, 2])
def test_one_pass_writes_what_places_say(n_rows: int, n_keys: int) -> None:
    part = replace(part_of(9), factors=part_of(9).factors * n_keys)
    encoding, rows = Buckets(5), Rows(12.3 + LAGS[:n_rows, None])
    table = SparseTable.empty(n_rows, 9, encoding.n_columns(part, "paired"), np.dtype(float))
    encoding.write(part, rows, "left", "paired", table, 0, 0)
    places = part.keys(rows)
    encoding.place(places)
    assert np.array_equal(table.indices, np.arange(9) * 5 + (places >> np.uint64(1)).astype(int))
    assert np.array_equal(table.data, 1.0 - 2.0 * (places & np.uint64(1)))


def test_what_it_is() -> None:
    encoding = Buckets(4)
    assert encoding.unbiased
    assert encoding.scale() == 1
    assert encoding.names(part_of(2), "paired") == [f"key{j}_{b}" for j in range(2) for b in range(4)]


@pytest.mark.parametrize("buckets", [-1, 0, 1, 2**31 + 1])
def test_numbers_of_buckets_that_are_refused(buckets: int) -> None:
    with pytest.raises(PlanError, match=r"from 2 to 2\*\*31"):
        Buckets(buckets)
