"""Tables of every kind are read alike: the same numbers, the same codes, and errors that name row and column."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from kernelspec.errors import CellTypeError, DataError
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import ReusedRows

NUMBERS = Layout(2, None, (0, 1), ())
BOTH = Layout(2, ("x", "c"), (0,), (1,))

# -- numbers ---------------------------------------------------------------------------------------------------------

VALUES = np.array([[1.0, 0.0], [2.0, 4.0], [0.0, -8.0]])


@pytest.mark.parametrize(
    "table",
    [
        VALUES,
        VALUES.tolist(),
        [tuple(row) for row in VALUES.tolist()],
        VALUES.astype(np.int8),
        VALUES.astype(np.float16),
        VALUES.astype(">f8"),
        VALUES.astype(np.longdouble),
        np.asfortranarray(VALUES),
        VALUES.astype(object),
        VALUES.view(np.matrix),
        np.ma.masked_array(VALUES, mask=np.zeros_like(VALUES)),
        pd.DataFrame(VALUES),
        pd.DataFrame(VALUES, columns=["a", "b"]),
        pd.DataFrame(VALUES, columns=["a", 1]),
        pd.DataFrame(VALUES.astype(int)).astype("Int64"),
        pd.DataFrame(VALUES).astype("Float64"),
        pl.DataFrame(VALUES),
        pl.DataFrame(VALUES).cast(pl.Decimal(10, 2)),
        pa.table({"a": VALUES[:, 0], "b": VALUES[:, 1]}),
        pa.RecordBatch.from_pydict({"a": VALUES[:, 0], "b": VALUES[:, 1]}),
        *(
            getattr(sp, f"{kind}_{what}")(VALUES)
            for kind in ("csr", "csc", "coo", "lil", "dok")
            for what in ("array", "matrix")
        ),
        sp.dia_array(VALUES),
        sp.bsr_array(VALUES),
        sp.csr_array(VALUES.astype(np.int64)),
    ],
    ids=lambda table: f"{type(table).__module__.split('.')[0]}-{type(table).__name__}",
)
def test_the_same_numbers_from_every_container(table):
    rows = NUMBERS.read(table)
    np.testing.assert_array_equal(rows.dense(), VALUES)
    assert rows.numbers.dtype == np.float64


@pytest.mark.parametrize(
    "table",
    [
        np.ones((3, 2), np.float32),
        sp.csr_array(np.ones((3, 2), np.float32)),
        pd.DataFrame(np.ones((3, 2), np.float32)),
        pd.DataFrame(np.ones((3, 2))).astype("Float32"),
        pl.DataFrame(np.ones((3, 2), np.float32)),
        pa.table({"a": pa.array([1, 1, 1], pa.float32()), "b": pa.array([1, 1, 1], pa.float32())}),
    ],
    ids=lambda table: type(table).__module__.split(".")[0],
)
def test_float32_stays_float32(table):
    assert NUMBERS.read(table).numbers.dtype == np.float32


def test_frames_read_into_memory_that_is_used_again():
    layout, memory = Layout(3, ("a", "b", "c"), (0, 2), (1,)), ReusedRows()
    frames = [pa.table({"a": [i, 2.0], "b": ["x", "y"], "c": [3.0, i]}) for i in (5.0, 6.0)]
    first = layout.read(frames[0], memory=memory).numbers
    np.testing.assert_array_equal(first, [[5, 0, 3], [2, 0, 5]])
    second = layout.read(frames[1].slice(1), memory=memory)
    assert np.shares_memory(first, second.numbers)
    np.testing.assert_array_equal(second.numbers, [[2, 0, 6]])
    assert second.codes(1) == layout.read(frames[1]).codes(1)[1:]
    assert not np.shares_memory(first, layout.read(frames[0]).numbers)


def test_one_double_column_makes_doubles():
    frame = pd.DataFrame({"a": np.ones(2, np.float32), "b": np.ones(2)})
    assert NUMBERS.read(frame).numbers.dtype == np.float64
    text_is_no_number = pd.DataFrame({"x": np.ones(2, np.float32), "c": ["a", "b"]})
    assert BOTH.read(text_is_no_number).numbers.dtype == np.float32


def test_numbers_of_other_types():
    table = np.array([[True, Fraction(1, 4)], [Decimal("0.5"), np.float32(2)]], dtype=object)
    np.testing.assert_array_equal(NUMBERS.read(table).dense(), [[1, 0.25], [0.5, 2]])
    np.testing.assert_array_equal(
        NUMBERS.read(pl.DataFrame({"a": [True, False], "b": [1, 2]})).dense(), [[1, 1], [0, 2]]
    )


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_columns_by_name_in_any_order_beside_others(frame):
    rows = BOTH.read(frame({"c": ["a", "b"], "other": [None, "?"], "x": [1.5, 2.5]}))
    np.testing.assert_array_equal(rows.numbers[:, 0], [1.5, 2.5])
    np.testing.assert_array_equal(rows.codes(1), BOTH.read([[0, "a"], [0, "b"]]).codes(1))


def test_reading_a_lazy_frame_is_refused_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match="collect"):
            BOTH.read(pl.LazyFrame({"x": [1.0], "c": ["a"]}))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1, 2, 3]], columns=["x", "c", "c"]),
        pa.Table.from_arrays([pa.array([1])] * 3, names=["x", "c", "c"]),
        pd.DataFrame([[1, 2, 3]], columns=["x", "1", 1]),
    ],
)
def test_two_columns_of_one_name(table):
    with pytest.raises(DataError, match=r"two columns of the data have the name '(c|1)'"):
        BOTH.read(table)


def test_an_unknown_column_names_the_nearest():
    with pytest.raises(DataError, match=r"no column 'balance'.*'balanced'"):
        Layout(1, ("balance",), (0,), ()).read(pd.DataFrame({"balanced": [1]}))


# -- categories ------------------------------------------------------------------------------------------------------


# -- refusals --------------------------------------------------------------------------------------------------------

DATES = pd.to_datetime(["2020-01-01", "2020-01-02"])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (np.array([[1, 2], [3, np.nan]]), "NaN in row 1, column 'c'"),
        (sp.csr_array([[0, 1], [np.inf, 0]]), "infinity in row 1, column 'x'"),
        (sp.csc_array([[0, 1], [-np.inf, 0]]), "-infinity in row 1, column 'x'"),
        (np.ma.masked_array([[1.0, 2], [3, 4]], mask=[[0, 0], [1, 0]]), "NaN in row 1, column 'x'"),
        (pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "c": 1}), "NaN in row 1, column 'x'"),
        (pl.DataFrame({"x": [1.5, None], "c": ["a", "b"]}), "NaN in row 1, column 'x'"),
        (pl.DataFrame({"x": [1, 2], "c": [None, "b"]}), "'c' has no category in row 0"),
        (pa.table({"x": [1, 2], "c": pa.array(["a", None]).dictionary_encode()}), "'c' has no category in row 1"),
        (pd.DataFrame({"x": [1, 2], "c": pd.Categorical(["a", None])}), "'c' has no category in row 1"),
        (pd.DataFrame({"x": [1, 2], "c": pd.array([True, None], dtype="boolean")}), "'c' has no category in row 1"),
        ([[1, "a"], [2, None]], "'c' has no category in row 1"),
        ([[1, "a"], [2, pd.NA]], "'c' has no category in row 1"),
        ([[1, "a"], [None, "b"]], "NaN in row 1, column 'x'"),
        ([[1, "a"], [pd.NaT, "b"]], "NaN in row 1, column 'x'"),
        ([[1, "a"], [10**400, "b"]], "infinity in row 1, column 'x'"),
        ([[1, "a"], [2, float("inf")]], "infinity in row 1, column 'c'"),
        (pd.DataFrame({"x": [1]}), "no column 'c'"),
        (np.ones((3, 3)), "X has 3 features"),
        (np.ones((0, 2)), "0 sample"),
        (pd.DataFrame({"x": [], "c": []}), "0 sample"),
        (np.ones(3), "Expected 2D array, got 1D array"),
        (sp.coo_array(np.ones(3)), "Expected 2D array, got 1D array"),
        (pd.Series([1, 2]), "Expected 2D array, got 1D array"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        (None, "Expected 2D array, got scalar array"),
        ({"x": [1], "c": [2, 3]}, "columns of equal length,"),
        ({"x": np.array([1, 2], dtype="timedelta64[D]")}, "types that Arrow supports: .*timedelta64"),
        ({"x": np.array([1j, 2])}, "types that Arrow supports:"),
        ("table.csv", "'table.csv'"),
        ([[1, 2], [3]], "different lengths"),
        (np.array([[1, 1j]]), "Complex data not supported"),
        (sp.csr_array(np.array([[1, 1j]])), "Complex data not supported"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(table, said):
    with pytest.raises(DataError, match=said):
        BOTH.read(table)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([["1", "a"], [2, "b"]], "'x' holds '1' in row 0: the kernel needs numbers"),
        (np.array([["1", "a"]]), "'x' holds '1' in row 0"),
        (pd.DataFrame({"x": pd.Categorical(["u", "v"]), "c": 1}), "'x' holds 'u' in row 0"),
        (pd.DataFrame({"x": 1, "c": DATES}), "'c' holds dates"),
        (pd.DataFrame({"x": DATES - DATES[0], "c": 1}), "'x' holds dates or times"),
        (pd.DataFrame({"x": pd.period_range("2020", periods=2), "c": 1}), "'x' holds Period"),
        (pl.DataFrame({"x": [1], "c": [datetime.time(1)]}), "'c' holds datetime.time"),
        (np.array([["2020", "2021"]], dtype="M8[D]"), "'c' holds dates"),
        ([[1, b"a"]], "decode the bytes to text"),
        (pd.DataFrame({"x": [1], "c": [("a", "b")]}), "'c' holds"),
        (np.array([[{"foo": "bar"}, 1]], dtype=object), "argument must be a string .* or a number"),
        (np.array([[1, {"foo": "bar"}]], dtype=object), "argument must be a string .* or a number"),
        (np.array([[1j, 1]], dtype=object), "'x' holds 1j in row 0"),
        (pl.DataFrame({"x": [1], "c": [[1]]}), "'c' holds array"),
    ],
)
def test_cells_of_the_wrong_type(table, said):
    with pytest.raises(CellTypeError, match=said) as caught:
        BOTH.read(table)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


def test_columns_that_are_not_used_are_not_looked_at():
    layout = Layout(3, ("a", "b", "c"), (1,), ())
    frame = pd.DataFrame({"a": [np.nan, None], "b": [1, 2], "c": DATES})
    np.testing.assert_array_equal(layout.read(frame).numbers[:, 1], [1, 2])
    np.testing.assert_array_equal(layout.read(np.array([[np.nan, 1, 0], [0, 2, np.inf]])).numbers[:, 1], [1, 2])
    layout.read(sp.csr_array([[np.nan, 1, 0], [0, 2, np.inf]]))


def test_finite_numbers_with_an_infinite_sum_are_fine():
    huge = np.full((4, 2), np.finfo(np.float64).max)
    np.testing.assert_array_equal(NUMBERS.read(huge).numbers, huge)


def test_the_columns_that_are_looked_at_come_once_and_in_order():
    assert Layout(4, None, (3, 1), (1, 0)).used == (0, 1, 3)


def test_positions_of_a_saved_layout_rise() -> None:
    Layout(3, None, (0, 2), (1,)).validate()
    for numeric, categorical in (((2, 0), (1,)), ((0, 0), (1,)), ((0,), (2, 1)), ((0,), (1, 1))):
        with pytest.raises(ValueError, match="are not in increasing order"):
            Layout(3, None, numeric, categorical).validate()
