"""`kernelspec check`, `fmt` and `explain`: what a kernel is, in canonical layout, and the plan of its features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernelspec.cli.group import BAD_INPUT, NO, in_flags, print_json
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    column_options,
    data_column_options,
    json_option,
    map_options,
    planned_map,
    type_options,
)
from kernelspec.cli.spec_input import (
    Values,
    read_spec,
    read_text,
    say_if_dead,
    spec_and_data,
    spec_options,
    told_by_the_command,
    with_medians_said,
)
from kernelspec.cli.spec_input import read_spec_for_data as given
from kernelspec.errors import KernelspecError, ParameterError

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.kernels.kernel import Verdict
    from kernelspec.maps.analyze import Analysis
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.options import MapOptions
    from kernelspec.tables.rows import Rows

__all__ = ["Layers", "check", "explain", "fmt", "layer_options", "print_formulas", "show", "steps_option"]

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
        print_json({"spec": str(spec), "params": spec.params} | verdict.to_dict())
    elif not quiet:
        click.echo(_answer(verdict))
        click.echo("\n" + str(spec).rstrip() + "\n")
        for name, value in values.items():
            click.echo(f"with {name} = {value}")
        click.echo("\n".join(verdict.lines()))
    if verdict.positive_definite != "proved":
        raise click.exceptions.Exit(NO)


@click.command(short_help="Format spec files.")
@click.argument("files", nargs=-1, metavar="SPEC...")
@click.option("-e", "--expression", metavar="TEXT", help="Format this text, to standard output.")
@click.option("--check", is_flag=True, help="Change nothing: list what would change, exit status 1 if anything.")
def fmt(files: tuple[str, ...], expression: str | None, check: bool) -> None:
    """Format spec files in place; standard input (-) and -e go to standard output.

    Comments are kept, and the kernel stays the same. Files already in order are not touched. A file with an error
    stays as it is; the others are formatted, and the exit status is 2.

    \b
    Example:
      kernelspec fmt --check *.kernel
    """
    if not files and expression is None:
        raise click.UsageError("SPEC is missing: one or more files, '-' for standard input, or -e TEXT")
    if files and expression is not None:
        raise click.UsageError("either files or -e TEXT, not both")
    changed = failed = False
    for file in files or (None,):
        try:
            changed |= _format(file, expression, check)
        except KernelspecError as error:
            click.echo(str(error), err=True)
            failed = True
    if failed:
        raise click.exceptions.Exit(BAD_INPUT)
    if check and changed:
        raise click.exceptions.Exit(NO)


def _format(file: str | None, expression: str | None, check: bool) -> bool:
    """Format one text; whether that changes it."""
    from kernelspec.language.printer import format_text

    name = {None: "<expression>", "-": "<stdin>"}.get(file, file)
    # the end of the line of -e TEXT is no matter of style
    text = read_text(file) if file is not None else f"{expression}\n"
    formatted = format_text(text.replace("\r\n", "\n"), str(name))
    changed = formatted != text
    if check:
        if changed:
            click.echo(f"would format {name}")
    elif file in (None, "-"):
        click.echo(formatted.encode(), nl=False)  # a spec is UTF-8 text, whatever the terminal is
    elif changed:
        from kernelspec.tables.atomic import write_bytes_atomically

        write_bytes_atomically(Path(str(file)), formatted.encode())
        click.echo(f"formatted {name}", err=True)
    return changed


_Command = TypeVar("_Command", bound=Callable[..., Any])


def steps_option(command: _Command) -> _Command:
    """Add `--steps` to a command, as its argument `steps`."""
    text = "Print how the spectral density comes about, rule by rule, and nothing else."
    return click.option("--steps", is_flag=True, help=text)(command)


def print_formulas(facts: Facts, *, steps: bool, as_json: bool, latex: bool) -> None:
    """Print `facts.derivation` for `steps`, in LaTeX too, else the formulas in LaTeX.

    After the formulas of several kernels of the catalogue a table says which of their products have a closed density.
    Raises NotStationaryError if the kernel has no spectral measure.
    """
    from kernelspec.analysis.reports import derivation_latex, derivation_text, derivation_to_list

    if not steps:
        click.echo(facts.latex())
        if facts.closed_products is not None:
            click.echo("\n" + facts.closed_products.latex())
    elif as_json:
        print_json({"derivation": derivation_to_list(facts.derivation)})
    else:
        click.echo((derivation_latex if latex else derivation_text)(facts.derivation))


@dataclass(frozen=True)
class Layers:
    """Which layers are printed: all facts in full, or a screen, and with it variances, plans, measurements."""

    variance: bool = False
    plans: bool = False
    analyze: bool = False
    everything: bool = False

    def text(
        self,
        facts: Facts,
        plan: FeatureMap | None,
        why_no_plan: str | None,
        predicted: str | None,
        analysis: Analysis | None,
    ) -> str:
        """The report; `predicted` is a line about the rows of DATA, `why_no_plan` explains a missing plan."""
        if self.everything:
            lines = [facts.report(), *(["", plan.explain()] if plan is not None else [])]
        else:
            lines = [*self._screen(facts, plan)]
        lines += [] if why_no_plan is None else ["", f"no plan: {why_no_plan}"]
        lines += [] if predicted is None else [f"  {predicted}"]
        if not self.everything:
            lines += self._below(facts, plan)
        return "\n".join(lines if analysis is None else [*lines, "", str(analysis)])

    def _screen(self, facts: Facts, plan: FeatureMap | None) -> Iterator[str]:
        from kernelspec.analysis.overview import overview
        from kernelspec.planning.explain import plan_in_brief

        yield from overview(facts)
        if plan is not None:
            yield from plan_in_brief(plan.plan, plan.n_columns if plan.has_columns else None)

    def _below(self, facts: Facts, plan: FeatureMap | None) -> Iterator[str]:
        from kernelspec.analysis.overview import variance_lines

        if self.variance:
            yield from ["", *variance_lines(facts)]
        if self.plans and plan is not None:
            yield from ["", plan.explain()]
        if not (self.variance or self.plans or self.analyze):
            yield "more: --variance, --plans, --analyze (with DATA), --all"


def layer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name layers to a command, as its one argument `layers`, a Layers."""

    # click hands over every option as a keyword: these are taken out, the others belong to the command
    @wraps(command)
    def _call(*arguments: Any, variance: bool, plans: bool, analyze: bool, everything: bool, **others: Any) -> Any:
        return command(*arguments, layers=Layers(variance, plans, analyze, everything), **others)

    with_options: Callable[..., Any] = _call
    for option in (
        click.option("--all", "everything", is_flag=True, help="All facts with their reasons, and the plan in full."),
        click.option(
            "--analyze", is_flag=True, help="Measure every part of the plan on DATA, beside what it promised."
        ),
        click.option("--plans", is_flag=True, help="Below the screen the plan in full, and those that lost."),
        click.option("--variance", is_flag=True, help="Below the screen the variance of every way to sample."),
    ):
        with_options = option(with_options)
    return with_options


_ERROR_ROWS = 512


@click.command(short_help="Everything about a kernel, and the plan of its features.")
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options()
@layer_options
@click.option("--latex", is_flag=True, help="Print the formulas in LaTeX, and no plan.")
@steps_option
@json_option
def explain(
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapOptions,
    layers: Layers,
    latex: bool,
    steps: bool,
    as_json: bool,
) -> None:
    """Tell what a kernel is on one screen: its terms, how far and how smooth, the verdict, the plan of its features.

    --all has everything that is known: reasons, spectral measure, masses, moments, variances; so has --json. Formulas
    on the screen, and those of --variance, use the names of the spec's let lines, and Δ_age for the difference of two
    ages.

    The plan is there if the columns are known (by --dim, by --columns, because the spec names them, or from DATA). With
    DATA it is chosen for 20,000 random rows of the file, as by `features --plan-on DATA`, and the error of the kernel
    matrix is predicted for 512 of them; --analyze measures the share that every part of the plan has in it. Where
    features cannot be drawn the facts are followed by the reason, and the exit status is 2.

    \b
    Example:
      kernelspec explain churn.kernel train.csv --n-features 512
    """
    if latex and as_json:
        raise click.UsageError("either --latex or --json, not both")
    path, data = spec_and_data(files, expression, takes_data=True)
    spec, medians = (read_spec(path, expression, values), ()) if data is None else given(path, expression, values)
    if data is None and layers.analyze:
        raise click.UsageError("--analyze measures on DATA, and there is none")
    if data is None and columns.dropped:
        raise click.UsageError("--drop is for columns of DATA, and there is none")
    table = spec.columns(columns.dim, columns.names) if data is None else columns.in_file(spec, data)
    from kernelspec.analysis.facts import analyze
    from kernelspec.cli.data import FileRows
    from kernelspec.cli.feature_run import rows_to_plan_on
    from kernelspec.elaboration.data_columns import kernel_and_layout
    from kernelspec.planning.request import SeenData

    rows, recorded, seen = None, None, None
    if data is not None:
        layout = types.pinned(kernel_and_layout(spec, table)[1])
        rows, layout = rows_to_plan_on(layout, data, columns.header)
        recorded, seen = layout.types, SeenData(rows, FileRows((data,), layout, columns.header))
        spec = with_medians_said(spec, medians, table, rows)
    facts = analyze(spec, table.count if table.given else None, columns=table.names if table.given else None)
    if steps or latex:
        print_formulas(facts, steps=steps, as_json=as_json, latex=latex)
        return
    plan, problem = None, None
    if table.count is not None:
        try:
            with told_by_the_command():
                plan = planned_map(settings, spec, table, seen, recorded)
        except KernelspecError as error:  # the facts are there all the same
            problem = error
    on_rows = None
    if rows is not None:
        on_rows = _OnRows.of(plan, _spread(rows), say_if_dead(spec, table, rows), analyze=layers.analyze)
    why = None if problem is None else getattr(problem, "message", in_flags(problem))
    if as_json:
        planned = None if plan is None else plan.plan.to_dict() | {"n_columns": plan.n_columns}
        own = {} if on_rows is None else on_rows.to_dict()
        print_json(facts.to_dict() | {"plan": planned, "no_plan": why} | own)
    else:
        says = plan is not None and plan.plan.chosen.error is not None and not layers.everything
        line = None if on_rows is None or says else on_rows.line(data)
        analysis = None if on_rows is None else on_rows.analysis
        click.echo(layers.text(facts, plan, why if isinstance(problem, ParameterError) else None, line, analysis))
    if problem is not None and not isinstance(problem, ParameterError):  # with a symbol there is nothing to draw yet
        raise problem


@dataclass(frozen=True)
class _OnRows:
    """What a plan does on some rows of DATA, how many these are, and what was said of a kernel that is dead on them."""

    n_rows: int
    dead: str | None
    error: float | None
    analysis: Analysis | None

    @classmethod
    def of(cls, plan: FeatureMap | None, rows: Rows, dead: str | None, *, analyze: bool) -> _OnRows:
        """Predicted, and measured if that is asked for; without a plan neither."""
        error = None if plan is None else plan.predicted_error(rows, hashed=plan.has_keys)
        return cls(len(rows), dead, error, None if plan is None or not analyze else plan.analyze(rows))

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        own = {"predicted_error": self.error, "rows": self.n_rows, "dead_kernel": self.dead}
        return own if self.analysis is None else own | {"analysis": self.analysis.to_dict()}

    def line(self, data: str | None) -> str | None:
        """The prediction in words."""
        if self.error is None:
            return None
        where = f"the kernel matrix of {self.n_rows} rows of {data}"
        return f"predicted relative error (Frobenius) of {where}: {self.error:.3g}"


def _spread(rows: Rows) -> Rows:
    """At most 512 of the rows, from the first to the last."""
    import numpy as np

    return rows.take(np.unique(np.linspace(0, len(rows) - 1, _ERROR_ROWS).astype(np.int64)))


@click.command(short_help="What a saved feature map or model is.")
@click.argument("path", metavar="FILE")
@json_option
def show(path: str, as_json: bool) -> None:
    """Print what is in a saved feature map (`features --save-map`, `fmap.save`) or model (`fit`, `model.save`).

    Its spec, the columns it reads with their types, the categories by name, what wrote the file, when, and its
    checksum; the plan of a map and how many rows it was planned on; the target, rows, noise and score of a model. All
    of the file is checked; --json has all categories.

    \b
    Examples:
      kernelspec show map.npz
      kernelspec show model.npz --json
    """
    from kernelspec.maps.map_file import holds_model

    description: Any
    if holds_model(path):
        from kernelspec.models.saved import load_model

        description = load_model(path).describe()
    else:
        from kernelspec.maps.feature_map import load_map

        description = load_map(path).describe()
    if as_json:
        print_json(description.to_dict())
    else:
        click.echo(str(description))
