"""Tables read piece by piece: what they are read as in one, in bounded memory, refused with the row of the whole."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from kernelspec.errors import DataError
from kernelspec.tables import pieces
from kernelspec.tables.layout import Layout
from kernelspec.tables.pieces import pieces_of
from kernelspec.tables.rows import Rows

LAYOUT = Layout(3, None, (0, 1, 2), ())
ROWS = np.random.default_rng(0).integers(-9, 9, (50, 3))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven rows at a time."""
    monkeypatch.setattr(pieces, "_BYTES", 7 * 3 * 8)


FORMS = {
    "whole numbers": ROWS,
    "bytes": ROWS.astype(np.int8),
    "half precision": ROWS.astype(np.float16),
    "other order of bytes": ROWS.astype(">f8"),
    "the same, single": ROWS.astype(">f4"),
    "memory order": np.asfortranarray(ROWS.astype(np.int32)),
    "pandas": pd.DataFrame(ROWS.astype(float)),
    "polars": pl.DataFrame(ROWS),
    "arrow": pa.table({name: ROWS[:, i] for i, name in enumerate("abc")}),
    "lists": ROWS.tolist(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [None, 1, 20, 100])
def test_pieces_are_those_of_the_whole(form: str, size: int | None) -> None:
    found = pieces_of(LAYOUT, FORMS[form], size)
    assert found is not None
    whole, done = LAYOUT.read(FORMS[form]), 0
    for where, rows in found:
        assert (where.start, rows.first, len(rows)) == (done, done, min(size or 7, 50 - done))
        assert rows.numbers.dtype == whole.numbers.dtype
        np.testing.assert_array_equal(rows.numbers, whole.numbers[where])
        done = where.stop
    assert done == 50


def test_categories_keep_their_codes() -> None:
    layout = Layout(3, None, (0,), (1, 2))
    X = ROWS + 2**53
    whole = layout.read(X)
    for where, rows in pieces_of(layout, X) or ():
        for i in (1, 2):
            np.testing.assert_array_equal(rows.codes(i), whole.codes(i)[where])


@pytest.mark.parametrize(
    "X",
    [ROWS.astype(float), ROWS.astype(np.float32), ROWS[:7], csr_array(ROWS.astype(float)), Rows(ROWS.astype(float))],
)
def test_what_is_not_copied_or_small_is_read_at_once(X: Any) -> None:
    assert pieces_of(LAYOUT, X) is None


def test_frames_with_categories_are_read_at_once() -> None:
    assert pieces_of(Layout(3, None, (0, 1), (2,)), pd.DataFrame(ROWS)) is None


def test_what_is_wrong_is_said_at_once_with_its_row() -> None:
    X = ROWS.astype(">f8")
    X[40, 1] = np.nan
    with pytest.raises(DataError, match="row 40, column 1"):
        pieces_of(LAYOUT, X)
    with pytest.raises(DataError, match="row 40"):
        pieces_of(LAYOUT, pd.DataFrame(X.astype(float)))


def test_there_is_no_copy_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_BYTES", 2**16)
    X = np.ones((100_000, 3), dtype=np.int32)
    tracemalloc.start()
    try:
        for _, rows in pieces_of(LAYOUT, X) or ():
            del rows
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**19, "two pieces and what looks through them; the whole has 2.4 MB"
