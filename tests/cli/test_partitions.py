"""Which files a table in parts is, and where the features of each go."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from kernelspec.cli.data import feature_files, partition_files
from kernelspec.errors import FileError


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("part-1.csv", "part-0.csv", "part-2.csv.gz", "a[1].npy"):
        Path(name).touch()
    return tmp_path.resolve()


def test_names_and_patterns(parts: Path) -> None:
    assert partition_files(["part-*.csv"]) == (str(parts / "part-0.csv"), str(parts / "part-1.csv"))
    assert partition_files(["a[1].npy", "part-*.gz"]) == (str(parts / "a[1].npy"), str(parts / "part-2.csv.gz"))


def test_files_that_are_not_there_or_named_twice(parts: Path) -> None:
    with pytest.raises(FileError, match=r"^day-\*\.csv: no such file, and no file fits it as a pattern$"):
        partition_files(["day-*.csv"])
    with pytest.raises(click.UsageError, match="is named twice"):
        partition_files(["part-*.csv", "./part-1.csv"])


@pytest.mark.parametrize(
    ("name", "kinds", "expected"),
    [
        ("x.parquet", (False, False), "x.parquet"),
        ("x.npy", (False, False), "x.npy"),
        ("x.NPZ", (False, False), "x.npz"),
        ("x.y.csv.gz", (False, False), "x.y.parquet"),
        ("x.libsvm", (False, False), "x.parquet"),
        ("x.parquet", (True, False), "x.npz"),
        ("x.parquet", (False, True), "x.npy"),
        ("x.npz", (False, True), "x.npz"),
    ],
)
def test_names_of_features(parts: Path, name: str, kinds: tuple[bool, bool], expected: str) -> None:
    sparse, is_complex = kinds
    found = feature_files([str(parts / name)], "out", sparse=sparse, is_complex=is_complex)
    assert found == (str(parts / "out" / expected),)
    assert Path("out").is_dir()


def test_places_that_cannot_be_written_to(parts: Path) -> None:
    part = str(parts / "a[1].npy")
    for folder, said in (("part-1.csv", "is a file"), ("none/out", "'.*none' does not exist")):
        with pytest.raises(FileError, match=said):
            feature_files([part], folder, sparse=False, is_complex=False)
    with pytest.raises(click.UsageError, match="would both be"):
        feature_files(["/x/t.csv", "/y/t.tsv"], "out", sparse=False, is_complex=False)
    assert not Path("out").exists()
