"""`kernelspec catalogue` and `kernelspec plot`: what specs are made of, and figures of kernels."""

from __future__ import annotations

import inspect
import itertools
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS, load_plugins
from kernelspec.cli.group import print_json
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    complete_kernels,
    data_column_options,
    documented,
    flag_of,
    json_option,
    map_options,
    type_options,
)
from kernelspec.cli.spec_input import MISSING_SPEC, READ_ONCE, Values, parameter_values, read_spec
from kernelspec.errors import UnknownNameError
from kernelspec.expressions.arguments import signature
from kernelspec.kernels.leaf import load_kernel
from kernelspec.loading import suggest
from kernelspec.planning.options import OPTIONS, MapOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from kernelspec.spec import Spec

__all__ = ["catalogue", "plot"]

Entry = dict[str, Any]

_OPERATORS = {
    "k1 * k2": "product: independent draws",
    "k ** n": "product of n independent copies",
    "a*k1 + b*k2": "weighted sum",
    "k1 - k2": "difference: an indefinite kernel, unless proved otherwise",
    "k[age, income], k[0:3], k[-1]": "the kernel on some columns, by name or position",
}

_WIDE = 120
"""Width of a terminal that shows all columns."""

_STATED = ("formula", "frequencies", "reference")


@documented(
    "List kernels, forms, distributions and activations.",
    "kernelspec catalogue",
    "kernelspec catalogue matern",
)
@click.argument("name", required=False, shell_complete=complete_kernels)
@json_option
def catalogue(name: str | None, as_json: bool) -> None:
    """List all kernels, composite forms, distributions and activations; or describe NAME."""
    load_plugins()
    known = _entries()
    if name is not None:
        named = [entry for entries in known.values() for entry in entries if "name" in entry]
        entries = [entry for entry in named if entry["name"] == name]
        if not entries:
            raise _unknown(name, named)
        if as_json:
            print_json(entries)
        else:
            click.echo("\n\n".join(map(_described, entries)))
        return
    if as_json:
        print_json(known)
        return
    from rich.console import Console

    # a file or a pipe gets one line per entry
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 250)
    is_wide = console.width >= _WIDE
    beside, source = (["frequencies", "reference"], ["reference"]) if is_wide else ([], [])
    with console.capture() as shown:  # rich exits with status 1 on a broken pipe
        console.print(_table("kernels", ["signature", "formula", *beside], known["kernels"]))
        console.print(_table("composite forms", ["form", "meaning"], known["forms"]))
        title = "distributions, inside bochner(…) and polya(…)"
        console.print(_table(title, ["signature", "formula", *source], known["distributions"]))
        title = "activations, inside dual(…) and layers"
        console.print(_table(title, ["signature", "formula", *source], known["activations"]))
        if not is_wide:
            console.print("for frequencies and references: kernelspec catalogue NAME, or a terminal 120 columns wide")
    click.echo(shown.get(), nl=False)


def _entries() -> dict[str, list[Entry]]:
    """All entries, by kind."""
    from kernelspec.activations.activation import load_activation
    from kernelspec.activations.formula import FormulaActivation
    from kernelspec.distributions.distribution import load_distribution
    from kernelspec.elaboration.forms.form import FORMS, load_form

    forms: list[Entry] = [{"form": form, "meaning": meaning} for form, meaning in _OPERATORS.items()]
    for name in FORMS:
        form = load_form(name)
        forms.append({"kind": "form", "name": name, "form": form.signature, "meaning": form.meaning})
    written = _entry("activation", FormulaActivation.name, FormulaActivation) | {"signature": "activation(x -> f(x))"}
    return {
        "kernels": [_entry("kernel", name, load_kernel(name)) for name in KERNELS],
        "forms": forms,
        "distributions": [_entry("distribution", name, load_distribution(name)) for name in DISTRIBUTIONS],
        "activations": [*(_entry("activation", name, load_activation(name)) for name in ACTIVATIONS), written],
    }


def _entry(kind: str, name: str, cls: type) -> Entry:
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

    names = sorted({entry["name"] for entry in entries})
    hint = kernel_here(name) or suggest(name, names) or f"; it has {', '.join(names)}"
    return UnknownNameError(f"the catalogue has no entry '{name}'{hint}")


def _table(title: str, columns: list[str], entries: list[Entry]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, no_wrap=not i, overflow="fold")  # wrap instead of cutting; signatures stay on one line
    for entry in entries:
        table.add_row(*(str(entry.get(column, "")) for column in columns))
    return table


_Range = tuple[float, float]


def _range(ctx: click.Context, parameter: click.Parameter, text: str | None) -> _Range | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise click.UsageError(f"{parameter.opts[0]} requires A:B with A < B, such as 0:10, not '{text}'", ctx)
    return low, high


Choices = dict[str, list[Values]]
"""The values of each parameter, as arguments for `Spec.with_params`."""


def given_choices(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Choices:
    """Parse the values of -p, separated by commas. Raises UsageError."""
    split = [(name, text.split(",")) for name, _, text in (item.partition("=") for item in given)]
    # check all first values together to find a parameter given twice
    parameter_values(ctx, parameter, [item.split(",")[0] for item in given])
    return {name.strip(): [parameter_values(ctx, parameter, [f"{name}={one}"]) for one in text] for name, text in split}


def is_sweep(choices: Choices) -> bool:
    """Whether a parameter has several values."""
    return any(len(values) > 1 for values in choices.values())


def every_choice(specs: list[Spec], names: Sequence[str | None], choices: Choices) -> tuple[list[Spec], list[str]]:
    """Return every spec with every combination of its parameters' values, and the labels of the curves.

    A label is the name followed by the values that differ, or the text of a spec without a name. Raises ParameterError
    for a parameter that no spec has, and for invalid values.
    """
    from kernelspec.analysis.pictures import label_of

    for parameter, given in choices.items():
        if not any(parameter in spec.params for spec in specs):
            specs[0].with_params(given[0])  # raises the error that names it
    found: list[Spec] = []
    labels: list[str] = []
    for spec, name in zip(specs, names, strict=True):
        own = [choices[parameter] for parameter in spec.params if parameter in choices]
        for combination in itertools.product(*own):
            values = {parameter: value for part in combination for parameter, value in part.items()}
            found.append(spec.with_params(values) if values else spec)
            differ = [
                f"{parameter} = {float(cast(Any, values[parameter])):g}"
                for parameter in values
                if len(choices[parameter]) > 1
            ]
            labels.append(label_of(found[-1]) if name is None else ", ".join([name] * bool(name) + differ))
    return found, labels


_OF_MAPS = ("features", "bins", "error", "landmarks")


@documented(
    "Plot kernels, their densities, samples, and features.",
    'kernelspec plot -e "gaussian()" -e "matern(nu=3/2)" -o kernels.pdf',
    "kernelspec plot --what error churn.kernel train.csv -o error.png",
)
@click.argument("files", nargs=-1, metavar="[SPEC ...] [DATA]")
@click.option(
    "-e",
    "--expression",
    "expressions",
    multiple=True,
    metavar="TEXT",
    shell_complete=complete_kernels,
    help="The spec itself; repeatable.",
)
@click.option(
    "-p",
    "choices",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    callback=given_choices,
    help="Value of a parameter, or several to compare; repeatable.",
)
@data_column_options
@type_options
@map_options()
@click.option(
    "--what",
    type=click.Choice(["kernel", "density", "samples", *_OF_MAPS]),
    help="The picture.  [default: kernel and density]",
)
@click.option("-o", "--output", required=True, metavar="OUT", help="Output file (.png, .svg, .pdf).")
@click.option("--label", "labels", multiple=True, metavar="TEXT", help="Name of each kernel, in order.")
@click.option("--lags", metavar="A:B", callback=_range, help="Range of lags, or of samples.  [default: automatic]")
@click.option("--frequencies", metavar="A:B", callback=_range, help="Range of frequencies.  [default: automatic]")
@click.option("--dark", is_flag=True, help="Draw for dark backgrounds.")
def plot(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    choices: Choices,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapOptions,
    what: Any,
    output: str,
    labels: tuple[str, ...],
    lags: _Range | None,
    frequencies: _Range | None,
    dark: bool,
) -> None:
    """Plot kernels against the lag t, and their spectral densities against the frequency.

    SPEC is a file, or - for standard input; files come before -e. A kernel of several columns is drawn along the first
    one. If a parameter has several values, each is a curve of its own.

    `--what samples` draws functions of the Gaussian process. `features`, `bins`, `landmarks` and `error` are about the
    feature map of one SPEC: its frequencies, hash bins, landmark rows, and the error, predicted and measured. The last
    two need DATA. OUT appears only when complete.
    """
    from kernelspec.analysis.pictures import plot_kernels
    from kernelspec.cli.model_tables import tables_on_disk
    from kernelspec.plotting.figures import figure_format, require_matplotlib, save_figure
    from kernelspec.tables.atomic import check_target

    of_map = what in _OF_MAPS
    data = files[-1] if of_map and files and len(files) + len(expressions) > 1 else None
    files = files[:-1] if data is not None else files
    count = len(files) + len(expressions)
    if not count:
        raise click.UsageError(MISSING_SPEC)
    if (*files, data).count("-") > 1:
        raise click.UsageError(READ_ONCE)
    if labels and len(labels) != count:
        raise click.UsageError(f"--label is given {len(labels)} times for {count} kernels: use it once per kernel")
    if of_map and (count > 1 or is_sweep(choices)):
        raise click.UsageError(f"--what {what} is about one kernel: name one SPEC, with one value for each parameter")
    if data is None and what in ("error", "landmarks"):
        raise click.UsageError(f"--what {what} requires DATA")
    ctx = click.get_current_context()
    for name in () if of_map else ("dim", "columns", "drop", "header", "text_columns", "missing", *OPTIONS):
        if name != "seed" and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{flag_of(name)} requires --what {', '.join(_OF_MAPS[:-1])} or {_OF_MAPS[-1]}")
    path = Path(output)
    require_matplotlib()
    figure_format(path)
    check_target(path)
    specs = [read_spec(file, None, {}) for file in files] + [read_spec(None, text, {}) for text in expressions]
    names = [*(None if file == "-" else Path(file).stem for file in files), *(None for _ in expressions)]
    if len(specs) == 1 and is_sweep(choices):
        names = [""]  # the values alone name the curves
    drawn, shown = every_choice(specs, labels or names, choices)
    if of_map:
        with tables_on_disk([data]) as (own,):
            save_figure(_figure_of_map(drawn[0], own, columns, types, settings, what, dark), path)
        return
    options: Any = {"what": what, "lags": lags, "frequencies": frequencies, "seed": settings.seed, "dark": dark}
    save_figure(plot_kernels(drawn, shown, **options), path)


def _figure_of_map(
    spec: Spec, data: str | None, given: GivenColumns, types: GivenTypes, settings: MapOptions, what: Any, dark: bool
) -> Figure:
    """A picture of the map of a spec, planned for the rows of a file if there is one. Raises KernelspecError."""
    from kernelspec.cli.feature_run import PlanningRows, map_or_problem
    from kernelspec.maps.pictures import plot_map

    on_file = None if data is None else PlanningRows.of(spec, data, given, types, quiet=True)
    columns = spec.columns(given.dim, given.names) if on_file is None else on_file.columns
    fmap, problem = map_or_problem(settings, spec if on_file is None else on_file.spec, columns, on_file)
    if problem is not None:
        raise problem
    if fmap is None:
        raise click.UsageError("the number of columns is not known: use --dim, --columns or DATA")
    return plot_map(fmap, None if on_file is None else on_file.spread, what, dark)
