"""Parquet: projection, types, pandas' index, damage."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from kernelspec.errors import DataError, FileError
from kernelspec.numerics.threads import in_this_thread
from kernelspec.tables.formats import open_table


@pytest.fixture
def path(tmp_path: Path, numbers: NDArray[np.float64]) -> Path:
    table = pa.table({name: numbers[:, j] for j, name in enumerate("abcd")})
    table = table.append_column("city", pa.array([None if i % 7 == 0 else f"z{i}" for i in range(100)]))
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=33)
    return tmp_path / "a.parquet"


def test_shape_and_even_blocks_across_row_groups(path: Path, numbers: NDArray[np.float64]) -> None:
    with open_table(path, rows_per_block=30) as table:
        assert (table.names, table.n_columns, table.n_rows) == (("a", "b", "c", "d", "city"), 5, 100)
        blocks = list(table.blocks())
    assert [block.num_rows for block in blocks] == [30, 30, 30, 10]
    whole = pa.concat_tables(blocks)
    assert np.array_equal(np.column_stack(whole.columns[:4]), numbers)
    assert whole["city"].null_count == 15


@pytest.mark.parametrize("alone", [False, True])
def test_columns_are_decoded_by_other_threads_unless_there_is_a_worker_for_every_processor(
    alone: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, batches = [], pq.ParquetFile.iter_batches

    def iter_batches(file: pq.ParquetFile, **options: Any) -> Any:
        asked.append(options["use_threads"])
        return batches(file, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", iter_batches)
    with in_this_thread() if alone else nullcontext(), open_table(path) as table:
        (block,) = table.blocks(["a"])
    assert block.num_rows == 100
    assert asked == [not alone]


def test_projection_in_the_order_asked_for(path: Path) -> None:
    with open_table(path) as table:
        (block,) = table.blocks(["city", "b"])
    assert block.column_names == ["city", "b"]


def test_names_with_dots_and_nested_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [{"b": 1}, {"b": 2}], "a.c": [1.0, 2.0]}), tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet") as table:
        (block,) = table.blocks(["a.c"])
        assert block.to_pydict() == {"a.c": [1.0, 2.0]}
        (block,) = table.blocks(["a"])
        assert block.to_pydict() == {"a": [{"b": 1}, {"b": 2}]}


def test_index_of_a_data_frame_is_no_column(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1.0, 2.0]}, index=[5, 3]).to_parquet(tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet") as table:
        assert table.names == ("a",)
        (block,) = table.blocks()
        assert block.to_pydict() == {"a": [1.0, 2.0]}


def test_no_rows_and_no_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / "a.parquet")
    with open_table(tmp_path / "a.parquet") as table:
        assert table.n_rows == 0
        assert list(table.blocks()) == []
    pq.write_table(pa.table({}), tmp_path / "b.parquet")
    with pytest.raises(FileError, match="has no columns"):
        open_table(tmp_path / "b.parquet")


def test_repeated_names(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 2, ["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="columns 0 and 1 are both named 'a'"):
        open_table(tmp_path / "a.parquet")


def test_cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(FileError, match="damaged, or not a Parquet file"):
        open_table(path)


def test_damaged_further_on(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[40:900] = bytes(860)
    path.write_bytes(content)
    with open_table(path) as table, pytest.raises(FileError, match="damaged, or not a Parquet file"):
        list(table.blocks())
