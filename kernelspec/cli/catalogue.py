"""`kernelspec catalogue` and `kernelspec plot`: what a spec can be made of, and kernels as figures."""

from __future__ import annotations

import inspect
import itertools
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import print_json
from kernelspec.cli.options import json_option
from kernelspec.cli.spec_input import MISSING_SPEC, Values, parameter_values, read_spec
from kernelspec.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from kernelspec.spec import Spec

__all__ = ["Choices", "catalogue", "every_choice", "given_choices", "is_sweep", "plot"]

Entry = dict[str, Any]

_OPERATORS = {
    "k1 * k2": "product: independent draws",
    "k ** n": "product of n independent copies",
    "a*k1 + b*k2": "weighted sum",
    "k1 - k2": "difference: an indefinite kernel, unless proved otherwise",
    "k[age, income], k[0:3], k[-1]": "the kernel on some columns, by name or position",
}

_WIDE = 120
"""Columns of a terminal with room for everything."""

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
    from rich.console import Console

    # a terminal wraps cells to its width; a file or a pipe gets every entry on one line
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 250)
    is_wide = console.width >= _WIDE
    beside, source = (["frequencies", "reference"], ["reference"]) if is_wide else ([], [])
    with console.capture() as shown:  # rich itself would end with status 1 if nobody reads what it prints
        console.print(_table("kernels", ["signature", "formula", *beside], kernels))
        console.print(_table("composite forms", ["form", "meaning"], forms))
        title = "distributions, inside bochner(…) and polya(…)"
        console.print(_table(title, ["signature", "formula", *source], distributions))
        console.print(_table("activations, inside dual(…) and layers", ["signature", "formula", *source], activations))
        if not is_wide:
            console.print("frequencies and references: kernelspec catalogue NAME, or a terminal of 120 columns")
    click.echo(shown.get(), nl=False)


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
    from kernelspec.elaboration.names_elsewhere import kernel_here
    from kernelspec.loading import suggest

    names = sorted({entry["name"] for entry in entries})
    hint = kernel_here(name) or suggest(name, names) or f"; it has {', '.join(names)}"
    return UnknownNameError(f"nothing in the catalogue is called '{name}'{hint}")


def _table(title: str, columns: list[str], entries: list[Entry]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, no_wrap=not i, overflow="fold")  # nothing is cut, and signatures stay on one line
    for entry in entries:
        table.add_row(*(str(entry.get(column, "")) for column in columns))
    return table


_FEATURES = 20_000
"""Features drawn for the co-occurrence of pixels."""

_TITLE_WIDTH = 44

_Range = tuple[float, float]
_Pixel = tuple[int, int]


def _range(ctx: click.Context, parameter: click.Parameter, text: str | None) -> _Range | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise click.UsageError(f"{parameter.opts[0]} takes two numbers A:B with A < B, as in 0:10, not '{text}'", ctx)
    return low, high


def _pixel(ctx: click.Context, parameter: click.Parameter, text: str | None) -> _Pixel | None:
    if text is None:
        return None
    try:
        row, column = map(int, text.split(","))
    except ValueError:
        raise click.UsageError(
            f"{parameter.opts[0]} takes a row and a column R,C from 0, as in 3,5, not '{text}'", ctx
        ) from None
    return row, column


Choices = dict[str, list[Values]]
"""The values given to every parameter, each as a value for `Spec.with_params`."""


def given_choices(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Choices:
    """What -p gives: one value or several with commas between them. Raises UsageError as for all other commands."""
    split = [(name, text.split(",")) for name, _, text in (item.partition("=") for item in given)]
    # all first values together, so that a parameter given twice is found
    parameter_values(ctx, parameter, [item.split(",")[0] for item in given])
    return {name.strip(): [parameter_values(ctx, parameter, [f"{name}={one}"]) for one in text] for name, text in split}


def is_sweep(choices: Choices) -> bool:
    """Whether a parameter has several values."""
    return any(len(values) > 1 for values in choices.values())


def every_choice(specs: list[Spec], names: Sequence[str | None], choices: Choices) -> tuple[list[Spec], list[str]]:
    """Every spec with every combination of the values of its parameters, and what the curves are called.

    A name is followed by the values that differ; a spec without name is called by its text, which has them all.
    Raises ParameterError for a parameter that no spec has, or a value it does not accept.
    """
    from kernelspec.plotting import label_of

    for parameter, given in choices.items():
        if not any(parameter in spec.params for spec in specs):
            specs[0].with_params(given[0])  # says that there is none of that name
    found: list[Spec] = []
    labels: list[str] = []
    for spec, name in zip(specs, names, strict=True):
        own = [choices[parameter] for parameter in spec.params if parameter in choices]
        for combination in itertools.product(*own):
            values = {parameter: value for part in combination for parameter, value in part.items()}
            found.append(spec.with_params(values) if values else spec)
            differ = [
                f"{parameter} = {float(values[parameter]):g}" for parameter in values if len(choices[parameter]) > 1
            ]
            labels.append(label_of(found[-1]) if name is None else ", ".join([name] * bool(name) + differ))
    return found, labels


@click.command(short_help="Kernels and their spectral densities as a figure.")
@click.argument("files", nargs=-1, metavar="[SPEC ...]")
@click.option("-e", "--expression", "expressions", multiple=True, metavar="TEXT", help="A spec itself; repeatable.")
@click.option("-o", "--output", required=True, metavar="OUT", help="The figure: .png, .svg or .pdf.")
@click.option("--label", "labels", multiple=True, metavar="TEXT", help="Name of a kernel, in order; one for each.")
@click.option("--lags", metavar="A:B", callback=_range, help="Range of lags.  [default: as the kernels need]")
@click.option("--frequencies", metavar="A:B", callback=_range, help="Range of frequencies.  [default: likewise]")
@click.option("--cooccurrence", is_flag=True, help="For skeletons: which pixels occur together in a feature.")
@click.option("--pixel", metavar="R,C", callback=_pixel, help="The pixel the others occur with.  [default: centre]")
@click.option(
    "--n-features-drawn", type=click.IntRange(min=1), metavar="N", help="Features to count in.  [default: 20000]"
)
@click.option(
    "-p",
    "choices",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    callback=given_choices,
    help="Value of a parameter, or several, each drawn; repeatable.",
)
def plot(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    output: str,
    labels: tuple[str, ...],
    lags: _Range | None,
    frequencies: _Range | None,
    cooccurrence: bool,
    pixel: _Pixel | None,
    n_features_drawn: int | None,
    choices: Choices,
) -> None:
    """Draw k(t) on one column against the lag t, and the spectral density against the frequency, of several kernels.

    SPEC is a file, or - for standard input. Files come first, then every -e, in order. A kernel of several columns is
    shown along the first, with all others at lag 0; atoms of its spectral measure are stems. Factors that compare
    categories count as 1: rows of equal categories. A kernel that is not a function of the lag is refused.

    With several values for a parameter, every value is a curve of its own. With --cooccurrence every kernel is a
    skeleton over an image and has a panel: of the features that use one pixel, the share that uses each other pixel
    too. OUT appears when it is complete.

    \b
    Example:
      kernelspec plot -e "gaussian()" -e "matern(nu=3/2)" -o kernels.pdf
      kernelspec plot matern.kernel -p nu=0.5,1.5,2.5 -o smoothness.png
      kernelspec plot -e "full(relu, input=conv(relu, size=4, input=image(8, 8, 1)))" --cooccurrence -o pixels.png
    """
    from kernelspec.plotting import plot_kernels
    from kernelspec.plotting.figures import figure_format, require_matplotlib, save_figure
    from kernelspec.tables.atomic import check_target

    count = len(files) + len(expressions)
    if not count:
        raise click.UsageError(MISSING_SPEC)
    if labels and len(labels) != count:
        raise click.UsageError(f"--label is given {len(labels)} times for {count} kernels: give one for each, or none")
    if cooccurrence and (lags or frequencies):
        raise click.UsageError("--lags and --frequencies are ranges of curves: with --cooccurrence there are none")
    if not cooccurrence and (pixel or n_features_drawn):
        raise click.UsageError("--pixel and --n-features-drawn go with --cooccurrence")
    path = Path(output)
    require_matplotlib()
    figure_format(path)
    check_target(path)
    specs = [read_spec(file, None, {}) for file in files] + [read_spec(None, text, {}) for text in expressions]
    names = [*(None if file == "-" else Path(file).stem for file in files), *(None for _ in expressions)]
    if len(specs) == 1 and is_sweep(choices):
        names = [""]  # what the values are says it all
    drawn, shown = every_choice(specs, labels or names, choices)
    if cooccurrence:
        figure = _pixels(drawn, shown, pixel, n_features_drawn)
    else:
        figure = plot_kernels(drawn, shown, lags=lags, frequencies=frequencies)
    save_figure(figure, path)


def _pixels(specs: list[Spec], labels: list[str], pixel: _Pixel | None, n_features: int | None) -> Figure:
    """A panel for every skeleton. Raises SpecError for another kernel, PlanError for a pixel that is not there."""
    from textwrap import fill

    from kernelspec.plotting.cooccurrence import cooccurrence, plot_cooccurrence

    chosen = None if pixel is None else [pixel]
    found = [each for spec in specs for each in cooccurrence(spec, chosen, n_features or _FEATURES)]
    return plot_cooccurrence(found, [fill(label, _TITLE_WIDTH) for label in labels])
