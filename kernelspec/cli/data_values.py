"""What DATA say of a kernel: the values of `-p name=median`, and that a kernel says nothing about them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kernelspec.cli.spec_input import Values, read_spec

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = [
    "read_spec_for_data",
    "say_if_dead",
    "say_if_first_rows_are_dead",
    "told_by_the_command",
    "with_medians_said",
]


def read_spec_for_data(path: str | None, expression: str | None, values: Values) -> tuple[Spec, tuple[str, ...]]:
    """The spec that the command line names, and the parameters that are to have a median distance of DATA.

    Until then these have some value, so that columns can be told. Raises SpecError, FileError.
    """
    from kernelspec.elaboration.median_lengths import with_probes

    medians = tuple(name for name, value in values.items() if value == "median")
    spec = read_spec(path, expression, {name: value for name, value in values.items() if name not in medians})
    return with_probes(spec, medians), medians


def with_medians_said(spec: Spec, medians: Sequence[str], columns: Columns, rows: Rows, *, quiet: bool = False) -> Spec:
    """The spec with the median distances of some rows, which standard error tells unless `quiet`.

    Raises ParameterError.
    """
    from kernelspec.elaboration.median_lengths import with_medians

    found = with_medians(spec, medians, columns, rows)
    if not quiet:
        for name in medians:
            click.echo(f"{name} = {found.params[name]:g}, the median distance", err=True)
    return found


def say_if_dead(spec: Spec, columns: Columns, rows: Rows, *, quiet: bool = False) -> str | None:
    """Tell on standard error, unless `quiet`, that the kernel is nearly the identity or nearly constant on the rows.

    What was said is returned.
    """
    from kernelspec.dead_kernels import said_of_dead_kernel

    said = said_of_dead_kernel(spec, columns, spec.kernel(columns), rows, on_command_line=True)
    if said is not None and not quiet:
        click.echo(said, err=True)
    return said


def say_if_first_rows_are_dead(
    spec: Spec, columns: Columns, layout: Layout, path: str, header: bool | None = None
) -> None:
    """The same for a file, of whose rows the first ones are looked at; only if they say so, random ones of all."""
    from kernelspec.cli.file_rows import FileRows
    from kernelspec.cli.map_source import rows_to_plan_on
    from kernelspec.errors import KernelspecError

    try:
        first = next(iter(FileRows((path,), layout, header)))
        if say_if_dead(spec, columns, first, quiet=True) is None:
            return
        rows, _ = rows_to_plan_on(layout, path, header, quiet=True)
    except KernelspecError:  # it is raised again, in its place, when the features are computed
        return
    say_if_dead(spec, columns, rows)


@contextmanager
def told_by_the_command() -> Iterator[None]:
    """Within the body nothing warns of dead kernels: the command says it itself."""
    from kernelspec.dead_kernels import DeadKernelWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeadKernelWarning)
        yield
