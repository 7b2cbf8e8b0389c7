"""Tests of `cli/feature_run.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.cli.feature_run import rows_to_plan_on
from kernelspec.elaboration.data_columns import layout_of
from tests.cli.conftest import Run
from tests.cli.test_features import CHURN, SPEC, same


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
