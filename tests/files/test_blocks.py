"""Cutting batches into blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from kernelspec.tables.table_reader import bounded_rows, regroup


@pytest.mark.parametrize("rows", [1, 3, 10, 11, 100])
@pytest.mark.parametrize("sizes", [[], [0], [10], [1, 9], [4, 0, 4, 2], [1] * 10])
def test_regroup(rows: int, sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes])
    batches = [pa.record_batch({"a": pa.array(range(s, e))}) for s, e in pairwise(starts)]
    tables = list(regroup(batches, rows))
    assert [value for table in tables for value in table["a"].to_pylist()] == list(range(starts[-1]))
    assert all(table.num_rows == rows for table in tables[:-1])
    assert all(0 < table.num_rows <= rows for table in tables)


def test_bounded_rows() -> None:
    assert bounded_rows(1000, 8) == 1000
    assert bounded_rows(16384, 2**20) == 128
    assert bounded_rows(5, 2**40) == 1
    assert bounded_rows(5, 0) == 5
