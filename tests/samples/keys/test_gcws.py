"""Keys of consistent weighted samples."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.random.streams import Stream
from kernelspec.samples import weighted_keys as gcws
from kernelspec.samples.weighted_keys import GcwsKey
from kernelspec.tables.rows import Rows


@pytest.mark.slow
def test_keys_are_the_same_where_tables_are_too_large_to_keep(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 50)) * (rng.random((40, 50)) < 0.5)
    x[[0, 7, 39]] = 0
    key = GcwsKey(Stream(1).words("samples", (300,)), tuple(range(50)))
    keys = key.keys(Rows(x))
    monkeypatch.setattr(gcws, "LARGEST_TABLE", 0)
    monkeypatch.setattr(gcws, "_COORDINATES_AT_ONCE", 7)
    for at_once in (1, 60, 10**6):
        monkeypatch.setattr(gcws, "_NONZEROS_AT_ONCE", at_once)
        assert np.array_equal(key.keys(Rows(csr_array(x))), keys)
