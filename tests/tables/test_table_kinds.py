"""Tests of `tables/table_kinds.py`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from kernelspec.errors import CellTypeError
from kernelspec.tables.layout import Layout
from kernelspec.tables.table_kinds import (
    column_names,
    open_frame,
    values_of,
    without_gaps,
    written_out,
)


def test_the_same_rows_as_from_a_data_frame() -> None:
    table = pa.table({"b": np.arange(5), "a": np.arange(5) / 8, "c": np.ones(5, np.float32)})
    for layout in (Layout(2, ("a", "b"), (0, 1), ()), Layout(3, None, (0, 2), (1,))):
        found, expected = layout.read(table), layout.read(table.to_pandas())
        assert np.array_equal(found.numbers, expected.numbers)
        assert found.categories.keys() == expected.categories.keys()
        assert all(np.array_equal(found.categories[i], codes) for i, codes in expected.categories.items())
        assert layout.recorded(table) == layout.recorded(table.to_pandas())
        assert layout.number_type(table) == layout.number_type(table.to_pandas())


@pytest.mark.parametrize(
    "column",
    [
        pa.chunked_array([[1.5, -0.0, 2.0], [], [4.0]]),
        pa.chunked_array([pa.array([1, 2**62 + 1])]),
        pa.chunked_array([pa.array([1.5], pa.float32()), pa.array([2.5], pa.float32())]),
        pa.chunked_array([pa.array([1, 2, 3])[1:]]),
        pa.chunked_array([[1.5, None]]),
        pa.chunked_array([[True, False]]),
        pa.chunked_array([["a", "b"]]),
        pa.chunked_array([], pa.float64()),
    ],
)
def test_values_are_those_of_narwhals(column):
    frame, _ = open_frame(pa.table({"a": column}))
    found, expected = values_of(*frame.iter_columns()), nw.from_native(column, series_only=True).to_numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_numbers_in_arrow_do_without_pandas_and_narwhals():
    script = (
        "import io, sys, pyarrow.csv; from kernelspec.tables.table_kinds import values_of; "
        "from kernelspec.tables.table_kinds import open_frame; "
        # threads of Arrow that have just been started may abort a process that ends
        "alone = pyarrow.csv.ReadOptions(use_threads=False); "
        "frame, _ = open_frame(pyarrow.csv.read_csv(io.BytesIO(b'a\\n1.5\\n2.5'), alone)); "
        "assert values_of(*frame.iter_columns()).sum() == 4; "
        "assert not {'pandas', 'narwhals'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_cells_without_a_type_of_numpy() -> None:
    lists = nw.from_native(pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), series_only=True)
    assert values_of(lists).dtype == object
    assert values_of(lists).tolist() == [[1, 2], [3, 4]]


class Closed:
    """A column whose library hands nothing over, or has no memory left."""

    dtype = "Secret"

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def to_native(self) -> None:
        return None

    def to_numpy(self) -> None:
        raise self.error("no")

    def to_list(self) -> None:
        raise self.error("no")

    def null_count(self) -> int:
        return 1

    def drop_nulls(self) -> None:
        raise self.error("no")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("read", [values_of, without_gaps])
def test_columns_that_cannot_be_read(read: Callable[[object, str], object]) -> None:
    with pytest.raises(CellTypeError, match="column 'c' has the type Secret, which cannot be read"):
        read(Closed(NotImplementedError), "column 'c'")
    for error in (MemoryError, KeyboardInterrupt):
        with pytest.raises(error):
            read(Closed(error), "column 'c'")


def test_runs_that_are_cut() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array(["a", None, "b"]))
    for start, stop in ((0, 6), (1, 3), (2, 4), (5, 6), (3, 3)):
        column = nw.from_native(pa.chunked_array([runs[start:stop], runs[:1]]), series_only=True)
        expected = ["a", "a", None, None, None, "b"][start:stop]
        assert written_out(column).to_list() == [*expected, "a"]
        assert written_out(column).null_count() == expected.count(None)


def test_what_is_not_encoded_stays() -> None:
    for native in (pl.Series([1, None]), pa.chunked_array([[1, None]]), pa.chunked_array([["a"]]).dictionary_encode()):
        column = nw.from_native(native, series_only=True)
        assert written_out(column) is column


def test_column_names():
    assert column_names(pd.DataFrame({"a": [1], "b": [2]})) == ("a", "b")
    assert column_names(pl.DataFrame({"a": [1]})) == ("a",)
    assert column_names(pa.table({"a": [1]})) == ("a",)
    assert column_names(pa.RecordBatch.from_pydict({"a": [1]})) == ("a",)
    assert column_names(pd.DataFrame(np.eye(2), columns=["a", 1])) == ("a", "1")
    for nameless in (pd.DataFrame(np.eye(2)), np.eye(2), [[1]], sp.csr_array(np.eye(2)), None, "text", pd.Series([1])):
        assert column_names(nameless) is None
