"""Arrow tables without narwhals: the same rows, and whatever is not plain numbers is left to it."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from kernelspec.tables.layout import Layout
from kernelspec.tables.table_kinds import ArrowNumbers, arrow_values, is_arrow_table


def test_only_tables_of_arrow_are_arrow_tables() -> None:
    table = pa.table({"a": [1.0]})
    assert is_arrow_table(table)
    assert not any(
        map(is_arrow_table, (table.to_pandas(), table.to_batches()[0], np.ones((1, 1)), nw.from_native(table)))
    )


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.int32()])
def test_numbers_in_pieces(kind: pa.DataType) -> None:
    column = pa.chunked_array([[1, 2], [], [3]], kind)
    found = arrow_values(column)
    assert found is not None
    assert found.tolist() == [1, 2, 3]
    assert found.dtype == kind.to_pandas_dtype()
    opened = ArrowNumbers.of(pa.table({"a": column, "b": column}))
    assert opened is not None
    assert len(opened) == 3
    assert [own.null_count() for own in opened.iter_columns()] == [0, 0]


@pytest.mark.parametrize(
    "cells", [pa.array([1.0, None]), pa.array(["x"]), pa.array([], pa.float64()), pa.array([True])]
)
def test_all_else_is_left_to_narwhals(cells: pa.Array) -> None:
    assert ArrowNumbers.of(pa.table({"a": cells})) is None


def test_the_same_rows_as_from_a_data_frame() -> None:
    table = pa.table({"b": np.arange(5), "a": np.arange(5) / 8, "c": np.ones(5, np.float32)})
    for layout in (Layout(2, ("a", "b"), (0, 1), ()), Layout(3, None, (0, 2), (1,))):
        found, expected = layout.read(table), layout.read(table.to_pandas())
        assert np.array_equal(found.numbers, expected.numbers)
        assert found.categories.keys() == expected.categories.keys()
        assert all(np.array_equal(found.categories[i], codes) for i, codes in expected.categories.items())
        assert layout.recorded(table) == layout.recorded(table.to_pandas())
        assert layout.number_type(table) == layout.number_type(table.to_pandas())
