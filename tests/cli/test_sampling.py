"""Random rows of a file: the same for every format and block size, and every row equally likely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from kernelspec.cli.data import sample_rows
from kernelspec.errors import DataError
from kernelspec.tables import formats as readers
from kernelspec.tables.column_types import ColumnTypes
from kernelspec.tables.layout import Layout

LAYOUT = Layout(2, ("a", "b"), (0, 1), ())


def sampled(path: Path, n: int) -> np.ndarray:
    """The numbers of the rows."""
    return sample_rows(str(path), LAYOUT, n)[0].dense()


def test_every_format_gives_the_same_rows(tmp_path: Path) -> None:
    table = np.arange(1, 2001, dtype=float).reshape(-1, 2)
    np.save(tmp_path / "t.npy", table)
    pd.DataFrame(table, columns=["a", "b"]).to_csv(tmp_path / "t.csv", index=False)
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_array(table))
    expected = sampled(tmp_path / "t.npy", 100)
    assert expected.shape == (100, 2)
    assert (np.diff(expected[:, 0]) > 0).all()
    for name in ("t.csv", "t.npz"):
        assert np.array_equal(sampled(tmp_path / name, 100), expected)


def test_the_size_of_the_blocks_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.npy"
    np.save(path, np.arange(2000.0).reshape(-1, 2))
    expected = sampled(path, 100)
    for rows in (1, 64, 333):
        monkeypatch.setattr(
            "kernelspec.cli.data.open_table",
            lambda path, rows=rows, **_: readers.open_table(path, rows_per_block=rows),
        )
        assert np.array_equal(sampled(path, 100), expected)


def test_the_rows_come_from_all_over_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.arange(80_000.0).reshape(-1, 2))
    places = sampled(tmp_path / "t.npy", 2000)[:, 0] / 80_000
    # Kolmogorov–Smirnov distance from the uniform law; 1.95/√2000 is exceeded with probability 0.001
    assert np.abs(np.sort(places) - np.linspace(0, 1, 2000)).max() < 1.95 / np.sqrt(2000)


def test_all_rows_of_a_short_file(tmp_path: Path) -> None:
    table = np.arange(10.0).reshape(-1, 2)
    np.save(tmp_path / "t.npy", table)
    assert np.array_equal(sampled(tmp_path / "t.npy", 100), table)


def test_a_fault_names_the_row_of_the_file(tmp_path: Path) -> None:
    table = np.ones((40_000, 2))
    table[34_567, 1] = np.inf
    np.save(tmp_path / "t.npy", table)
    with pytest.raises(DataError, match=r"t\.npy: Input contains infinity in row 34568, column 'b'"):
        sample_rows(str(tmp_path / "t.npy"), LAYOUT, 100)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 7, 10_000])
def test_the_types_are_those_of_the_whole_file(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(3, ("a", "b", "c"), (0,), (1, 2)).pinned()
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"0.5,{i},{i}\n" for i in range(300)) + "1,X,300\n")
    monkeypatch.setattr(
        "kernelspec.cli.data.open_table", lambda path, **_: readers.open_table(path, rows_per_block=rows)
    )
    sample, recorded = sample_rows(str(path), layout, 20)
    assert recorded.types == ColumnTypes(whole=(2,), text=(1,))
    assert set(sample.codes(1).tolist()) <= set(
        recorded.read(pl.DataFrame({"a": [0.0] * 301, "b": [*map(str, range(300)), "X"], "c": range(301)}))
        .codes(1)
        .tolist()
    )
