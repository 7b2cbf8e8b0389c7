"""Tests of reading in pieces, `tables/layout.py`."""

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
from kernelspec.tables import layout as pieces
from kernelspec.tables.layout import Layout, memory_of_frame, pieces_of
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


def test_no_more_rows_than_are_wanted_unless_they_are_counted() -> None:
    for size, most, expected in ((None, 5, 5), (None, 20, 7), (20, 5, 20)):
        assert len(next(pieces_of(LAYOUT, ROWS, size, most=most) or iter([]))[1]) == expected


@pytest.mark.parametrize(
    "X",
    [ROWS.astype(float), ROWS.astype(np.float32), ROWS[:7], csr_array(ROWS.astype(float)), Rows(ROWS.astype(float))],
)
def test_what_is_not_copied_or_small_is_read_at_once(X: Any) -> None:
    assert pieces_of(LAYOUT, X) is None


WORDS = np.array(list("abc"), dtype=object)[ROWS[:, 2] % 3]
GAPS = np.where(ROWS[:, 1] > 5, None, WORDS)
CATEGORIES = {
    "pandas": pd.DataFrame({"x": ROWS[:, 0], "c": WORDS, "g": GAPS}),
    "categorical": pd.DataFrame({"x": ROWS[:, 0], "c": pd.Categorical(WORDS), "g": pd.Categorical(GAPS)}),
    "whole": pd.DataFrame({"x": ROWS[:, 0], "c": ROWS[:, 1] + 2**53, "g": pd.array(ROWS[:, 2], dtype="Int64")}),
    "polars": pl.DataFrame({"x": ROWS[:, 0], "c": list(WORDS), "g": list(GAPS)}),
    "arrow": pa.table({"x": ROWS[:, 0], "c": pa.array(WORDS), "g": pa.array(GAPS).dictionary_encode()}),
    "mixed": pd.DataFrame({"x": ROWS[:, 0], "c": [*WORDS[:20], *ROWS[20:, 1]], "g": [1.5, True, *GAPS[2:]]}),
    "objects": np.stack([ROWS[:, 0].astype(object), WORDS, GAPS], axis=1),
}


@pytest.mark.parametrize("form", CATEGORIES)
def test_categories_of_pieces_are_those_of_the_whole(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = CATEGORIES[form]
    names = None if isinstance(table, np.ndarray) else ("x", "c", "g")
    layout = Layout(3, names, (0,), (1, 2)).pinned(missing="category")
    monkeypatch.setattr(pieces, "_BYTES_PER_CATEGORY", 8)
    whole, found = layout.read(table), list(pieces_of(layout, table) or ())
    assert len(found) > 5
    np.testing.assert_array_equal(np.concatenate([rows.numbers for _, rows in found]), whole.numbers)
    for i in (1, 2):
        np.testing.assert_array_equal(np.concatenate([rows.codes(i) for _, rows in found]), whole.codes(i))


def test_fewer_rows_where_cells_become_objects() -> None:
    found = list(pieces_of(Layout(3, ("x", "c", "g"), (0,), (1,)), CATEGORIES["pandas"]) or ())
    assert [len(rows) for _, rows in found] == [1] * 50


@pytest.mark.parametrize("kind", ["repeated", "bytes", "whole numbers", "fine"])
def test_sparse_matrices_that_are_copied(kind: str) -> None:
    columns = ROWS % 3 if kind == "repeated" else np.tile(np.arange(3), (50, 1))
    numbers = ROWS.astype({"bytes": "i1", "whole numbers": "i8"}.get(kind, "f8"))
    X = csr_array((numbers.ravel(), columns.ravel(), 3 * np.arange(51)), shape=(50, 3))
    whole, found = LAYOUT.read(X.copy()), pieces_of(LAYOUT, X)
    if kind == "fine":
        assert found is None
        return
    parts = list(found or ())
    assert len(parts) > 5
    np.testing.assert_array_equal(np.concatenate([p.numbers.toarray() for _, p in parts]), whole.numbers.toarray())
    assert {p.numbers.dtype for _, p in parts} == {whole.numbers.dtype}
    assert pieces_of(LAYOUT, X.tocsc()) is None
    X.indices[7] = 5
    with pytest.raises(DataError, match="damaged"):
        pieces_of(LAYOUT, X)


def test_what_is_wrong_is_said_with_its_row_and_columns_at_once() -> None:
    X = ROWS.astype(">f8")
    X[40, 1] = np.nan
    for table in (X, pd.DataFrame(X.astype(float))):
        found = pieces_of(LAYOUT, table)
        assert found is not None
        assert [len(next(found)[1]) for _ in range(5)] == [7] * 5
        with pytest.raises(DataError, match="row 40, column 1"):
            next(found)
    with pytest.raises(DataError, match="no column 'y'"):
        pieces_of(Layout(2, ("x", "y"), (0,), (1,)), CATEGORIES["polars"])
    with pytest.raises(DataError, match="X has 3 features"):
        pieces_of(Layout(2, None, (0, 1), ()), X)


def test_a_row_is_named_without_reading_the_whole_again(monkeypatch: pytest.MonkeyPatch) -> None:
    X = ROWS.astype(">f8")
    X[48, 2] = np.inf
    sizes: list[int] = []
    read = Layout.read

    def counted(layout: Layout, part: Any, **options: Any) -> Rows:
        sizes.append(len(part))
        return read(layout, part, **options)

    monkeypatch.setattr(Layout, "read", counted)
    with pytest.raises(DataError, match="contains infinity in row 48, column 2"):
        list(pieces_of(LAYOUT, X) or ())
    assert max(sizes) == 7


@pytest.mark.parametrize("kind", [np.int32, ">f8", ">f4"])
def test_sparse_pieces_have_as_many_entries_at_most(kind: Any) -> None:
    table = np.zeros((40, 30), dtype=np.dtype(kind).newbyteorder("="))
    table[:5] = np.arange(1, 31)
    table[20:, 4] = 3
    X = csr_array(table)
    X = csr_array((X.data.astype(kind), X.indices, X.indptr), shape=X.shape)
    layout = Layout(30, None, tuple(range(30)), ())
    found = list(pieces_of(layout, X) or ())
    assert [where.stop for where, _ in found][:6] == [1, 2, 3, 4, 5, 25], "5 entries, or one row"
    assert all(rows.numbers.nnz <= 30 for _, rows in found)  # type: ignore[union-attr]
    assert np.array_equal(np.vstack([rows.dense() for _, rows in found]), table)
    sized = [len(rows) for _, rows in pieces_of(layout, X, 15) or ()]
    assert sized == [15, 15, 10]


@pytest.mark.parametrize("change", [slice(None, 25), slice(None, -1)])
def test_damaged_matrices_are_not_cut(change: slice) -> None:
    X = csr_array(np.ones((50, 3), dtype=np.int32))
    assert X.has_canonical_format
    X.indptr = X.indptr[change].copy()
    with pytest.raises(DataError, match="damaged"):
        pieces_of(LAYOUT, X)


def test_lazy_frames_are_refused() -> None:
    assert pieces_of(LAYOUT, pl.DataFrame(ROWS).lazy()) is None
    with pytest.raises(DataError, match="collect"):
        LAYOUT.read(pl.DataFrame(ROWS).lazy())


def test_memory_of_frames() -> None:
    numbers = np.asfortranarray(ROWS.astype(float))
    arrow = pa.table({name: numbers[:, i] for i, name in enumerate("abc")})
    for frame in (pd.DataFrame(numbers, copy=False), arrow, pl.from_arrow(arrow)):
        found = list(memory_of_frame(LAYOUT, frame))
        assert len(found) == 3 * 8
        assert all(np.shares_memory(own, numbers) for own in found)


def test_sparse_rows_of_one_dimension_are_refused_at_once() -> None:
    try:
        X = csr_array(np.array([1, 2, 3]))
    except ValueError:
        pytest.skip("SciPy before 1.15 has no CSR of one dimension")
    with pytest.raises(DataError, match="got 1D array instead"):
        pieces_of(LAYOUT, X)


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
