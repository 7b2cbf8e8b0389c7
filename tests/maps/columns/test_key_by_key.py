"""Encodings that give the key of every sample a place of its own: places become entries."""

from __future__ import annotations

import numpy as np

from kernelspec.maps.columns.hashed import Buckets, KeyByKey, SparseTable
from tests.maps.columns.test_encoding import ROWS, N, part_of


def test_every_entry_stands_where_its_place_says() -> None:
    encoding, part, rows = Buckets(8), part_of(smooth=True), ROWS.take(slice(0, 9))
    assert isinstance(encoding, KeyByKey)
    table = SparseTable.empty(9, 2 * N, encoding.n_columns(part, "paired"), np.dtype(np.float64))
    assert encoding.write(part, rows, "left", "paired", table, 0, 0) == 0
    places = part.keys(rows)
    encoding.place(places)
    starts, stride, step = encoding.layout(part, "paired")
    values = part.amplitudes(rows, "left", "paired", np.dtype(np.float64)) * encoding.scale()
    for e in range(2):
        columns = starts + (places >> np.uint64(1)).astype(np.int64) * stride + e * step
        assert np.array_equal(table.indices.reshape(9, N, 2)[:, :, e], columns)
        signs = 1.0 - 2.0 * (places & np.uint64(1))
        np.testing.assert_allclose(table.data.reshape(9, N, 2)[:, :, e], values[e] * signs, rtol=1e-14)
