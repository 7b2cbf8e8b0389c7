"""SPEC, -e and -p: what is accepted, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


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
    result = run("check", *source, text="gaus()")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{name}:1:1: error: there is no kernel 'gaus'; did you mean 'gaussian'?")


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    result = run("check", tmp_path / "none.kernel")
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path / 'none.kernel'} cannot be read: No such file or directory\n"


def test_text_in_place_of_a_file(run: Run) -> None:
    result = run("check", "gaussian()")
    assert result.exit_code == 2
    assert result.stderr == "gaussian(): no such file; to give the text of a spec, write -e before it\n"
    result = run("check", "gaussian")
    assert result.exit_code == 2
    assert result.stderr == "gaussian: no such file; for the kernel of this name, use -e 'gaussian()'\n"


def test_standard_input_that_is_no_text(run: Run) -> None:
    result = run("check", "-", text=b"gaussian()\xff")
    assert (result.exit_code, result.stderr) == (2, "standard input is not UTF-8 text: byte 10 cannot be read\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "SPEC is missing"),
        (("a", "b"), "unexpected argument 'b'"),
        (("-e", "gaussian()", "a.kernel"), "unexpected argument 'a.kernel' (with -e there is no file SPEC)"),
        (("-e", "gaussian()", "-p", "s"), "-p takes NAME=VALUE, as in -p scale=2, not 's'"),
        (("-e", "gaussian()", "-p", "s="), "-p takes NAME=VALUE"),
        (("-e", "gaussian()", "-p", "s=two"), "-p s: 'two' is not a number; accepted are 2, 0.5, 1e-3, 3/2, and"),
        (("-e", "gaussian()", "-p", "s=1/0"), "'1/0' is not a number"),
        (("-e", "gaussian()", "-p", "s=inf"), "'inf' is not a number"),
        (("-e", "gaussian()", "-p", "s=1/2/3"), "'1/2/3' is not a number"),
        (("-e", "gaussian()", "-p", "s=1e999999999"), "is not a number"),
        (("-e", "gaussian()", "-p", "s=1", "-p", "s=2"), "-p gives 's' two values"),
        (("-e", "gaussian()", "--dim", "0"), "0 is not in the range"),
        (("-e", "gaussian()", "--columns", "a,,b"), "--columns takes names with commas between them"),
        (("-e", "gaussian()", "--columns", "a,b,a"), "--columns has 'a' twice"),
        (("-e", "gaussian()", "--dmi", "3"), "--dim"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Usage: kernelspec check" in result.stderr
    assert result.stdout == ""


def test_a_parameter_that_is_not_there(run: Run) -> None:
    result = run("check", "-e", "param scale = 2\ngaussian(scale=scale)", "-p", "scal=1")
    assert (result.exit_code, result.stderr) == (2, "the spec has no parameter 'scal'; did you mean 'scale'?\n")


def test_a_value_out_of_range(run: Run) -> None:
    result = run("check", "-e", "param s > 0\ngaussian(scale=s)", "-p", "s=-1")
    assert result.exit_code == 2
    assert "parameter 's' must be > 0, not -1" in result.stderr


def test_column_names_with_commas_stand_in_quotes(run: Run) -> None:
    result = run("check", "-e", 'gaussian()["a,b"]', "--columns", '"a,b", c')
    assert result.exit_code == 0


def test_columns_and_dim_disagree(run: Run) -> None:
    result = run("check", "-e", "gaussian()", "--columns", "a,b", "--dim", 3)
    assert (result.exit_code, result.stderr) == (2, "dim is 3, but there are 2 column names\n")
