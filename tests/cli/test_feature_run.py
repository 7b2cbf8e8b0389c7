"""Tests of `cli/feature_run.py`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.cli.feature_run import FeatureRun, rows_to_plan_on
from kernelspec.cli.options import GivenColumns
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.errors import DataError, FileError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.tables.table_reader import TableReader
from tests.cli.conftest import Run
from tests.cli.test_features import CHURN, SPEC, same


@dataclass
class Ready:
    """A map that is there already."""

    fmap: FeatureMap
    text: tuple[str, ...] = ()
    columns: GivenColumns = field(default_factory=GivenColumns)

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
        (feature_run(numbers_npy, numbers_npy), f"-o {numbers_npy} would overwrite an input"),
        (feature_run(numbers_npy, link), f"-o {link} would overwrite an input"),
        (feature_run(link, numbers_npy), f"-o {numbers_npy} would overwrite an input"),
        (feature_run(numbers_npy, spec), f"-o {spec} would overwrite an input"),
        (feature_run(numbers_npy, out, save_map=spec), f"--save-map {spec} would overwrite an input"),
        (
            feature_run(numbers_npy, out, save_map=tmp_path / "." / "out.npy"),
            f"--save-map {out} would overwrite another output",
        ),
    ):
        with pytest.raises(click.UsageError) as refused:
            run.check_outputs((None, str(spec)))
        assert refused.value.message == f"{said} of this run"
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["saved.npz", "saved.map", "saved"])
def test_a_saved_map_gives_the_same_features(run: Run, tmp_path: Path, numbers_npy: Path, name: str) -> None:
    saved, first, second = tmp_path / name, tmp_path / "first.npy", tmp_path / "second.npy"
    assert run("features", "-e", SPEC, numbers_npy, "-o", first, "--seed", 8, "--save-map", saved).exit_code == 0
    assert run("features", saved, numbers_npy, "-o", second).exit_code == 0
    assert same(np.load(first), np.load(second))
    assert same(ks.load_map(saved).transform(np.load(numbers_npy)), np.load(first))


def test_a_saved_map_finds_its_columns_by_name(
    run: Run, tmp_path: Path, people: pd.DataFrame, people_csv: Path
) -> None:
    saved, out = tmp_path / "saved.npz", tmp_path / "out.npz"
    assert run("features", "-e", CHURN, people_csv, "-o", out, "--save-map", saved, "--n-features", 20).exit_code == 0
    before = out.read_bytes()
    people[["country", "balance", "age"]].to_parquet(tmp_path / "other.parquet")
    assert run("features", saved, tmp_path / "other.parquet", "-o", out).exit_code == 0
    assert out.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "shown"),
    [
        (("--seed", 0), "--seed"),
        (("--n-features", 9), "--n-features"),
        (("-p", "s=1"), "-p"),
        (("--columns", "a,b,c"), "--columns"),
        (("--plan-on", "x.npy"), "--plan-on"),
    ],
)
def test_options_that_a_saved_map_has_settled(
    run: Run, tmp_path: Path, numbers_npy: Path, option: tuple[str, object], shown: str
) -> None:
    saved, out = tmp_path / "saved.npz", tmp_path / "out.npy"
    run("features", "-e", SPEC, numbers_npy, "-o", out, "--save-map", saved)
    result = run("features", saved, numbers_npy, "-o", out, *option)
    assert result.exit_code == 2
    assert f"{shown} has no effect on {saved}, a saved map" in result.stderr


def test_a_saved_map_for_other_columns(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    saved, out, wide = tmp_path / "saved.npz", tmp_path / "out.npy", tmp_path / "wide.npy"
    run("features", "-e", SPEC, numbers_npy, "-o", out, "--save-map", saved)
    np.save(wide, np.zeros((2, 5)))
    result = run("features", saved, wide, "-o", tmp_path / "new.npy")
    assert (result.exit_code, result.stderr) == (2, f"{wide}: has 5 columns, but the kernel applies to 3\n")


def test_an_archive_that_is_no_map(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    np.savez(tmp_path / "other.npz", X=np.zeros((2, 3)))
    result = run("features", tmp_path / "other.npz", numbers_npy, "-o", tmp_path / "out.npy")
    assert result.exit_code == 2
    assert "is not a kernelspec feature map" in result.stderr


def test_data_do_not_influence_the_map(
    run: Run, tmp_path: Path, numbers: np.ndarray, numbers_npy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764201600")  # the date is in the file
    np.save(tmp_path / "other.npy", 100 * numbers[:50])
    for data in (numbers_npy, tmp_path / "other.npy"):
        out = tmp_path / f"{data.stem}_out.npy"
        assert run("features", "-e", SPEC, data, "-o", out, "--save-map", tmp_path / f"{data.stem}.map").exit_code == 0
    assert (tmp_path / "other.map").read_bytes() == (tmp_path / "numbers.map").read_bytes()


@pytest.mark.slow
def test_a_plan_for_the_rows_of_a_file(run: Run, tmp_path: Path, numbers: np.ndarray, numbers_npy: Path) -> None:
    train, out = tmp_path / "train.npy", tmp_path / "out.npy"
    np.save(train, 0.1 * np.vstack([numbers] * 4))
    assert run("features", "-e", SPEC, numbers_npy, "-o", out, "--plan-on", train, "--n-features", 64).exit_code == 0
    spec = ks.parse(SPEC)
    sample, _ = rows_to_plan_on(layout_of(spec.kernel(spec.columns(3)), spec.columns(3)), str(train))
    assert len(sample) == len(np.load(train)) > 2048
    assert same(np.load(out), ks.compile(spec, dim=3, n_features=64, data=sample).transform(numbers))


@pytest.mark.slow
def test_of_many_columns_fewer_rows_are_planned_on(tmp_path: Path) -> None:
    spec, file = ks.parse("gaussian()"), tmp_path / "wide.npy"
    for columns, expected in ((1000, 4194), (2048, 2048), (3000, 2048)):
        np.save(file, np.zeros((5000, columns), dtype=np.float32))
        layout = layout_of(spec.kernel(spec.columns(columns)), spec.columns(columns))
        assert len(rows_to_plan_on(layout, str(file), quiet=True)[0]) == expected


def test_a_saved_map_is_drawn_again(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    saved, out = tmp_path / "saved.npz", tmp_path / "out.npy"
    assert run("features", "-e", SPEC, numbers_npy, "-o", out, "--save-map", saved).exit_code == 0
    assert run("features", saved, numbers_npy, "-o", out, "--redraw").exit_code == 0
    fmap = ks.load_map(saved)
    replace(fmap, plan=replace(fmap.plan, seed=fmap.plan.seed + 1)).save(saved)
    assert run("features", saved, numbers_npy, "-o", out).exit_code == 0
    refused = run("features", saved, numbers_npy, "-o", out, "--redraw")
    assert refused.exit_code == 2
    assert "is not the map that its spec and seed give" in refused.stderr
    usage = run("features", "-e", SPEC, numbers_npy, "-o", out, "--redraw")
    assert usage.exit_code == 2
    assert "--redraw requires a MAP" in usage.stderr
