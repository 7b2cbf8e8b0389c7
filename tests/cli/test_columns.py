"""`--dim` and `--columns`."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner, Result

from kernelspec.cli.columns import column_options


@click.command()
@column_options
def shown(dim: int | None, columns: tuple[str, ...] | None) -> None:
    click.echo(repr((dim, columns)))


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
