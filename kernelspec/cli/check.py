"""`kernelspec check`, `fmt` and `explain`: what a kernel is, in canonical layout, and the plan of its features."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.group import BAD_INPUT, NO, print_json, print_report
from kernelspec.cli.model_tables import Asked, tables_on_disk
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    bundled,
    column_options,
    complete_columns,
    data_column_options,
    documented,
    json_option,
    map_options,
    refuse_options,
    type_options,
    waiting,
    with_flags,
)
from kernelspec.cli.spec_input import (
    Values,
    one_text,
    read_spec,
    say_if_dead,
    spec_and_data,
    spec_options,
    text_of,
)
from kernelspec.cli.spec_input import read_spec_for_data as given
from kernelspec.errors import KernelspecError, ParameterError
from kernelspec.kernels.kernel import Verdict
from kernelspec.planning.options import OPTIONS, MapOptions

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.maps.analyze import Analysis
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec

__all__ = ["Layers", "check", "explain", "fmt", "show"]

_ANSWERS = {
    "proved": "proved: positive definite",
    "disproved": "disproved: not positive definite",
    "unknown": "unknown: neither proved nor disproved to be positive definite",
}


def _answer(verdict: Verdict) -> str:
    if verdict.most_columns is None:
        return _ANSWERS[verdict.positive_definite]
    columns = f"{verdict.most_columns} column{'s' * (verdict.most_columns != 1)}"
    return f"disproved: positive definite in up to {columns}, not in any number of them; use --dim or --columns"


@documented(
    "Check whether a kernel is positive definite.",
    'kernelspec check -e "0.7*gaussian(scale=2) + 0.3*laplace()"',
    "kernelspec check churn.kernel --dim 8 --json",
)
@click.argument("files", nargs=-1, metavar="SPEC")
@spec_options
@column_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; return only the exit status.")
@click.option("--steps", is_flag=True, help="Print the values and remainders needed to check the proof by hand.")
@json_option
def check(
    files: tuple[str, ...],
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    quiet: bool,
    steps: bool,
    as_json: bool,
) -> None:
    """Check whether a kernel is positive definite, and explain the answer.

    SPEC is a file, or - for standard input. Without --dim or --columns, the answer holds for any number of columns.

    Exit status: 0 if proved, 1 if disproved or unknown, 2 if the spec is invalid.
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
        if steps:
            click.echo(
                "\n".join(["by hand:", *(f"  {step}" for step in verdict.steps or ["no steps in exact numbers"])])
            )
    if verdict.positive_definite != "proved":
        raise click.exceptions.Exit(NO)


@documented(
    "Format spec files.",
    "kernelspec fmt churn.kernel",
    "kernelspec fmt --check *.kernel",
)
@click.argument("files", nargs=-1, metavar="SPEC...")
@click.option(
    "-e",
    "--expression",
    metavar="TEXT",
    multiple=True,
    callback=one_text,
    help="Format this text to standard output.",
)
@click.option("--check", is_flag=True, help="Only list what would change; exit status 1 if anything would.")
def fmt(files: tuple[str, ...], expression: str | None, check: bool) -> None:
    """Format spec files in place; text from standard input (-) or -e goes to standard output.

    Formatting keeps comments and never changes the kernel. A file with an error is left as it is; the others are
    formatted, and the exit status is 2.
    """
    if not files and expression is None:
        raise click.UsageError("SPEC is missing: name one or more files, '-' for standard input, or -e TEXT")
    if files and expression is not None:
        raise click.UsageError("use either files or -e TEXT, not both")
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
    """Format one text; return whether that changes it."""
    from kernelspec.language.printer import format_text

    name = {None: "<expression>", "-": "<stdin>"}.get(file, file)
    # -e TEXT usually has no final newline
    text = text_of(file) if file is not None else f"{expression}\n"
    formatted = format_text(text.replace("\r\n", "\n"), str(name))
    changed = formatted != text
    if check:
        if changed:
            click.echo(f"would format {name}")
    elif file in (None, "-"):
        click.echo(formatted.encode(), nl=False)  # specs are UTF-8, whatever the terminal's encoding
    elif changed:
        from kernelspec.tables.atomic import write_bytes_atomically

        write_bytes_atomically(Path(str(file)), formatted.encode())
        click.echo(f"formatted {name}", err=True)
    return changed


@dataclass(frozen=True)
class Layers:
    """What to print: everything, or one screen and optional sections below it."""

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
        """Return the report; `predicted` is a line about the rows of DATA, `why_no_plan` explains a missing plan."""
        from kernelspec.analysis.overview import overview, variance_lines
        from kernelspec.planning.explain import plan_in_brief

        whole = ["", plan.explain()] if plan is not None and (self.everything or self.plans) else []
        if self.everything:
            lines = [facts.report(), *whole]
        else:
            brief = [] if plan is None else plan_in_brief(plan.plan, plan.n_columns if plan.has_columns else None)
            lines = [*overview(facts), *brief]
        lines += [] if why_no_plan is None else ["", f"no plan: {why_no_plan}"]
        lines += [] if predicted is None else [f"  {predicted}"]
        if not self.everything:
            lines += ["", *variance_lines(facts)] if self.variance else []
            lines += whole if self.plans else []
            if not (self.variance or self.plans or self.analyze):
                lines.append("more: --variance, --plans, --analyze (with DATA), --all")
        return "\n".join(lines if analysis is None else [*lines, "", str(analysis)])


layer_options = bundled(
    "layers",
    Layers,
    click.option("--variance", is_flag=True, help="Add the variance of every sampling scheme."),
    click.option("--plans", is_flag=True, help="Add the full plan and its alternatives."),
    click.option("--analyze", is_flag=True, help="Measure the error of each part of the plan on DATA."),
    click.option("--all", "everything", is_flag=True, help="Print all facts with explanations, and the full plan."),
)
"""Add the options of `Layers` to a command, which receives them as `layers`."""


@documented(
    "Describe a kernel and the plan for its features.",
    'kernelspec explain -e "matern(nu=3/2)" --dim 3',
    "kernelspec explain churn.kernel train.csv --n-features 512",
)
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options()
@layer_options
@click.option("--latex", is_flag=True, help="Print the formulas in LaTeX, without a plan.")
@click.option("--steps", is_flag=True, help="Print only the derivation of the spectral density, rule by rule.")
@click.option(
    "--target", metavar="NAME", shell_complete=complete_columns, help="Explain a model of this column of DATA instead."
)
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
    target: str | None,
    as_json: bool,
) -> None:
    """Describe a kernel on one screen: verdict, spectral density, terms, smoothness, and the plan for its features.

    The plan needs the columns: from --dim, --columns, the names in the spec, or DATA. With DATA, the plan is chosen for
    20,000 random rows of the file (as with `features --plan-on DATA`), and the error of the kernel matrix is predicted
    for 512 of them.

    --all and --json give everything that is known: explanations, spectral measure, masses, moments, variances. If
    features cannot be drawn, the facts are followed by an error, and the exit status is 2.

    With --target, the kernel is fitted to that column of DATA: the variance that each term carries, rows far from all
    others, the effective dimension, and whether more features or more rows would help.
    """
    path, data = spec_and_data(files, expression, takes_data=True)
    for is_wrong, what in (
        (latex and as_json, "use either --latex or --json, not both"),
        (data is None and layers.analyze, "--analyze requires DATA, a file of rows to measure on"),
        (data is None and columns.dropped, "--drop requires DATA"),
        (target is not None and data is None, "--target requires DATA"),
        (target is not None and (latex or steps), "--target cannot be combined with --latex or --steps"),
    ):
        if is_wrong:
            raise click.UsageError(what)
    spec = (read_spec if data is None else given)(path, expression, values)
    if target is not None:
        refuse_options(click.get_current_context(), _OF_MAPS, "with --target")
        _explain_target(Asked(columns, types.for_model(), target), spec, str(data), settings, as_json=as_json)
        return
    from kernelspec.analysis.facts import analyze
    from kernelspec.cli.feature_run import PlanningRows, map_or_problem

    with tables_on_disk([data]) as (own,):
        on_file = None if data is None else PlanningRows.of(spec, own, columns, types)
        table = spec.columns(columns.dim, columns.names) if on_file is None else on_file.columns
        spec = spec if on_file is None else on_file.spec
        facts = analyze(spec, table.count if table.given else None, columns=table.names if table.given else None)
        if steps or latex:
            from kernelspec.analysis.reports import derivation_latex, derivation_text, derivation_to_list

            products = facts.closed_products if latex and not steps else None
            if steps and as_json:
                print_json({"derivation": derivation_to_list(facts.derivation)})
            elif steps:
                click.echo((derivation_latex if latex else derivation_text)(facts.derivation))
            else:  # for several catalogue kernels, with a table of the products with a closed-form density
                click.echo("\n\n".join([facts.latex(), *([] if products is None else [products.latex()])]))
            return
        plan, problem = map_or_problem(settings, spec, table, on_file)  # the facts are printed all the same
        seen: dict[str, Any] = {}
        analysis = line = None
        if on_file is not None:
            dead, rows = say_if_dead(spec, table, on_file.rows), on_file.spread
            analysis = plan.analyze(rows) if plan is not None and layers.analyze else None
            error = None if plan is None else plan.predicted_error(rows, hashed=plan.has_keys)
            seen = {"predicted_error": error, "rows": len(rows), "dead_kernel": dead}
            seen |= {} if analysis is None else {"analysis": analysis.to_dict()}
        why = None if problem is None else with_flags(getattr(problem, "message", str(problem)))
        if as_json:
            planned = None if plan is None else plan.plan.to_dict() | {"n_columns": plan.n_columns}
            print_json(facts.to_dict() | {"plan": planned, "no_plan": why} | seen)
        else:
            if plan is not None and seen and (plan.plan.chosen.error is None or layers.everything):
                where = f"the kernel matrix of {seen['rows']} rows of {'standard input' if data == '-' else data}"
                line = f"predicted relative error (Frobenius) of {where}: {seen['predicted_error']:.3g}"
            click.echo(layers.text(facts, plan, why if isinstance(problem, ParameterError) else None, line, analysis))
        if problem is not None and not isinstance(problem, ParameterError):  # a symbolic kernel has no features yet
            raise problem


_OF_MAPS = {"dim", "analyze", "everything", "plans", "variance", *OPTIONS} - {"n_features", "seed"}
"""Options that do not concern a model."""


def _explain_target(asked: Asked, spec: Spec, data: str, settings: MapOptions, *, as_json: bool) -> None:
    """Explain a model of a column of a file. Raises UsageError, SpecError, DataError, FileError."""
    from kernelspec.models.explanation import explain_model

    if not isinstance(settings.n_features, int):
        raise click.UsageError("--n-features must be a number")
    with tables_on_disk([data]) as tables, waiting("explaining"):
        (X, y), types = asked.read(tables, spec), asked.types
        options: Any = {"text": types.text, "missing": types.missing, "seed": settings.seed}
        found = explain_model(spec, X, y, n_features=settings.n_features, **options)
    print_report(found, as_json=as_json)


@documented(
    "Describe a saved feature map or model.",
    "kernelspec show map.npz",
    "kernelspec show model.npz --json",
)
@click.argument("path", metavar="FILE")
@json_option
def show(path: str, as_json: bool) -> None:
    """Describe a saved feature map (`features --save-map`, `fmap.save`) or model (`fit`, `model.save`).

    Prints the spec, the columns and their types, the categories, and when and by which version the file was written;
    for a map also its plan, for a model its target, noise and score. The whole file is checked. --json lists all
    categories.
    """
    from kernelspec.maps.map_file import holds_model

    saved: Any
    if holds_model(path):
        from kernelspec.models.saved import load_model

        saved = load_model(path)
    else:
        from kernelspec.maps.feature_map import load_map

        saved = load_map(path)
    print_report(saved.describe(), as_json=as_json)
