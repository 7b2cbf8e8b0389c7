"""Memory that is given out again."""

from __future__ import annotations

import numpy as np

from kernelspec.tables.rows import ReusedRows

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)


def test_the_same_memory_for_as_many_rows_or_fewer() -> None:
    memory = ReusedRows()
    first = memory.of(4, 3, DOUBLE)
    assert first.shape == (4, 3)
    assert not first.any()
    first[:, 1] = 7
    again = memory.of(2, 3, DOUBLE)
    assert again.shape == (2, 3)
    assert again.flags.c_contiguous
    assert np.shares_memory(first, again)
    np.testing.assert_array_equal(again, [[0, 7, 0]] * 2)


def test_new_zeros_for_more_rows_another_width_or_type() -> None:
    for wanted in ((5, 3, DOUBLE), (4, 2, DOUBLE), (4, 3, SINGLE)):
        memory = ReusedRows()
        memory.of(4, 3, DOUBLE)[...] = 7
        found = memory.of(*wanted)
        assert found.shape == wanted[:2]
        assert found.dtype == wanted[2]
        assert not found.any()


def test_no_rows() -> None:
    assert ReusedRows().of(0, 3, SINGLE).shape == (0, 3)
