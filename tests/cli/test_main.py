"""`python -m kernelspec`: the same program as the installed `kernelspec`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from kernelspec.__main__ import run as program
from kernelspec.cli import main
from kernelspec.cli.options import GivenColumns, column_options, map_options, with_flags
from kernelspec.loading import load_from
from kernelspec.planning.options import OPTIONS, VERIFIED, MapOptions
from tests.cli.conftest import ENVIRONMENT, Execute

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_installed_program_is_that_of_python_m(execute: Execute) -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert load_from(project["scripts"]["kernelspec"]) is program
    ended = execute("check")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("Usage: kernelspec check ")


def test_importing_it_runs_nothing() -> None:
    command = [sys.executable, "-c", "import kernelspec.__main__", "check"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@click.command()
@click.argument("word", default="none")
@column_options
@click.option("--flag", is_flag=True)
@click.pass_context
def shown(ctx: click.Context, word: str, columns: GivenColumns, flag: bool) -> None:
    """Shows what it is given."""
    assert (ctx.info_name, word, flag) == ("shown", "none", False)
    click.echo(repr((columns.dim, columns.names)))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(shown, list(arguments), catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((), (None, None)),
        (("--dim", "3"), (3, None)),
        (("--columns", "age"), (None, ("age",))),
        (("--columns", "age,income"), (None, ("age", "income"))),
        (("--columns", " age ,  in come "), (None, ("age", "in come"))),
        (("--columns", '"a, b",c'), (None, ("a, b", "c"))),
        (("--columns", 'c, "say ""a"""'), (None, ("c", 'say "a"'))),
        (("--dim", "2", "--columns", "größe,0"), (2, ("größe", "0"))),
    ],
)
def test_names_are_read_as_a_line_of_csv(arguments: tuple[str, ...], found: object) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (0, f"{found!r}\n")


@pytest.mark.parametrize("text", ["", " ", "a,,b", "a,", ",a", "a\nb", "x" * 200_000])
def test_what_is_no_list_of_names(text: str) -> None:
    result = run("--columns", text)
    assert result.exit_code == 2
    assert f"--columns requires names separated by commas, such as age,income, not '{text}'" in result.stderr


X = np.random.default_rng(4).standard_normal((5, 2))


@click.command()
@map_options(MapOptions(n_features=77))
@click.option("--rows", type=int, default=3)
def shown_of_map_options(settings: MapOptions, rows: int) -> None:
    click.echo(f"{settings!r} {rows}")


def run_of_map_options(*arguments: str) -> Result:
    return CliRunner().invoke(shown_of_map_options, list(arguments), catch_exceptions=False)


def test_defaults_and_values() -> None:
    assert run_of_map_options().stdout == f"{MapOptions(n_features=77)!r} 3\n"
    given = run_of_map_options(
        "--n-features", "5", "--seed", "9", "--method", "phase", "--keys", "bits", "--bits", "3", "--rows", "1",
        "--draws", "sobol", "--landmarks", "never", "--storage", "sparse",
    )  # fmt: skip
    expected = MapOptions(
        n_features=5, seed=9, method="phase", keys="bits", bits=3, draws="sobol", landmarks="never", storage="sparse"
    )
    assert given.stdout == f"{expected!r} 1\n"
    auto = run_of_map_options("--pointwise", "0.1", "--confidence", "0.9", "--buckets", "8")
    assert auto.stdout == f"{MapOptions(n_features='auto', pointwise=0.1, confidence=0.9, buckets=8)!r} 3\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "-1"), "Invalid value for '--seed': must be at least 0, not -1"),
        (("--seed", "x"), "Invalid value for '--seed': must be a whole number, not 'x'"),
        (("--n-features", "many"), "Invalid value for '--n-features': must be a whole number or 'auto', not 'many'"),
        (("--n-features", "0"), "Invalid value for '--n-features': must be at least 1, not 0"),
        (("--buckets", ""), "Invalid value for '--buckets'"),
        (("--keys", "buckets"), "Invalid value for '--keys': must be one of 'auto', 'exact', 'hashed', 'bits'"),
        (("--method", "pared"), "did you mean 'paired'?"),
        (("--error", "small"), "Invalid value for '--error': must be a number, not 'small'"),
        (("--bits", "3"), "Error: --bits 3 has no effect without --keys bits"),
        (("--bits", "8", "--keys", "exact"), "Error: --bits 8 has no effect without --keys bits"),
        (("--confidence", "0.99"), "Error: --confidence 0.99 has no effect without --pointwise"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], message: str) -> None:
    result = run_of_map_options(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_every_option_is_there_with_its_help_and_one_default() -> None:
    """From the class of options, and of the command line what Python has."""
    shown = {parameter.name: parameter for parameter in shown_of_map_options.params}
    assert set(shown) == {*OPTIONS, "rows"}
    for name, option in OPTIONS.items():
        assert isinstance(shown[name], click.Option)
        assert (shown[name].help, shown[name].opts) == (option.help, [f"--{name.replace('_', '-')}"])
    for command in ("features", "explain", "verify"):
        loaded = main.get_command(click.Context(main), command)
        assert loaded is not None
        for parameter in loaded.params:
            with click.Context(loaded, show_default=True) as ctx:
                record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            assert record is None or record[1].count("default") <= 1, record
            if parameter.name in OPTIONS:
                own = VERIFIED if command == "verify" else MapOptions()
                assert parameter.default == getattr(own, str(parameter.name))


def test_messages_have_the_flags_of_the_command_line() -> None:
    said = "method='nystrom' draws no samples, so draws='sobol' has no effect; error=1e-05 is not reached"
    assert with_flags(said) == "--method nystrom draws no samples, so --draws sobol has no effect; " + (
        "--error 1e-05 is not reached"
    )
    assert with_flags("n_features='auto' of gaussian(scale=2)") == "--n-features auto of gaussian(scale=2)"
    assert with_flags("use either error= or pointwise=, not both") == "use either --error or --pointwise, not both"
    assert with_flags("give solver='exact', dim= or columns=.") == "give --solver exact, --dim or --columns."
    assert with_flags("needs rows: set data= (on the command line DATA or FILE)") == "needs rows: set DATA or FILE"
    assert with_flags("a:1:1: error: set dim=\n  let keys=gaus()\n") == "a:1:1: error: set --dim\n  let keys=gaus()\n"
    for kept in (
        "write wendland(order=1, dim=3)",
        "ks.compile(spec, data=X)",
        "text=['a']",
        "x/seed=3/a.csv: no such file",
        "column 'seed=3' is",
    ):
        assert with_flags(kept) == kept
