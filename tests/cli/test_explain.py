"""Tests of `cli/check.py`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped,unused-ignore]
import pytest

import kernelspec as ks
from kernelspec.cli.feature_run import rows_to_plan_on
from kernelspec.elaboration.data_columns import layout_of
from tests.cli.conftest import Run, refused
from tests.thoroughness import sweep


def test_steps_as_text_latex_and_json(run: Run) -> None:
    text = run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps")
    assert text.exit_code == 0
    assert text.stdout.startswith("1. piece: gaussian(scale=1) in pieces of the lag\n     f_1(t)\n")
    assert "T_1(omega)\n       = Integral(" in text.stdout
    latex = run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps", "--latex").stdout
    assert latex.startswith("\\begin{align*}")
    assert latex.count("&=") == latex.count("\\\\") + 1
    data = json.loads(run("explain", "-e", "gaussian()*laplace()", "--dim", 1, "--steps", "--json").stdout)
    steps = ks.analyze("gaussian()*laplace()", dim=1).derivation
    assert [step["rule"] for step in data["derivation"]] == [step.rule for step in steps]
    assert data["derivation"][-1]["equals"][-1] == str(steps[-1].right)


def test_no_measure_no_steps(run: Run) -> None:
    assert "spectral measure" in refused(run, "explain", "-e", "linear()", "--dim", 1, "--steps")


@pytest.mark.parametrize("option", ["--plans", "--all", "--variance", "--analyze", "--method=gcws", "--dim=2"])
def test_options_of_maps_do_not_concern_a_model(run: Run, people_csv: Path, option: str) -> None:
    said = refused(run, "explain", "-e", "gaussian()[age]", people_csv, "--target", "balance", option)
    assert f"{option.partition('=')[0]} has no effect with --target" in said


CHURN = "0.7*gaussian(scale=9)[age]*match()[country] + 0.3*laplace(scale=2)[balance]"


def test_facts_without_columns_have_no_plan(run: Run) -> None:
    result = run("explain", "-e", "gaussian(scale=2)", "--all")
    assert result.exit_code == 0
    assert result.stdout == ks.analyze("gaussian(scale=2)").report() + "\n"


@pytest.mark.parametrize("option", [("--dim", 2), ("--columns", "a,b")])
def test_plan_where_columns_are_known(run: Run, option: tuple[str, object]) -> None:
    names = ["a", "b"] if option[0] == "--columns" else None
    fmap = ks.compile("gaussian(scale=2)", None if names else 2, 64, seed=7, method="phase", columns=names)
    result = run(
        "explain", "-e", "gaussian(scale=2)", *option, "--n-features", 64, "--seed", 7, "--method", "phase", "--all"
    )
    assert result.exit_code == 0
    assert result.stdout.endswith(fmap.explain() + "\n")


@pytest.mark.slow
def test_with_data_the_plan_and_the_error_are_those_of_its_rows(
    run: Run, people_csv: Path, people: pd.DataFrame
) -> None:
    result = run("explain", "-e", CHURN, people_csv, "--n-features", 64, "--all")
    spec = ks.parse(CHURN)
    sample, layout = rows_to_plan_on(layout_of(spec.kernel(spec.columns()), spec.columns()), str(people_csv))
    fmap = ks.compile(spec, n_features=64, columns=spec.columns().names, data=sample, types=layout.types)
    assert result.exit_code == 0
    assert fmap.explain() in result.stdout
    assert "random pairs of rows" in result.stdout
    shown = np.unique(np.linspace(0, 699, 512).astype(int))
    error = fmap.predicted_error(people[list(spec.columns().names or ())].iloc[shown], hashed=True)
    assert f"the kernel matrix of 512 rows of {people_csv}: {error:.3g}" in result.stdout


@pytest.mark.slow
def test_json(run: Run, numbers_npy: Path) -> None:
    report = json.loads(run("explain", "-e", "gaussian()", "--json").stdout)
    assert report["verdict"]["positive_definite"] == "proved"
    assert report["plan"] is None
    report = json.loads(run("explain", "-e", "gaussian()", numbers_npy, "--json", "--n-features", 32).stdout)
    assert report["plan"]["n_features"] == 32
    assert report["plan"]["n_columns"] == 32
    assert report["rows"] == 512
    assert 0 < report["predicted_error"] < 1


def test_latex(run: Run) -> None:
    result = run("explain", "-e", "gaussian(scale=2)", "--latex")
    assert result.stdout == ks.analyze("gaussian(scale=2)").latex() + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--latex", "--json"), "either --latex or --json, not both"),
        (("--analyze",), "--analyze requires DATA"),
        (("none.csv",), "none.csv: no such file\n"),
        (("none.csv", "more.csv"), "unexpected argument 'more.csv'"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[object, ...], message: str) -> None:
    assert message in refused(run, "explain", "-e", "gaussian()", *arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    sweep(
        [
            ("gaussian()", ("--n-features", 1, "--method", "paired"), "--n-features 1 is too small"),
            ("product(t -> cos(t)**3)", (), "no features"),
            ("layer(sign, minmax(), circle()[0])", ("--n-features", 100_000), "the activation sign need"),
        ],
        every=3,
    ),
    ids=["few features", "formula", "heavy tail"],
)
def test_the_facts_come_before_what_cannot_be_drawn(
    run: Run, text: str, arguments: tuple[object, ...], message: str
) -> None:
    result = run("explain", "-e", text, "--dim", 2, *arguments, "--all")
    assert result.exit_code == 2
    assert result.stdout == ks.analyze(text, dim=2).report() + "\n"
    assert message in result.stderr
    result = run("explain", "-e", text, "--dim", 2, *arguments, "--json")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert report["plan"] is None
    assert message.strip() in report["no_plan"]
    assert message in result.stderr


LAYERS = "let near = gaussian(scale=9)[age]\n0.7*near*match()[country] + 0.3*laplace(scale=2)[balance]"


def test_a_screen(run: Run, people_csv: Path) -> None:
    result = run("explain", "-e", LAYERS, people_csv, "--n-features", 64)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) <= 25
    assert "k(x, y) = 0.7*[x_country = y_country]*near + 0.3*exp(-Abs(Δ_balance)/2)" in lines
    assert any(line.startswith("plan: ") for line in lines)
    assert any("expected relative error of the kernel matrix" in line for line in lines)
    assert lines[-1].startswith("more: --variance")
    assert "considered" not in result.stdout


def test_variance_and_plans(run: Run) -> None:
    result = run("explain", "-e", LAYERS, "--variance", "--plans", "--n-features", 64)
    assert "near(2Δ)" in result.stdout
    assert "  with near = exp(-Δ_age²/162)" in result.stdout.splitlines()
    assert ks.compile(LAYERS, n_features=64).explain() in result.stdout
    assert "more:" not in result.stdout


@pytest.mark.slow
def test_analyze(run: Run, people_csv: Path) -> None:
    arguments = ("explain", "-e", LAYERS, people_csv, "--n-features", 64, "--analyze")
    assert "in all: predicted " in run(*arguments).stdout
    report = json.loads(run(*arguments, "--json").stdout)
    assert {"predicted", "measured", "standard_error", "worst", "nodes"} <= set(report["analysis"])


def test_free_parameters_have_no_plan(run: Run) -> None:
    result = run("explain", "-e", "param s > 0\ngaussian(scale=s)", "--dim", 2)
    assert result.exit_code == 0
    assert "k(x, y) = exp(-‖Δ‖²/(2*s²))" in result.stdout
    assert "no plan: parameter 's' has no value" in result.stdout


def test_a_saved_map_is_shown(run: Run, tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [31, 45, 27, 60], "city": ["Oslo", "Bergen", "Oslo", "Voss"], "other": [1, 2, 3, 4]})
    data, saved, out = tmp_path / "t.csv", tmp_path / "map.npz", tmp_path / "f.parquet"
    table.to_csv(data, index=False)
    text = "gaussian(scale=9)[age] + match()[city]"
    run("features", "-e", text, data, "--n-features", 16, "--storage", "dense", "-o", out, "--save-map", saved, "-q")
    names = pq.read_schema(out).names
    assert {"city=Voss", "city=Oslo", "city=Bergen", "city=<other0>"} <= set(names)
    shown = run("show", saved)
    assert shown.exit_code == 0
    assert shown.stdout == f"{ks.load_map(saved).describe()}\n"
    for part in (text, "age: number", "city: text", "Bergen", f"written by  kernelspec {ks.__version__}"):
        assert part in shown.stdout
    as_json = json.loads(run("show", saved, "--json").stdout)
    assert as_json == json.loads(json.dumps(ks.load_map(saved).describe().to_dict()))
    assert as_json["categories"][0]["columns"] == ["city"]


def test_only_maps_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.kernel").write_text("gaussian()")
    assert "not a kernelspec feature map" in refused(run, "show", tmp_path / "x.kernel")
    assert run("show", tmp_path / "nowhere.npz").exit_code == 2
