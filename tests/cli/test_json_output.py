"""`--json`: text that every reader of JSON takes."""

from __future__ import annotations

import json

import click
import numpy as np
import pytest
from click.testing import CliRunner

from kernelspec.cli.output import json_option, print_json


@click.command()
@json_option
def shown(as_json: bool) -> None:
    click.echo(repr(as_json))


def refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize(("arguments", "found"), [([], "False\n"), (["--json"], "True\n")])
def test_the_option_is_a_flag(arguments: list[str], found: str) -> None:
    assert CliRunner().invoke(shown, arguments, catch_exceptions=False).stdout == found


def test_letters_stay_and_lines_are_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"größe": ["π·ω", 1, None, True]})
    assert capsys.readouterr().out == '{\n  "größe": [\n    "π·ω",\n    1,\n    null,\n    true\n  ]\n}\n'


def test_numbers_keep_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    values = [0.1, 1 / 3, 5e-324, -1.7976931348623157e308, 2**70]
    print_json(values)
    assert json.loads(capsys.readouterr().out) == values


def test_what_json_lacks_becomes_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"limit": float("inf"), "range": (-float("inf"), 0.5), "deep": [{"z": np.float64("nan")}]})
    found = json.loads(capsys.readouterr().out, parse_constant=refused)
    assert found == {"limit": "inf", "range": ["-inf", 0.5], "deep": [{"z": "nan"}]}
