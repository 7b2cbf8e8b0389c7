"""datasketch's weighted MinHash: its kernel, no bias, and the variance of a share."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.exchange.audit import audit
from kernelspec.exchange.library_samplers import DATASKETCH as SAMPLERS


def test_the_kernel_is_minmax() -> None:
    rows = np.random.default_rng(0).gamma(2, size=(5, 3))
    np.testing.assert_allclose(SAMPLERS["WeightedMinHash"].kernel(rows, rows), ks.parse("minmax()").gram(rows))


def test_samples_of_many_rows_are_those_of_each() -> None:
    from datasketch import WeightedMinHashGenerator

    rows = np.random.default_rng(1).gamma(2, size=(5, 3))
    sketches = WeightedMinHashGenerator(3, 16, seed=2)
    for row, sketch in zip(rows, sketches.minhash_many(rows), strict=True):
        assert np.array_equal(sketch.hashvalues, sketches.minhash(row).hashvalues)


@pytest.mark.slow
def test_measured() -> None:
    (found,) = audit("datasketch", n_maps=200)
    assert not found.is_biased
    low, high = found.ratio_interval
    assert low < 1 < high
