"""Consistent weighted samples as features."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.random.streams import Stream
from kernelspec.samples.keys import gcws
from kernelspec.samples.keys.gcws import GcwsSampler
from kernelspec.tables.rows import Rows
from tests.samples.keys.sampling_of_minmax import standard_minmax_tests

TestLaw = standard_minmax_tests(GcwsSampler)


@pytest.mark.slow
def test_keys_are_the_same_where_tables_are_too_large_to_keep(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 50)) * (rng.random((40, 50)) < 0.5)
    x[[0, 7, 39]] = 0
    (batch,) = GcwsSampler(tuple(range(50))).draw(Stream(1), 300)
    keys = batch.keys[0].keys(Rows(x))
    monkeypatch.setattr(gcws, "_LARGEST_TABLE", 0)
    monkeypatch.setattr(gcws, "_LARGEST_PART", 4000)
    for at_once in (1, 60, 10**6):
        monkeypatch.setattr(gcws, "_NONZEROS_AT_ONCE", at_once)
        assert np.array_equal(batch.keys[0].keys(Rows(csr_array(x))), keys)


def test_work_grows_with_every_nonzero_and_sample_and_where_tables_are_not_kept():
    narrow, wide = GcwsSampler(tuple(range(100))), GcwsSampler(tuple(range(10**6)))
    assert narrow.work(512, 100) == 2 * narrow.work(512, 50)
    assert narrow.work(512, 100) - narrow.work(256, 100) == narrow.work(256, 100) - narrow.work(0, 100)
    assert wide.work(512, 100) > 10 * narrow.work(512, 100)
