"""Random rows of a file: the same for every format and block size, and every row equally likely."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from kernelspec.cli.sampling import sample_rows
from kernelspec.errors import DataError
from kernelspec.files import readers
from kernelspec.tables.layout import Layout

LAYOUT = Layout(2, ("a", "b"), (0, 1), ())


def test_every_format_gives_the_same_rows(tmp_path: Path) -> None:
    table = np.arange(1, 2001, dtype=float).reshape(-1, 2)
    np.save(tmp_path / "t.npy", table)
    pd.DataFrame(table, columns=["a", "b"]).to_csv(tmp_path / "t.csv", index=False)
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_array(table))
    expected = sample_rows(str(tmp_path / "t.npy"), LAYOUT, 100)
    assert isinstance(expected, np.ndarray)
    assert expected.shape == (100, 2)
    assert (np.diff(expected[:, 0]) > 0).all()
    named, stored = (sample_rows(str(tmp_path / name), LAYOUT, 100) for name in ("t.csv", "t.npz"))
    assert isinstance(named, pa.Table)
    assert np.array_equal(named.to_pandas().to_numpy(), expected)
    assert np.array_equal(stored.toarray(), expected)


def test_the_size_of_the_blocks_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.npy"
    np.save(path, np.arange(2000.0).reshape(-1, 2))
    expected = sample_rows(str(path), LAYOUT, 100)
    for rows in (1, 64, 333):
        monkeypatch.setattr(
            "kernelspec.cli.sampling.open_table",
            lambda path, columns, rows=rows: readers.open_table(path, rows_per_block=rows),
        )
        assert np.array_equal(sample_rows(str(path), LAYOUT, 100), expected)


def test_the_rows_come_from_all_over_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.arange(80_000.0).reshape(-1, 2))
    places = np.asarray(sample_rows(str(tmp_path / "t.npy"), LAYOUT, 2000))[:, 0] / 80_000
    # Kolmogorov–Smirnov distance from the uniform law; 1.95/√2000 is exceeded with probability 0.001
    assert np.abs(np.sort(places) - np.linspace(0, 1, 2000)).max() < 1.95 / np.sqrt(2000)


def test_all_rows_of_a_short_file(tmp_path: Path) -> None:
    table = np.arange(10.0).reshape(-1, 2)
    np.save(tmp_path / "t.npy", table)
    assert np.array_equal(sample_rows(str(tmp_path / "t.npy"), LAYOUT, 100), table)


def test_a_fault_names_the_row_of_the_file(tmp_path: Path) -> None:
    table = np.ones((40_000, 2))
    table[34_567, 1] = np.inf
    np.save(tmp_path / "t.npy", table)
    with pytest.raises(DataError, match=r"t\.npy: Input contains infinity in row 34568, column 'b'"):
        sample_rows(str(tmp_path / "t.npy"), LAYOUT, 100)
