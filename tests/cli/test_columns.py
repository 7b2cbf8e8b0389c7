"""`--dim` and `--columns`."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import kernelspec as ks
from kernelspec.cli.map_options import GivenColumns, column_options
from kernelspec.errors import FileError


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
