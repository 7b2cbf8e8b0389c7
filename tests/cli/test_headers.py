"""CSV files without a header, through every command that reads data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import load_npz

import kernelspec as ks
from tests.cli.conftest import Run


@pytest.fixture
def towns() -> pd.DataFrame:
    generator = np.random.default_rng(3)
    return pd.DataFrame({"x": generator.normal(size=40).round(3), "town": generator.choice(["Oslo", "Rome"], 40)})


@pytest.fixture
def bare(tmp_path: Path, towns: pd.DataFrame) -> Path:
    path = tmp_path / "bare.csv"
    towns.to_csv(path, index=False, header=False)
    return path


def features(path: Path) -> np.ndarray:
    return load_npz(path).toarray()


@pytest.mark.parametrize(
    ("first", "spec"),
    [
        ("1,2", "gaussian()"),
        ("1,Oslo", "gaussian()[0]"),
        ("a,1", "gaussian()[1]"),
        (",x", "gaussian()"),
        ("x,", "gaussian()[x]"),
        ("x,x", "gaussian()[0]"),
        ("x, ", "gaussian()[x]"),
        ("1e5,y", "gaussian()"),
        ("nan,y", "gaussian()"),
    ],
)
@pytest.mark.parametrize("command", ["features", "explain", "verify"])
def test_every_command_refuses_a_first_line_that_may_be_data(
    run: Run, tmp_path: Path, command: str, first: str, spec: str
) -> None:
    (tmp_path / "t.csv").write_text(f"{first}\n3,4\n5,6\n")
    out = ["-o", tmp_path / "z.npy"] if command == "features" else []
    result = run(command, "-e", spec, tmp_path / "t.csv", *out)
    assert result.exit_code == 2
    assert "t.csv: column" in result.output
    assert "--no-header" in result.output
    assert not (tmp_path / "z.npy").exists()


@pytest.mark.slow
def test_no_row_is_lost(run: Run, tmp_path: Path, bare: Path, towns: pd.DataFrame) -> None:
    common = ("--n-features", 16, "-q")
    for options, spec in (
        (("--no-header",), "gaussian()[0] * match()[1]"),
        (("--no-header", "--columns", "x,town"), "gaussian()[x] * match()[town]"),
    ):
        done = run("features", "-e", spec, bare, "-o", tmp_path / "z.npz", *options, *common)
        assert done.exit_code == 0, done.stderr
        headed = tmp_path / "headed.csv"
        towns.to_csv(headed, index=False)
        assert run("features", "-e", spec, headed, "-o", tmp_path / "y.npz", *common).exit_code == 0
        assert len(features(tmp_path / "z.npz")) == 40
        np.testing.assert_array_equal(features(tmp_path / "z.npz"), features(tmp_path / "y.npz"))


def test_maps_without_names(run: Run, tmp_path: Path, bare: Path, towns: pd.DataFrame) -> None:
    out, saved = tmp_path / "z.npz", tmp_path / "map.npz"
    spec = ("-e", "gaussian()[0] * match()[1]", "--n-features", 16)
    made = run("features", *spec, bare, "-o", out, "--no-header", "--plan-on", bare, "--save-map", saved)
    assert made.exit_code == 0, made.output
    assert "columns read: 2 of 2" in made.output
    layout = ks.load_map(saved).plan.layout
    assert (layout.names, layout.by_name, layout.type_at(1)) == (None, False, "text")
    again = tmp_path / "y.npz"
    assert run("features", saved, bare, "-o", again, "--no-header", "-q").exit_code == 0
    np.testing.assert_array_equal(features(again), features(out))
    np.testing.assert_array_equal(ks.load_map(saved).transform(towns).toarray(), features(out))  # by position


def test_a_map_with_names_in_order_reads_files_without(run: Run, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(30, 2)).round(3)
    np.savetxt(tmp_path / "bare.csv", rows, delimiter=",", fmt="%.3f")
    pd.DataFrame(rows, columns=["b", "a"]).to_csv(tmp_path / "headed.csv", index=False)
    np.save(tmp_path / "rows.npy", rows)
    spec = ("-e", "gaussian(scale=0.2)[a] * gaussian()[b]", "--n-features", 8, "-q")
    known, saved = tmp_path / "known.npz", tmp_path / "saved.npz"
    first, out = tmp_path / "first.npy", tmp_path / "z.npy"
    given = ("--columns", "b,a", "--save-map", known)
    assert run("features", *spec, tmp_path / "headed.csv", "-o", first, *given).exit_code == 0
    assert run("features", *spec, tmp_path / "headed.csv", "-o", first, "--save-map", saved).exit_code == 0
    for data, options in (("bare.csv", ["--no-header"]), ("rows.npy", [])):
        assert run("features", known, tmp_path / data, "-o", out, *options, "-q").exit_code == 0
        reference = ks.load_map(known).transform(pd.DataFrame(rows, columns=["b", "a"]))
        np.testing.assert_array_equal(np.load(out), reference)
        refused = run("features", saved, tmp_path / data, "-o", out, *options, "-q")
        assert refused.exit_code == 2
        assert f"{data}: the spec selects columns by name ('a', 'b'), but this table has no column names" in (
            refused.output
        )


def test_names_are_asked_for_by_their_number(run: Run, tmp_path: Path, bare: Path) -> None:
    out = ("-o", tmp_path / "z.npz")
    refused = run("features", "-e", "gaussian()[x]", bare, *out, "--no-header")
    assert refused.exit_code == 2
    assert "the spec uses columns x by name" in refused.output
    refused = run("features", "-e", "gaussian()[x]", bare, *out, "--no-header", "--columns", "x,town,z")
    assert refused.exit_code == 2
    assert "has 2 columns, but 3 names are given" in refused.output


@pytest.mark.slow
def test_explain_and_verify(run: Run, bare: Path) -> None:
    report = run("explain", "-e", "gaussian()[0] * match()[1]", bare, "--no-header", "--json")
    assert report.exit_code == 0, report.output
    assert json.loads(report.stdout)["rows"] == 40
    found = run(
        "verify", "-e", "gaussian()[0]", bare, "--no-header", "--n-features", 64, "--rows", 41, "--n-maps", 50, "--json"
    )
    assert json.loads(found.stdout)["rows_x"] == list(range(40))


def test_numbers_as_names_by_request_and_in_parquet(run: Run, tmp_path: Path) -> None:
    frame = pd.DataFrame({"city": ["a", "b", "a"], "2019": [1.0, 2, 3], "1e5": [0.5, 1, 2]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    spec = ("-e", "match()[0]*gaussian()[1:]", "--n-features", 8)
    for data, options in (("t.csv", ["--header"]), ("t.parquet", []), ("t.parquet", ["--no-header"])):
        result = run("features", *spec, tmp_path / data, "-o", tmp_path / "z.npz", *options)
        assert result.exit_code == 0, result.output
        assert "columns read: city, 2019, 1e5 (3 of 3)" in result.output
        assert len(features(tmp_path / "z.npz")) == 3
