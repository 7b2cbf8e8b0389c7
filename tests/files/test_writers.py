"""Which writer a name gets, and what cannot be written where."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelspec.errors import FileError
from kernelspec.tables.formats import create_features


@pytest.mark.parametrize("name", ["out.csv", "out", "out.npz.gz"])
def test_unknown_suffix(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"suffix.*; features are written to \.npy, \.npz, \.parquet"):
        create_features(tmp_path / name, names=["a"], dtype="f8", sparse=False)


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_sparse_needs_npz(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(FileError, match=rf"a \{suffix} file cannot hold sparse features; name a \.npz file instead"):
        create_features(tmp_path / f"out{suffix}", names=["a"], dtype="f8", sparse=True)


def test_complex_parquet(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"Parquet has no complex numbers; name a \.npy or \.npz file"):
        create_features(tmp_path / "out.parquet", names=["a"], dtype="c16", sparse=False)


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out.npy").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        create_features(tmp_path / "out.npy", names=["a"], dtype="f8", sparse=False)


@pytest.mark.parametrize("names", [[], ["a", "b", "a"]])
def test_names(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(ValueError, match="need names, each its own"):
        create_features(tmp_path / "out.npy", names=names, dtype="f8", sparse=False)


def test_dtype(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="features are numbers, not object"):
        create_features(tmp_path / "out.npy", names=["a"], dtype=object, sparse=False)
