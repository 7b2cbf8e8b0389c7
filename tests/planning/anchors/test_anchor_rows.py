"""Rows that a plan keeps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from kernelspec.planning.landmarks.landmarks import AnchorRows
from kernelspec.tables.rows import Rows

TABLE = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])


def test_only_the_columns_that_are_read_are_kept() -> None:
    codes = {0: np.array([7, 8], dtype=np.uint64), 3: np.array([1, 2], dtype=np.uint64)}
    kept = AnchorRows.of(Rows(TABLE, codes), (1, 3))
    assert (len(kept), kept.width, kept.coded) == (2, 4, (3,))
    again = kept.rows
    assert np.array_equal(again.numbers, [[0, 2, 0, 4], [0, 6, 0, 8]])
    assert list(again.categories) == [3]
    assert np.array_equal(again.codes(3), codes[3])


def test_sparse_rows_stay_sparse() -> None:
    kept = AnchorRows.of(Rows(csr_array(TABLE * (TABLE > 2))), (0, 2))
    again = kept.rows
    assert again.is_sparse
    assert np.array_equal(again.dense(), [[0, 0, 3, 0], [5, 0, 7, 0]])


def test_columns_that_there_are_not() -> None:
    kept = AnchorRows.of(Rows(TABLE), (1, 3))
    for width, positions in ((3, (1, 3)), (4, (1, 1))):
        with pytest.raises(ValueError, match="each once"):
            AnchorRows(width, positions, (), kept.numbers, kept.codes).validate()
