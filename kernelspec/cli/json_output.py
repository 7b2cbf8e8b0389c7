"""Reports as JSON on standard output."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["json_option", "print_json"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """Add `--json` to a command, as its argument `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def print_json(report: Any) -> None:
    """Print JSON data, indented, letters as they are on a terminal that has them; infinity becomes text."""
    import json

    has_all_letters = "utf" in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(_finite(report), indent=2, ensure_ascii=not has_all_letters, allow_nan=False))


def _finite(report: Any) -> Any:
    if isinstance(report, dict):
        return {key: _finite(value) for key, value in report.items()}
    if isinstance(report, list | tuple):
        return [_finite(value) for value in report]
    return str(report) if isinstance(report, float) and not math.isfinite(report) else report
