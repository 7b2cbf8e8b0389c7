"""Tests of `cli/data.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import kernelspec as ks
from kernelspec.cli.cluster import feature_files, partition_files
from kernelspec.cli.data import (
    checked_blocks,
    columns_of,
    columns_shown,
    feature_blocks,
    row_fault,
    sample_rows,
)
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.errors import DataError, FileError
from kernelspec.tables import formats as readers
from kernelspec.tables.column_types import ColumnTypes
from kernelspec.tables.formats import open_table
from kernelspec.tables.layout import Layout


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
    with pytest.raises(FileError, match=r"^day-\*\.csv: no such file, and no file matches it as a pattern$"):
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


PATH = Path("t.csv")


def fault(layout: Layout, block: Any, n_before: int = 0) -> str:
    with pytest.raises(DataError) as refused:
        layout.read(block)
    found = row_fault(layout.read, block, n_before, PATH, refused.value)
    assert isinstance(found, DataError)
    return str(found)


def test_the_first_of_several() -> None:
    table = np.ones((50, 2))
    table[[7, 30], 1], table[20, 0] = np.inf, np.nan
    # the columns are looked at one after the other: as it is, the error would be that of row 20
    assert "contains infinity in row 8, column 1" in fault(Layout(2, None, (0, 1), ()), table)


@pytest.mark.parametrize("name", ["row 0", "in row 0", "row 03"])
def test_columns_may_have_strange_names(name: str) -> None:
    layout = Layout(1, (name,), (0,), ())
    numbers = pa.table({name: [1.0, 2.0, float("inf"), 4.0]})
    assert fault(layout, numbers).startswith(f"t.csv: Input contains infinity in row 3, column '{name}': ")


def test_text_among_numbers_and_missing_categories() -> None:
    text = pa.table({"row 0": ["1", "row 0", "x"]})
    said = fault(Layout(1, ("row 0",), (0,), ()), text, n_before=5)
    assert said.startswith("t.csv: column 'row 0' holds '1' in row 6: ")
    gaps = pa.table({"row 0": ["a", "b", None]})
    said = fault(Layout(1, ("row 0",), (), (0,)), gaps, n_before=5)
    assert said.startswith("t.csv: Input contains NaN: column 'row 0' has no category in row 8 (NaN or empty)")


@pytest.mark.parametrize("n", [1, 2, 9])
def test_what_is_no_single_rows_fault_stays(n: int) -> None:
    said = fault(Layout(3, None, (0, 1, 2), ()), np.ones((n, 2)), n_before=40)
    assert said == "t.csv: X has 2 features, but the spec is compiled for 3 columns"


def test_an_error_that_no_row_repeats_stays() -> None:
    found = row_fault(Layout(1, None, (0,), ()).read, np.ones((8, 1)), 0, PATH, DataError("of the block as a whole"))
    assert str(found) == "t.csv: of the block as a whole"


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


def test_blocks_come_with_their_rows_and_only_columns_in_use(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": range(10), "unused": ["x"] * 10, "b": np.arange(10) / 4})
    frame.to_csv(path, index=False)
    with open_table(path, rows_per_block=4) as reader:
        found = list(checked_blocks(Layout(3, ("a", "unused", "b"), (0, 2), ()), reader))
    assert len(found) > 1
    assert {tuple(block.column_names) for block, _ in found} == {("a", "b")}  # type: ignore[union-attr]
    read = np.concatenate([rows.dense()[:, [0, 2]] for _, rows in found])
    np.testing.assert_array_equal(read, frame[["a", "b"]])


@pytest.mark.parametrize("text", ["gaussian()[a, c]", "match()[b] * gaussian()[c]", "linear()[a] + laplace()[c]"])
def test_blocks_of_a_table_read_into_the_same_memory(tmp_path: Path, text: str) -> None:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.random(50), "b": list("xyzxy") * 10, "c": generator.random(50)})
    frame.to_parquet(tmp_path / "t.parquet")
    fmap, found = ks.compile(text, data=frame, n_features=6), []
    with open_table(tmp_path / "t.parquet", rows_per_block=20) as reader:
        for block, _ in feature_blocks(fmap, reader, rows=7, double=False, advance=lambda n: None):
            found.append(block.toarray() if fmap.is_sparse else block.copy())
    assert len(found) > 7
    expected = fmap.transform(frame)
    np.testing.assert_array_equal(np.concatenate(found), expected.toarray() if fmap.is_sparse else expected)


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "named.csv"
    pd.DataFrame(np.ones((2, 3)), columns=["a", "b", "c"]).to_csv(path, index=False)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.npy"
    np.save(path, np.ones((2, 3)))
    return path


def columns(text: str, path: Path, dim: int | None = None, names: Sequence[str] | None = None) -> object:
    with open_table(path) as reader:
        found = columns_of(ks.parse(text), reader, dim, names)
    return found.names or found.count


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("gaussian()", None, ("a", "b", "c")),  # applied to all
        ("gaussian()[c] * match()[a]", None, ("c", "a")),  # only to what it names
        ("gaussian()[c] + laplace()", None, ("a", "b", "c")),  # a part applies to all
        ("gaussian()[c]", ("b", "c"), ("b", "c")),  # as asked for
        ("gaussian()", ("c",), ("c",)),
    ],
)
def test_columns_of_a_file_with_names(
    named: Path, text: str, names: Sequence[str] | None, found: tuple[str, ...]
) -> None:
    assert columns(text, named, names=names) == found


def test_many_columns_in_words(tmp_path: Path, plain: Path) -> None:
    wide = tmp_path / "wide.csv"
    pd.DataFrame(np.ones((2, 1500)), columns=[f"c{i}" for i in range(1500)]).to_csv(wide, index=False)
    with open_table(wide) as reader:
        table = columns_of(ks.parse("gaussian()"), reader, None, None)
        shown = columns_shown(layout_of(ks.parse("gaussian()").kernel(table), table), reader)
    assert shown == "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 1,488 more (1,500 of 1,500)"
    with open_table(plain) as reader:
        assert columns_shown(Layout(3, None, (0,), (2,)), reader) == "2 of 3"
