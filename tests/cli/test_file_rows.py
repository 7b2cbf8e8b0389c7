"""All rows of data files, as often as they are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.cli.data import FileRows
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.errors import DataError, FileError
from kernelspec.tables.layout import Layout

X = np.column_stack([np.random.default_rng(0).standard_normal(30), np.arange(30) % 4])


def layout(dim: int) -> Layout:
    spec = ks.parse("gaussian()[0] * match()[1]")
    return layout_of(spec.kernel(spec.columns(dim)), spec.columns(dim))


def test_they_are_read_anew_each_time(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", X)
    rows = FileRows((str(tmp_path / "t.npy"),), layout(2))
    for _ in range(2):
        assert np.array_equal(np.concatenate([block.dense() for block in rows]), X)


def test_one_file_after_the_other(tmp_path: Path) -> None:
    parts = [tmp_path / "a.npy", tmp_path / "b.npy"]
    for part, rows in zip(parts, (X[:11], X[11:]), strict=True):
        np.save(part, rows)
    found = FileRows(tuple(map(str, parts)), layout(2))
    assert np.array_equal(np.concatenate([block.dense() for block in found]), X)


def test_what_does_not_fit(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", X)
    with pytest.raises(DataError, match="has 2 columns, and the kernel is applied to 3"):
        list(FileRows((str(tmp_path / "t.npy"),), layout(3)))
    with pytest.raises(FileError):
        list(FileRows((str(tmp_path / "none.npy"),), layout(2)))
