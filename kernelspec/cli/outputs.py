"""What a run reads is not replaced by what it writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from kernelspec.files.atomic import check_target
from kernelspec.files.file_names import check_name

__all__ = ["check_outputs"]


def check_outputs(inputs: Iterable[str | None], outputs: Iterable[tuple[str, str | None]]) -> None:
    """Refuse an output, (option, path), where no file can be put, or that is an input or another output; None is none.

    Raises FileError, UsageError.
    """
    taken: dict[str, str] = {}
    for path in inputs:
        if path is not None:
            check_name(path)
            taken[os.path.realpath(path)] = "an input"
    for option, path in outputs:
        if path is None:
            continue
        check_name(path)
        check_target(Path(path))
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"{option} {path} is {taken[place]} of this run, and would be replaced")
        taken[place] = "another output"
