"""What kind of table something is, what its columns are called, how it is opened."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from kernelspec.errors import DataError
from kernelspec.tables.table_kinds import (
    as_table,
    column_names,
    is_frame,
    open_frame,
    refuse_complex,
    values_of,
    width_of,
)


def test_column_names():
    assert column_names(pd.DataFrame({"a": [1], "b": [2]})) == ("a", "b")
    assert column_names(pl.DataFrame({"a": [1]})) == ("a",)
    assert column_names(pa.table({"a": [1]})) == ("a",)
    assert column_names(pa.RecordBatch.from_pydict({"a": [1]})) == ("a",)
    assert column_names(pd.DataFrame(np.eye(2), columns=["a", 1])) == ("a", "1")
    for nameless in (pd.DataFrame(np.eye(2)), np.eye(2), [[1]], sp.csr_array(np.eye(2)), None, "text", pd.Series([1])):
        assert column_names(nameless) is None


def test_as_table_keeps_what_is_a_table():
    frame, matrix, array = pd.DataFrame({"a": [1]}), sp.csr_array(np.eye(2)), np.eye(2)
    assert as_table(frame) is frame
    assert as_table(matrix) is matrix
    assert as_table(array) is array
    assert as_table([[1, "a"]]).dtype == object
    for ragged in ([[1, 2], [3]], [[1, [2]], [3, [4, 5]]]):
        with pytest.raises(DataError, match="different lengths"):
            as_table(ragged)


def test_masked_cells_are_missing():
    whole = np.ma.masked_array([[1, 2]], mask=[[False, False]])
    assert as_table(whole).tolist() == [[1, 2]]
    assert as_table(np.ma.masked_array([[1, 2]], mask=[[False, True]])).tolist() == [[1, None]]


FRAMES = [
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
    pl.DataFrame({"a": [1, 2], "b": [3, 4]}),
    pa.table({"a": [1, 2], "b": [3, 4]}),
    pa.RecordBatch.from_pydict({"a": [1, 2], "b": [3, 4]}),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "arrow table", "arrow batch"])
def test_frames(frame):
    assert is_frame(frame)
    assert width_of(frame) == 2
    opened, names = open_frame(frame)
    assert names == ["a", "b"]
    assert len(opened) == 2
    assert [values_of(column).tolist() for column in opened.iter_columns()] == [[1, 2], [3, 4]]


@pytest.mark.parametrize("table", [np.eye(2), [[1, 2]], sp.csr_array(np.eye(2)), pd.Series([1]), None, "text", {}])
def test_what_is_no_frame(table):
    assert not is_frame(table)


def test_widths():
    assert width_of(np.ones((3, 4))) == 4
    assert width_of(sp.csr_array((3, 4))) == 4
    for shape, said in [((3,), "got 1D array"), ((), "got scalar array"), ((1, 2, 3), "3 dimensions")]:
        with pytest.raises(DataError, match=said):
            width_of(np.ones(shape))


def test_frames_that_cannot_be_opened():
    with pytest.raises(DataError, match="LazyFrame cannot be read row by row"):
        open_frame(pl.LazyFrame({"a": [1]}))
    with pytest.raises(DataError, match="two columns of the data are called 'a'"):
        open_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_complex_numbers_are_refused():
    refuse_complex(np.ones(1))
    with pytest.raises(DataError, match="Complex"):
        refuse_complex(np.ones(1, complex))
