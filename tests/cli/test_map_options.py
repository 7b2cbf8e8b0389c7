"""Tests of `cli/map_options.py`."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import kernelspec as ks
from kernelspec.cli.map_options import GivenColumns, MapSettings, column_options, map_options
from kernelspec.errors import FileError, PlanError
from kernelspec.planning.request import SeenData
from kernelspec.tables.rows import Rows


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
    assert f"--columns takes names with commas between them, as in age,income, not '{text}'" in result.stderr


def test_a_name_twice() -> None:
    result = run("--columns", "a,b, a")
    assert result.exit_code == 2
    assert "--columns has 'a' twice" in result.stderr


@pytest.mark.parametrize("number", ["0", "-1", "2.5", "two"])
def test_dim_is_a_number_of_columns(number: str) -> None:
    result = run("--dim", number)
    assert result.exit_code == 2
    assert "--dim" in result.stderr


def test_what_the_command_itself_has_stays_its_own() -> None:
    assert shown.name == "shown"
    assert shown.help == "Shows what it is given."
    assert [parameter.name for parameter in shown.params] == ["word", "dim", "columns", "flag"]


def test_the_columns_of_a_file(tmp_path: Path) -> None:
    named, unnamed = tmp_path / "a.csv", tmp_path / "a.svm"
    named.write_text("age,income,id\n1,2,3\n", encoding="utf-8")
    unnamed.write_text("1 2:0.5\n", encoding="utf-8")
    spec = ks.parse("gaussian()")
    assert GivenColumns().in_file(spec, str(named)).names == ("age", "income", "id")
    assert GivenColumns(None, ("id", "age")).in_file(spec, str(named)).names == ("id", "age")
    assert GivenColumns(5).in_file(spec, str(unnamed)).count == 5
    with pytest.raises(FileError):
        GivenColumns().in_file(spec, str(tmp_path / "none.csv"))


X = np.random.default_rng(4).standard_normal((5, 2))


@click.command()
@map_options(n_features=77)
@click.option("--rows", type=int, default=3)
def shown_of_map_options(settings: MapSettings, rows: int) -> None:
    click.echo(f"{settings!r} {rows}")


def run_of_map_options(*arguments: str) -> Result:
    return CliRunner().invoke(shown_of_map_options, list(arguments), catch_exceptions=False)


def test_defaults_and_values() -> None:
    assert (
        run_of_map_options().stdout
        == f"{MapSettings(n_features=77, seed=0, method='auto', buckets=256, bits=8, keys='auto')!r} 3\n"
    )
    given = run_of_map_options(
        "--n-features", "5", "--seed", "9", "--method", "phase", "--buckets", "8", "--bits", "3", "--rows", "1"
    )
    assert given.stdout == f"{MapSettings(n_features=5, seed=9, method='phase', buckets=8, bits=3, keys='bits')!r} 1\n"


@pytest.mark.parametrize("arguments", [("--seed", "-1"), ("--seed", "x"), ("--n-features", "many"), ("--buckets", "")])
def test_what_is_no_number(arguments: tuple[str, str]) -> None:
    result = run_of_map_options(*arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{arguments[0]}'" in result.stderr


def test_bits_and_buckets_of_a_kernel_of_keys() -> None:
    spec = ks.parse("laplace()")
    made = MapSettings(24, 3, "binning", 16, 2, "bits").make(spec, spec.columns(2))
    assert (made.plan.buckets, made.plan.bits, made.n_columns) == (None, 2, 24 * 4 + 1)
    assert MapSettings(24, 3, "binning", 16).make(spec, spec.columns(2)).n_columns == 24 * 16


@pytest.mark.parametrize("method", ["auto", "paired", "phase", "complex"])
def test_the_map_is_the_one_of_compile(method: str) -> None:
    spec = ks.parse("gaussian(scale=2)[b] + 0.5 * laplace()[a]")
    made = MapSettings(24, 3, method, 16).make(spec, spec.columns(None, ("a", "b")))
    expected = ks.compile(spec, columns=("a", "b"), n_features=24, seed=3, method=method)  # type: ignore[arg-type]
    np.testing.assert_array_equal(made.transform(X), expected.transform(X))
    other = MapSettings(24, 4, method, 16).make(spec, spec.columns(None, ("a", "b")))
    assert not np.array_equal(made.transform(X), other.transform(X))


def test_buckets_are_columns_a_sample() -> None:
    spec = ks.parse("match()")
    assert MapSettings(4, 0, "auto", 32).make(spec, spec.columns(2)).n_columns == 4 * 32


def test_the_plan_is_chosen_for_the_rows() -> None:
    spec = ks.parse("gaussian() + laplace(scale=50)")
    settings, columns = MapSettings(64, 0, "auto", 256), spec.columns(2)
    near = Rows(1e-3 * X)
    planned = settings.make(spec, columns, SeenData(near, (near,)))
    expected = ks.compile(spec, dim=2, n_features=64, data=1e-3 * X)
    np.testing.assert_array_equal(planned.transform(X), expected.transform(X))
    assert planned.predicted_error(near) < settings.make(spec, columns).predicted_error(near)


def test_keys_and_what_bits_imply() -> None:
    for given, keys, bits in (
        ((), "auto", 8), (("--keys", "hashed"), "hashed", 8), (("--bits", "3"), "bits", 3),
        (("--keys", "bits"), "bits", 8), (("--keys", "exact", "--bits", "3"), "exact", 3),
    ):  # fmt: skip
        assert run_of_map_options(*given).stdout == f"{MapSettings(77, 0, 'auto', 256, bits, keys)!r} 3\n"  # type: ignore[arg-type]
    assert run_of_map_options("--keys", "buckets").exit_code == 2


def test_settings_that_make_no_map() -> None:
    spec = ks.parse("gaussian()")
    for settings in (MapSettings(0, 0, "auto", 256), MapSettings(8, 0, "fourier", 256)):
        with pytest.raises(PlanError):
            settings.make(spec, spec.columns(2))
