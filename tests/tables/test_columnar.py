"""Tests of `tables/columnar.py`."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import kernelspec as ks
from kernelspec.errors import DataError, FileError
from kernelspec.numerics.threads import in_this_thread
from kernelspec.tables.columnar import write_tables
from kernelspec.tables.formats import create_features, open_table


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


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("rows", [0, 1, 123])
def test_pandas_reads_it(tmp_path: Path, dtype: str, rows: int) -> None:
    array = (np.random.default_rng(0).normal(size=(rows, 3)) * 100).astype(dtype)
    with create_features(tmp_path / "a.parquet", names=["cos.1", "sin.1", "größe"], dtype=dtype, sparse=False) as out:
        for start in range(0, rows, 10):
            out.write(array[start : start + 10])
    found = pd.read_parquet(tmp_path / "a.parquet")
    assert list(found) == ["cos.1", "sin.1", "größe"]
    assert set(found.dtypes) == {np.dtype(dtype)}
    assert np.array_equal(found.to_numpy(), array)


@pytest.mark.parametrize("block", [1, 7, 30, 100])
def test_blocks_of_any_size_are_cut_into_row_groups(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec.tables.columnar._ROW_GROUP_BYTES", 2 * 8 * 30)
    array, reused = np.random.default_rng(0).normal(size=(100, 2)), np.empty((block, 2))
    with create_features(tmp_path / "a.parquet", names=["a", "b"], dtype="f8", sparse=False) as out:
        for start in range(0, 100, block):
            rows = array[start : start + block]
            reused[: len(rows)] = rows
            out.write(reused[: len(rows)])
    metadata = pq.read_metadata(tmp_path / "a.parquet")
    assert [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)] == [30, 30, 30, 10]
    assert np.array_equal(pd.read_parquet(tmp_path / "a.parquet").to_numpy(), array)


@pytest.mark.parametrize("cells", [[2**63, 2**63 + 1], [2**53 + 1, 0.5]])
def test_json_lines_with_whole_numbers_that_would_be_rounded_are_refused(tmp_path: Path, cells: list[float]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f'{{"v": {cell}, "u": 1}}\n\n' for cell in [0, *cells]))
    with open_table(path) as reader:
        assert sum(len(block) for block in reader.blocks(["u"])) == 3
        with pytest.raises(DataError, match=r"column 'v' has \d+ in line \d, which would be rounded"):
            list(reader.blocks(["v"]))


def test_json_lines_with_large_numbers_that_floats_hold_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"v": {2**60}}}\n{{"v": 0.5}}\n{{"v": 1e300}}\n')
    with open_table(path) as reader:
        assert [block.column(0).to_pylist() for block in reader.blocks()] == [[2.0**60, 0.5, 1e300]]


def test_json_lines_whose_text_looks_like_dates_at_first_are_text(tmp_path: Path) -> None:
    """Arrow reads parts of 4 MiB, and takes the first for times."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"code": "2026-05-01"}\n' * 200_000 + '{"code": "other"}\n')
    with open_table(path) as reader:
        found = [cell for block in reader.blocks() for cell in block.column(0).to_pylist()]
    assert (len(found), set(found[:-1]), found[-1]) == (200_001, {"2026-05-01"}, "other")


def test_json_lines_with_fractions_of_seconds_are_times(tmp_path: Path) -> None:
    """As pandas writes them; in the exact instant, whatever the zone."""
    times = pd.date_range("2024-03-20 00:00:00.250", periods=5, freq="7h", tz="Europe/Rome")
    table = pd.DataFrame({"when": times, "text": times.strftime("2024-13-%dT%H:%M:%S.000Z")})
    table.to_json(tmp_path / "rows.jsonl", orient="records", lines=True, date_format="iso")
    mixed = [*map(pd.Timestamp.isoformat, times[1:]), "2024-03-19T23:00:00Z"]
    (tmp_path / "mixed.jsonl").write_text("".join(f'{{"when": "{cell}"}}\n' for cell in mixed) + '{"when": null}\n')
    with open_table(tmp_path / "rows.jsonl") as reader:
        (block,) = reader.blocks()
    assert block["when"].to_pylist() == times.tz_convert(None).to_pydatetime().tolist()
    assert block["text"].to_pylist() == table["text"].tolist()  # no month
    with open_table(tmp_path / "mixed.jsonl") as reader:
        (block,) = reader.blocks()
    assert block["when"].to_pylist() == [*times[1:].tz_convert(None).to_pydatetime(), datetime(2024, 3, 19, 23), None]
    with open_table(tmp_path / "rows.jsonl") as reader:
        expected = ks.parse("gaussian()[when]").gram(table)
        np.testing.assert_allclose(ks.parse("gaussian()[when]").gram(next(iter(reader.blocks()))), expected, rtol=1e-12)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_bytes_are_not_written_as_text(tmp_path: Path, suffix: str) -> None:
    table = pa.table({"x": [1.0, 2.0], "id": pa.array([b"\xff\x00", b"a"])})
    with pytest.raises(DataError, match="column 'id' has the type binary, which"):
        write_tables(str(tmp_path / f"t{suffix}"), iter([table]))
    write_tables(str(tmp_path / "t.parquet"), iter([table]))
