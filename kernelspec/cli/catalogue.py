"""`kernelspec catalogue`: what a spec can be made of."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.output import json_option, print_json
from kernelspec.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["catalogue"]

Entry = dict[str, Any]

_OPERATORS = {
    "k1 * k2": "product: independent draws",
    "k ** n": "product of n independent copies",
    "a*k1 + b*k2": "weighted sum",
    "k1 - k2": "difference: an indefinite kernel, unless proved otherwise",
    "k[age, income], k[0:3], k[-1]": "the kernel on some columns, by name or position",
}

_STATED = ("formula", "frequencies", "reference")


@click.command(short_help="Kernels, composite forms, distributions and activations.")
@click.argument("name", required=False)
@json_option
def catalogue(name: str | None, as_json: bool) -> None:
    """List all kernels, composite forms, distributions and activations; with NAME, all about one of them.

    \b
    Example:
      kernelspec catalogue matern
    """
    from kernelspec.catalogue import load_plugins

    load_plugins()
    kernels, forms, distributions, activations = _kernels(), _forms(), _distributions(), _activations()
    if name is not None:
        named = [entry for entry in (*kernels, *forms, *distributions, *activations) if "name" in entry]
        entries = [entry for entry in named if entry["name"] == name]
        if not entries:
            raise _unknown(name, named)
        if as_json:
            print_json(entries)
        else:
            click.echo("\n\n".join(map(_described, entries)))
        return
    if as_json:
        print_json({"kernels": kernels, "forms": forms, "distributions": distributions, "activations": activations})
        return
    _print_tables(
        _table("kernels", ["signature", "formula", "frequencies", "reference"], kernels),
        _table("composite forms", ["form", "meaning"], forms),
        _table("distributions, inside bochner(…) and polya(…)", ["signature", "formula", "reference"], distributions),
        _table("activations, inside dual(…) and layers", ["signature", "formula", "reference"], activations),
    )


def _kernels() -> list[Entry]:
    from kernelspec.catalogue import KERNELS
    from kernelspec.kernels.leaf import load_kernel

    return [_entry("kernel", name, load_kernel(name)) for name in KERNELS]


def _forms() -> list[Entry]:
    from kernelspec.elaboration.forms.form import FORMS, load_form

    named = [(name, load_form(name)) for name in FORMS]
    return [
        *({"form": form, "meaning": meaning} for form, meaning in _OPERATORS.items()),
        *({"kind": "form", "name": name, "form": form.signature, "meaning": form.meaning} for name, form in named),
    ]


def _distributions() -> list[Entry]:
    from kernelspec.catalogue import DISTRIBUTIONS
    from kernelspec.distributions.distribution import load_distribution

    return [_entry("distribution", name, load_distribution(name)) for name in DISTRIBUTIONS]


def _activations() -> list[Entry]:
    from kernelspec.activations.activation import load_activation
    from kernelspec.activations.formula import FormulaActivation
    from kernelspec.catalogue import ACTIVATIONS

    written = _entry("activation", FormulaActivation.name, FormulaActivation) | {"signature": "activation(x -> f(x))"}
    return [*(_entry("activation", name, load_activation(name)) for name in ACTIVATIONS), written]


def _entry(kind: str, name: str, cls: type) -> Entry:
    from kernelspec.expressions.arguments import signature

    entry: Entry = {"kind": kind, "name": name, "signature": signature(name, cls)}
    entry |= {key: getattr(cls, key) for key in _STATED if hasattr(cls, key)}
    return entry | {"description": inspect.cleandoc(cls.__doc__ or "")}


def _described(entry: Entry) -> str:
    if entry["kind"] == "form":
        return f"form {entry['form']}\n\n{entry['meaning']}"
    lines = [f"{entry['kind']} {entry['signature']}", "", *entry["description"].splitlines(), ""]
    return "\n".join(lines + [f"{key}: {entry[key]}" for key in _STATED if key in entry])


def _unknown(name: str, entries: list[Entry]) -> UnknownNameError:
    from kernelspec.loading import suggest

    names = sorted({entry["name"] for entry in entries})
    hint = suggest(name, names) or f"; it has {', '.join(names)}"
    return UnknownNameError(f"nothing in the catalogue is called '{name}'{hint}")


def _table(title: str, columns: list[str], entries: list[Entry]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for entry in entries:
        table.add_row(*(str(entry.get(column, "")) for column in columns))
    return table


def _print_tables(*tables: Table) -> None:
    import sys

    from rich.console import Console

    # a terminal wraps cells to its width; a file or a pipe gets every entry on one line
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 250)
    with console.capture() as shown:  # rich itself would end with status 1 if nobody reads what it prints
        for table in tables:
            console.print(table)
    click.echo(shown.get(), nl=False)
