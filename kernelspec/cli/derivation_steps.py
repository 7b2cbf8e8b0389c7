"""`explain --steps` and `--latex`: formulas alone, and how they come about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernelspec.cli.json_output import print_json

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["print_formulas", "steps_option"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def steps_option(command: _Command) -> _Command:
    """Add `--steps` to a command, as its argument `steps`."""
    text = "Print how the spectral density comes about, rule by rule, and nothing else."
    return click.option("--steps", is_flag=True, help=text)(command)


def print_formulas(facts: Facts, *, steps: bool, as_json: bool, latex: bool) -> None:
    """Print `facts.derivation` for `steps`, in LaTeX too, else the formulas in LaTeX.

    After the formulas of several kernels of the catalogue a table says which of their products have a closed density.
    Raises NotStationaryError where there is no spectral measure to derive.
    """
    from kernelspec.analysis.reports.derivation import derivation_latex, derivation_text, derivation_to_list

    if not steps:
        click.echo(facts.latex())
        if facts.closed_products is not None:
            click.echo("\n" + facts.closed_products.latex())
    elif as_json:
        print_json({"derivation": derivation_to_list(facts.derivation)})
    else:
        click.echo((derivation_latex if latex else derivation_text)(facts.derivation))
