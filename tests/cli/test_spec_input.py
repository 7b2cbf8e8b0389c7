"""Tests of `cli/spec_input.py`."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

import kernelspec as ks
from kernelspec.cli.catalogue import Choices, every_choice, given_choices
from tests.cli.conftest import ENVIRONMENT, Run, refused

DEAD = "param w = 0.001\ngaussian(w)[age, balance]"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["features", "explain"])
def test_a_dead_kernel_is_said_on_standard_error(run: Run, people_csv: Path, tmp_path: Path, command: str) -> None:
    output = ("-o", tmp_path / "out.npy") if command == "features" else ()
    result = run(command, "-e", DEAD, people_csv, "--n-features", 16, *output)
    assert result.exit_code == 0
    assert "k between rows: 5 % 0.00, median 0.00, 95 % 0.00: all pairs are nearly uncorrelated" in result.stderr
    assert "; try -p w=" in result.stderr
    tried = result.stderr.partition("-p w=")[2].split()[0]
    result = run(command, "-e", DEAD, people_csv, "--n-features", 16, "-p", f"w={tried}", *output)
    assert "uncorrelated" not in result.stderr


@pytest.mark.slow
def test_median_of_the_data(run: Run, people_csv: Path, tmp_path: Path) -> None:
    out, saved = tmp_path / "out.npy", tmp_path / "map.npz"
    options = ("-p", "w=median", "--n-features", 16)
    result = run("features", "-e", DEAD, people_csv, "-o", out, *options, "--save-map", saved)
    assert result.exit_code == 0
    value = ks.parse(ks.load_map(saved).plan.text).params["w"]
    assert f"fitted to {people_csv}: param w = {value:g}" in result.stderr
    report = json.loads(run("explain", "-e", DEAD, people_csv, *options, "--json").stdout)
    assert report["dead_kernel"] is None
    assert f"param w = {value:g}" in report["plan"]["spec"]
    assert np.load(out).shape == (700, 16)


@pytest.mark.long
def test_a_median_keeps_the_range_of_its_parameter(run: Run, people_csv: Path, tmp_path: Path) -> None:
    text, model = "param w in [{}]\ngaussian(scale=w)[age]", tmp_path / "m.npz"
    for command in (("explain",), ("fit", "--target", "balance", "-o", model)):
        result = run(*command, "-e", text.format("1, 1e9"), people_csv, "-p", "w=median")
        assert result.exit_code == 0, result.stderr
        assert "in [1, 1000000000]" in result.stdout + result.stderr
        said = refused(run, *command, "-e", text.format("1, 2"), people_csv, "-p", "w=median")
        assert "parameter 'w' must be <= 2, not " in said


def test_median_without_data_or_for_no_scale(run: Run, people_csv: Path) -> None:
    assert "needs data for a median distance" in refused(run, "explain", "-e", DEAD, "-p", "w=median")
    said = refused(run, "explain", "-e", "param w\nw*gaussian()[age]", "-p", "w=median", people_csv)
    assert "only works for a scale" in said


def test_an_error_in_a_file_names_file_and_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "churn.kernel"
    path.write_text("gaussian(sclae=2)\n", encoding="utf-8")
    result = run("check", path)
    assert result.exit_code == 2
    assert result.stdout == ""
    first, line, caret = result.stderr.splitlines()
    assert first == f"{path}:1:10: error: gaussian() has no argument 'sclae'; did you mean 'scale'?"
    assert line.strip() == "gaussian(sclae=2)"
    assert caret.strip() == "^^^^^"


@pytest.mark.parametrize(("source", "name"), [(("-e", "gaus()"), "<expression>"), (("-",), "<stdin>")])
def test_an_error_in_other_text_names_where_it_came_from(run: Run, source: tuple[str, ...], name: str) -> None:
    said = refused(run, "check", *source, text="gaus()")
    assert said.startswith(f"{name}:1:1: error: unknown kernel 'gaus'; did you mean 'gaussian'?")


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    said = refused(run, "check", tmp_path / "none.kernel")
    assert said == f"{tmp_path / 'none.kernel'} cannot be read: No such file or directory\n"


def test_text_in_place_of_a_file(run: Run) -> None:
    said = refused(run, "check", "gaussian()")
    assert said == "gaussian(): no such file; if this is the text of a spec, put -e before it\n"
    said = refused(run, "check", "gaussian")
    assert said == "gaussian: no such file; to use the kernel of this name, write -e 'gaussian()'\n"


def test_standard_input_that_is_no_text(run: Run) -> None:
    result = run("check", "-", text=b"gaussian()\xff")
    assert (result.exit_code, result.stderr) == (2, "standard input is not UTF-8 text: byte 10 cannot be read\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "SPEC is missing"),
        (("a", "b"), "unexpected argument 'b'"),
        (("-e", "gaussian()", "a.kernel"), "unexpected argument 'a.kernel' (with -e, SPEC is not a file)"),
        (("-e", "gaussian()", "-p", "s"), "-p requires NAME=VALUE, such as -p scale=2, not 's'"),
        (("-e", "gaussian()", "-p", "s="), "-p requires NAME=VALUE"),
        (("-e", "gaussian()", "-p", "s=two"), "-p s: 'two' is not a number: use 2, 0.5, 1e-3 or 3/2;"),
        (("-e", "gaussian()", "-p", "s=1/0"), "'1/0' is not a number"),
        (("-e", "gaussian()", "-p", "s=inf"), "'inf' is not a number"),
        (("-e", "gaussian()", "-p", "s=1/2/3"), "'1/2/3' is not a number"),
        (("-e", "gaussian()", "-p", "s=1e999999999"), "is not a number"),
        (("-e", "gaussian()", "-p", "s=1", "-p", "s=2"), "-p sets 's' twice"),
        (("-e", "gaussian()", "--dim", "0"), "0 is not in the range"),
        (("-e", "gaussian()", "--columns", "a,,b"), "--columns requires names separated by commas"),
        (("-e", "gaussian()", "--columns", "a,b,a"), "--columns names 'a' twice"),
        (("-e", "gaussian()", "--dmi", "3"), "unknown option '--dmi'; did you mean '--dim'?"),
        (("rows.csv",), "rows.csv is a table, but SPEC must be a text file"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Usage: kernelspec check" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["explain", "features", "verify", "gram", "fit", "tune", "report"])
@pytest.mark.parametrize("data", ["rows.csv", "rows.CSV.gz", "rows.parquet", "rows.npy", "rows.jsonl", "rows.arrow"])
def test_spec_and_data_exchanged(run: Run, command: str, data: str) -> None:
    output = {"features": "out.npy", "gram": "out.npy", "fit": "out.npz", "report": "out.html"}.get(command)
    target = ("--target", "y") if command in ("fit", "tune") else ()
    said = refused(run, command, data, "churn.kernel", *target, *(() if output is None else ("-o", output)))
    assert f"SPEC comes before DATA: use churn.kernel {data}\n" in said


@pytest.mark.parametrize("command", ["check", "explain", "fmt", "plot"])
def test_a_table_in_the_place_of_a_spec(run: Run, command: str) -> None:
    said = refused(run, command, "rows.csv", *(("-o", "out.png") if command == "plot" else ()))
    assert "rows.csv is a table, but SPEC must be a text file: name one, or use -e TEXT\n" in said


@pytest.mark.filterwarnings("default")
def test_a_let_with_the_name_of_a_kernel_is_warned_of(run: Run) -> None:
    result = run("check", "-e", "let gaussian = laplace()\ngaussian")
    assert result.exit_code == 0
    assert result.stderr.startswith("HiddenNameWarning: <expression>:1:1: 'let gaussian' has the name of a kernel")


def test_a_parameter_that_is_not_there(run: Run) -> None:
    result = run("check", "-e", "param scale = 2\ngaussian(scale=scale)", "-p", "scal=1")
    assert (result.exit_code, result.stderr) == (2, "the spec has no parameter 'scal'; did you mean 'scale'?\n")


def test_a_value_out_of_range(run: Run) -> None:
    said = refused(run, "check", "-e", "param s > 0\ngaussian(scale=s)", "-p", "s=-1")
    assert "parameter 's' must be > 0, not -1" in said


def test_column_names_with_commas_stand_in_quotes(run: Run) -> None:
    result = run("check", "-e", 'gaussian()["a,b"]', "--columns", '"a,b", c')
    assert result.exit_code == 0


def test_columns_and_dim_disagree(run: Run) -> None:
    result = run("check", "-e", "gaussian()", "--columns", "a,b", "--dim", 3)
    assert (result.exit_code, result.stderr) == (2, "dim is 3, but there are 2 column names\n")


OPTION = click.Option(["-p"], multiple=True)
CONTEXT = click.Context(click.Command("plot"))
MATERN = ks.parse("param nu = 3/2\nparam s = 1\nmatern(nu=nu, scale=s)")


def choices(*given: str) -> Choices:
    return given_choices(CONTEXT, OPTION, given)


def test_every_combination_is_named_by_what_differs() -> None:
    specs, labels = every_choice([MATERN], ["m"], choices("nu=0.5,2.5", "s=2"))
    assert [spec.params for spec in specs] == [{"nu": 0.5, "s": 2}, {"nu": 2.5, "s": 2}]
    assert labels == ["m, nu = 0.5", "m, nu = 2.5"]
    assert every_choice([MATERN], [""], choices("s=1,2"))[1] == ["s = 1", "s = 2"]
    assert len(every_choice([MATERN], ["m"], choices("nu=0.5,2.5", "s=1,2,3"))[0]) == 6


def test_a_spec_takes_the_parameters_that_it_has() -> None:
    plain = ks.parse("gaussian()")
    specs, labels = every_choice([plain, MATERN], [None, "m"], choices("s=1,2"))
    assert specs[0] is plain
    assert len(specs) == 3
    assert labels == ["gaussian()", "m, s = 1", "m, s = 2"]
    with pytest.raises(ks.KernelspecError, match="no parameter 'width'"):
        every_choice([plain, MATERN], ["g", "m"], choices("width=1"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "-"), "standard input has more than 4,000,000 bytes, but a spec has at most 1,000,000 characters"),
        (("show", "/dev/zero"), "/dev/zero is not a kernelspec feature map, or it is damaged: it is not a zip archive"),
    ],
)
def test_an_endless_file_is_refused_in_bounded_memory(words: tuple[str, ...], said: str) -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9, 4 * 10**9))

    command = [sys.executable, "-m", "kernelspec", *words]
    with open("/dev/zero", "rb") as endless:
        ended = subprocess.run(
            command, env=ENVIRONMENT, stdin=endless, capture_output=True, check=False, text=True, preexec_fn=bounded
        )
    assert (ended.returncode, ended.stderr) == (2, f"{said}\n")


def test_a_spec_may_come_from_a_pipe(run: Run, numbers_npy: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"gaussian()")
    os.close(writing)
    result = run("features", f"/dev/fd/{reading}", numbers_npy, "-o", tmp_path / "z.npy", "--n-features", 4)
    os.close(reading)
    assert result.exit_code == 0, result.stderr
    assert np.load(tmp_path / "z.npy").shape == (700, 4)
