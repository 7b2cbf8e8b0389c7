"""Blocks of a file through a map: every row comes once, in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.cli.data import checked_blocks, feature_blocks
from kernelspec.errors import DataError
from kernelspec.tables.formats import open_table
from kernelspec.tables.layout import Layout


def test_blocks_come_with_their_rows_and_only_columns_in_use(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": range(10), "unused": ["x"] * 10, "b": np.arange(10) / 4})
    frame.to_csv(path, index=False)
    layout = Layout(3, ("a", "unused", "b"), (0, 2), ())
    with open_table(path, rows_per_block=4) as reader:
        found = list(checked_blocks(layout, reader))
    assert len(found) > 1
    assert {tuple(block.column_names) for block, _ in found} == {("a", "b")}  # type: ignore[union-attr]
    read = np.concatenate([rows.dense()[:, [0, 2]] for _, rows in found])
    np.testing.assert_array_equal(read, frame[["a", "b"]])


def test_faults_name_the_row_of_the_file(tmp_path: Path) -> None:
    path, table = tmp_path / "t.npy", np.ones((10, 2))
    table[7, 0] = np.nan
    np.save(path, table)
    read = []
    with open_table(path, rows_per_block=3) as reader, pytest.raises(DataError, match=r"t\.npy: .* in row 8, column 0"):
        read.extend(len(rows) for _, rows in checked_blocks(Layout(2, None, (0, 1), ()), reader))
    assert read in ([3, 3], [])
    np.save(path, table[:0])
    with open_table(path) as reader, pytest.raises(DataError, match=r"t\.npy: has no rows"):
        list(checked_blocks(Layout(2, None, (0, 1), ()), reader))


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("text", ["gaussian()", "match()[0] * gaussian()[1]"])
def test_features_of_all_rows_in_order(tmp_path: Path, text: str, double: bool) -> None:
    path = tmp_path / "t.npy"
    table = np.random.default_rng(0).integers(-3, 4, (20, 2)).astype(np.float32)
    np.save(path, table)
    fmap, advanced, found = ks.compile(text, dim=2, n_features=6), [], []
    with open_table(path, rows_per_block=8) as reader:
        for block in feature_blocks(fmap, reader, rows=3, double=double, advance=advanced.append):
            assert block.shape[0] <= 3
            found.append(block.toarray() if fmap.is_sparse else block.copy())
    assert sum(advanced) == 20
    assert advanced == [len(part) for part in found]
    kind = np.float64 if double else np.float32
    assert {part.dtype for part in found} == {np.dtype(kind)}
    expected = fmap.transform(table.astype(kind))
    expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=0, atol=1e-14 if double else 1e-6)


def test_dense_blocks_share_their_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.random.default_rng(0).standard_normal((9, 2)))
    fmap = ks.compile("gaussian()", dim=2, n_features=6)
    with open_table(tmp_path / "t.npy") as reader:
        blocks = list(feature_blocks(fmap, reader, rows=3, double=False, advance=lambda n: None))
    assert len(blocks) == 3
    assert np.shares_memory(blocks[1], blocks[2])


@pytest.mark.parametrize("text", ["gaussian()[a, c]", "match()[b] * gaussian()[c]", "linear()[a] + laplace()[c]"])
def test_blocks_of_a_table_read_into_the_same_memory(tmp_path: Path, text: str) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.random(50), "b": list("xyzxy") * 10, "c": generator.random(50)})
    frame.to_parquet(tmp_path / "t.parquet")
    fmap, found = ks.compile(text, data=frame, n_features=6), []
    with open_table(tmp_path / "t.parquet", rows_per_block=20) as reader:
        for block in feature_blocks(fmap, reader, rows=7, double=False, advance=lambda n: None):
            found.append(block.toarray() if fmap.is_sparse else block.copy())
    assert len(found) > 7
    expected = fmap.transform(frame)
    np.testing.assert_array_equal(np.concatenate(found), expected.toarray() if fmap.is_sparse else expected)
