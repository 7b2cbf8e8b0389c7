"""One run: what it refuses to write to, and what it writes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.cli.feature_run import FeatureRun
from kernelspec.errors import DataError, FileError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.tables.table_reader import TableReader


@dataclass
class Ready:
    """A map that is there already."""

    fmap: FeatureMap
    dim: int | None = None
    text: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    header: bool | None = None

    def map_for(self, reader: TableReader) -> FeatureMap:
        assert reader.n_columns == 3
        return self.fmap


def feature_run(
    data: Path,
    output: Path,
    *,
    dtype: str | None = None,
    rows: int | None = None,
    save_map: Path | None = None,
) -> FeatureRun:
    return FeatureRun(str(data), str(output), dtype, rows, None if save_map is None else str(save_map), quiet=True)


def test_nothing_is_replaced_by_accident(tmp_path: Path, numbers_npy: Path) -> None:
    spec, link, out = tmp_path / "spec.npz", tmp_path / "link.npy", tmp_path / "out.npy"
    spec.write_text("gaussian()")
    link.symlink_to(numbers_npy)
    for run, said in (
        (feature_run(numbers_npy, numbers_npy), f"-o {numbers_npy} is an input"),
        (feature_run(numbers_npy, link), f"-o {link} is an input"),
        (feature_run(link, numbers_npy), f"-o {numbers_npy} is an input"),
        (feature_run(numbers_npy, spec), f"-o {spec} is an input"),
        (feature_run(numbers_npy, out, save_map=spec), f"--save-map {spec} is an input"),
        (feature_run(numbers_npy, out, save_map=tmp_path / "." / "out.npy"), f"--save-map {out} is another output"),
    ):
        with pytest.raises(click.UsageError) as refused:
            run.check_outputs((None, str(spec)))
        assert refused.value.message == f"{said} of this run, and would be replaced"
    feature_run(numbers_npy, out, save_map=tmp_path / "map.npz").check_outputs((str(spec),))
    assert sorted(os.listdir(tmp_path)) == ["link.npy", "numbers.npy", "spec.npz"]


def test_places_where_nothing_can_be_written(tmp_path: Path, numbers_npy: Path) -> None:
    for output, save_map, said in (
        (tmp_path / "out.docx", None, "out.docx"),
        (tmp_path / "none" / "out.npy", None, "does not exist"),
        (tmp_path / "out.npy", tmp_path, "is a folder"),
        (tmp_path / "out.npy", tmp_path / "none" / "map", "does not exist"),
    ):
        with pytest.raises(FileError, match=said):
            feature_run(numbers_npy, output, save_map=save_map).check_outputs(())


@pytest.mark.parametrize("rows", [None, 1, 300])
def test_the_features_of_the_file_and_the_map(
    tmp_path: Path, numbers: np.ndarray, numbers_npy: Path, rows: int | None
) -> None:
    fmap, out, saved = ks.compile("gaussian()", dim=3, n_features=16, seed=2), tmp_path / "o.npy", tmp_path / "m.npz"
    said = feature_run(numbers_npy, out, rows=rows, save_map=saved).run(Ready(fmap))
    assert said.startswith("columns read: 3 of 3\n700 rows × 16 columns in ")
    assert said.endswith(f" rows/s): {out}")
    expected = fmap.transform(numbers)
    np.testing.assert_allclose(np.load(out), expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(ks.load_map(saved).transform(numbers), expected)


@pytest.mark.parametrize(
    ("read", "method", "asked", "stored"),
    [
        ("f4", "paired", None, "f4"),
        ("f4", "paired", "float64", "f8"),
        ("f8", "paired", "float32", "f4"),
        ("i8", "paired", None, "f8"),
        ("f4", "complex", None, "c8"),
        ("f8", "complex", "float32", "c8"),
        ("f4", "complex", "float64", "c16"),
    ],
)
def test_the_type_of_the_file(tmp_path: Path, read: str, method: str, asked: str | None, stored: str) -> None:
    data, out = tmp_path / "data.npy", tmp_path / "out.npy"
    table = np.arange(12).reshape(4, 3).astype(read)
    np.save(data, table)
    fmap = ks.compile("gaussian(scale=9)", dim=3, n_features=8, method=method)  # type: ignore[arg-type]
    feature_run(data, out, dtype=asked).run(Ready(fmap))
    found = np.load(out)
    assert found.dtype == stored
    np.testing.assert_allclose(found, fmap.transform(table.astype(float)), rtol=0, atol=1e-5)


def test_bad_data_leave_nothing(tmp_path: Path, numbers: np.ndarray) -> None:
    data = tmp_path / "data.npy"
    numbers[650, 1] = np.nan
    np.save(data, numbers)
    run = feature_run(data, tmp_path / "out.npy", rows=100, save_map=tmp_path / "map.npz")
    with pytest.raises(DataError, match="row 651, column 1"):
        run.run(Ready(ks.compile("gaussian()", dim=3, n_features=8)))
    assert os.listdir(tmp_path) == ["data.npy"]
