"""Parquet files as Arrow and pandas read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from kernelspec.tables.formats import create_features


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


def test_small_blocks_share_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kernelspec.tables.parquet._ROW_GROUP_BYTES", 8 * 30)
    with create_features(tmp_path / "a.parquet", names=["a"], dtype="f8", sparse=False) as out:
        for _ in range(10):
            out.write(np.ones((10, 1)))
    metadata = pq.read_metadata(tmp_path / "a.parquet")
    assert [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)] == [30, 30, 30, 10]


@pytest.mark.parametrize("block", [1, 7, 30, 100])
def test_blocks_of_any_size_are_cut_into_row_groups(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernelspec.tables.parquet._ROW_GROUP_BYTES", 2 * 8 * 30)
    array, reused = np.random.default_rng(0).normal(size=(100, 2)), np.empty((block, 2))
    with create_features(tmp_path / "a.parquet", names=["a", "b"], dtype="f8", sparse=False) as out:
        for start in range(0, 100, block):
            rows = array[start : start + block]
            reused[: len(rows)] = rows
            out.write(reused[: len(rows)])
    metadata = pq.read_metadata(tmp_path / "a.parquet")
    assert [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)] == [30, 30, 30, 10]
    assert np.array_equal(pd.read_parquet(tmp_path / "a.parquet").to_numpy(), array)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_only_columns_that_shrink_are_compressed(dtype: str, tmp_path: Path) -> None:
    turns = np.random.default_rng(0).random(5000)
    table = np.stack([np.cos(2 * np.pi * turns), np.ones(5000), np.floor(4 * turns), turns], axis=1).astype(dtype)
    names = ["cos.1", "one", "few.4", "any"]
    with create_features(tmp_path / "a.parquet", names=names, dtype=dtype, sparse=False) as out:
        out.write(table)
    group = pq.read_metadata(tmp_path / "a.parquet").row_group(0)
    assert [group.column(i).compression for i in range(4)] == ["UNCOMPRESSED", "SNAPPY", "SNAPPY", "UNCOMPRESSED"]
    assert np.array_equal(pd.read_parquet(tmp_path / "a.parquet").to_numpy(), table)
