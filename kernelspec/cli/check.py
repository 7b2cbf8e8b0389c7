"""`kernelspec check`: is the kernel positive definite?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kernelspec.cli.columns import GivenColumns, column_options
from kernelspec.cli.exits import NO
from kernelspec.cli.json_output import json_option, print_json
from kernelspec.cli.spec_input import Values, read_spec, spec_and_data, spec_options

if TYPE_CHECKING:
    from kernelspec.kernels.verdict import Verdict

__all__ = ["check"]

_ANSWERS = {
    "proved": "proved: positive definite",
    "disproved": "disproved: not positive definite",
    "unknown": "unknown: neither proved nor disproved to be positive definite",
}


def _answer(verdict: Verdict) -> str:
    if verdict.most_columns is None:
        return _ANSWERS[verdict.positive_definite]
    columns = f"{verdict.most_columns} column{'s' * (verdict.most_columns != 1)}"
    return f"disproved: positive definite in up to {columns}, not in any number of them; give --dim or --columns"


@click.command(short_help="Is the kernel positive definite, and why?")
@click.argument("files", nargs=-1, metavar="SPEC")
@spec_options
@column_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status is the answer.")
@json_option
def check(
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    quiet: bool,
    as_json: bool,
) -> None:
    """Read a spec and say whether its kernel is positive definite, with the reasons.

    SPEC is a file, or - for standard input; -e gives the text itself. Exit status 0: proved. 1: disproved, or
    unknown. 2: the spec is not valid.

    Without --dim or --columns the answer holds for any number of columns.

    \b
    Example:
      kernelspec check -e "0.7*gaussian(scale=2) + 0.3*laplace()"
    """
    from kernelspec.analysis.facts import analyze

    path, _ = spec_and_data(files, expression, takes_data=False)
    spec = read_spec(path, expression, values)
    verdict = analyze(spec, columns.dim, columns=columns.names).verdict
    if not quiet and as_json:
        from kernelspec.analysis.statements.verdict import verdict_to_dict

        print_json({"spec": str(spec), "params": spec.params} | verdict_to_dict(verdict))
    elif not quiet:
        from kernelspec.analysis.statements.verdict import verdict_lines

        click.echo(_answer(verdict))
        click.echo("\n" + str(spec).rstrip() + "\n")
        for name, value in values.items():
            click.echo(f"with {name} = {value}")
        click.echo("\n".join(verdict_lines(verdict)))
    if verdict.positive_definite != "proved":
        raise click.exceptions.Exit(NO)
