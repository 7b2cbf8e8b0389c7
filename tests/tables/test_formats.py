"""Tests of `tables/formats.py`."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelspec.errors import FileError, KernelspecError
from kernelspec.tables.formats import create_features, open_table

SUFFIXES = [".csv", ".tsv", ".csv.gz", ".parquet", ".npy", ".npz", ".libsvm", ".svm", ".svmlight", ".svm.gz"]


@pytest.mark.parametrize("name", ["data.xlsx", "data", "data.npy.gz", "data.gz", "data.txt"])
def test_unknown_suffix_lists_what_is_accepted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"1 1:2\n")
    with pytest.raises(FileError, match=r"suffix.*supported are \.csv.*\.jsonl, .*\.parquet, .*\.libsvm"):
        open_table(tmp_path / name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    made: list[tuple[Callable[[], object], str]] = [
        (path.exists, "no such file"),
        (path.mkdir, "is a folder"),
        (path.touch, r"is empty \(0 bytes\)"),
        (lambda: os.mkfifo(path), "is a pipe or device; only regular files can be read"),
        (lambda: path.symlink_to(tmp_path / "gone"), "no such file"),
    ]
    for make, said in made:
        make()
        with pytest.raises(FileError, match=said):
            open_table(path)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"\xef\xbb\xbf \n<html lang=en>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\xff\xfea\0,\0b\0", "UTF-16"),
        (b"\x80\x04\x95", "pickle"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x93NUMPY\x01", "NPY"),
        (b"PK\x03\x04", "zip archive"),
        (b"\x1f\x8b\x08", "gzip data"),
    ],
)
def test_another_kind_of_file(tmp_path: Path, suffix: str, start: bytes, what: str) -> None:
    own = {".parquet": "Parquet", ".npy": "NPY", ".npz": "zip archive", ".gz": "gzip data"}
    if own.get(Path(suffix).suffix or suffix) == what or (suffix.endswith(".gz") and what == "gzip data"):
        return
    (tmp_path / f"a{suffix}").write_bytes(start + b" " * 600)
    with pytest.raises(FileError, match=f"contains .*{what}.*, but its name says"):
        open_table(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".npz", ".csv.gz", ".svm.gz"])
def test_noise(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(bytes(range(1, 200)))
    with pytest.raises(FileError, match="it begins with"):
        open_table(tmp_path / f"a{suffix}")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_foreign_exception_escapes_from_damaged_files(tmp_path: Path, suffix: str) -> None:
    """Every start of a file, and every file with a byte flipped, is read or refused; nothing else happens."""
    good = _sample(tmp_path, suffix)
    rng = np.random.default_rng(3)
    damaged = [good[:n] for n in range(0, len(good), max(1, len(good) // 60))]
    for position in rng.integers(0, len(good), 150):
        damaged.append(good[:position] + bytes([good[position] ^ int(rng.integers(1, 256))]) + good[position + 1 :])
    path = tmp_path / f"damaged{suffix}"
    for content in damaged:
        path.write_bytes(content)
        said = None
        try:
            with open_table(path, rows_per_block=7) as table:
                for _ in table.blocks():
                    pass
        except KernelspecError as error:
            said = str(error)
        assert said is None or str(path) in said


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_capital_suffix(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"A{suffix.upper()}").write_bytes(_sample(tmp_path, suffix))
    with open_table(tmp_path / f"A{suffix.upper()}") as table:
        assert sum(block.shape[0] for block in table.blocks()) == 20


def test_impossible_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="rows_per_block must be at least 1"):
        open_table(tmp_path / "a.csv", rows_per_block=0)
    with pytest.raises(ValueError, match="columns must be at least 1"):
        open_table(tmp_path / "a.svm", columns=0)


def _sample(folder: Path, suffix: str) -> bytes:
    """A small good file of that format."""
    X = np.random.default_rng(0).integers(1, 9, size=(20, 3)).astype(float)
    path = folder / f"good{suffix.removesuffix('.gz')}"
    match path.suffix:
        case ".csv" | ".tsv":
            mark = "," if path.suffix == ".csv" else "\t"
            path.write_text("\n".join([mark.join("abc"), *(mark.join(map(str, row)) for row in X)]) + "\n")
        case ".parquet":
            import pandas as pd

            pd.DataFrame(X, columns=list("abc")).to_parquet(path)
        case ".npy":
            np.save(path, X)
        case ".npz":
            np.savez_compressed(path, X=X)
        case _:
            path.write_text("".join(f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in X))
    return gzip.compress(path.read_bytes()) if suffix.endswith(".gz") else path.read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "error", "said"),
    [
        ("out.csv", {}, FileError, r"suffix.*; features are written to \.npy, \.npz, \.parquet"),
        ("out", {}, FileError, r"no suffix; features are written to"),
        ("out.npz.gz", {}, FileError, r"suffix '\.gz'; features are written to"),
        (
            "out.npy",
            {"sparse": True},
            FileError,
            r"a \.npy file cannot hold sparse features; name a \.npz file instead",
        ),
        ("out.parquet", {"sparse": True}, FileError, r"a \.parquet file cannot hold sparse features"),
        ("out.parquet", {"dtype": "c16"}, FileError, r"Parquet has no complex numbers; name a \.npy or \.npz file"),
        ("folder.npy", {}, FileError, "is a folder"),
        ("out.npy", {"names": []}, ValueError, "need distinct names"),
        ("out.npy", {"names": ["a", "b", "a"]}, ValueError, "need distinct names"),
        ("out.npy", {"dtype": object}, ValueError, "features must be numbers, not object"),
    ],
)
def test_features_that_cannot_be_written(
    tmp_path: Path, name: str, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(error, match=said):
        create_features(tmp_path / name, **{"names": ["a"], "dtype": "f8", "sparse": False, **options})
