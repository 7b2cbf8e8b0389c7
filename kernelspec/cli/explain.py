"""`kernelspec explain`: the facts about a kernel, and the plan of its features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.column_types import GivenTypes, type_options
from kernelspec.cli.columns import GivenColumns, data_column_options
from kernelspec.cli.data_values import read_spec_for_data as given
from kernelspec.cli.data_values import say_if_dead, told_by_the_command, with_medians_said
from kernelspec.cli.derivation_steps import print_formulas, steps_option
from kernelspec.cli.explain_layers import Layers, layer_options
from kernelspec.cli.json_output import json_option, print_json
from kernelspec.cli.map_options import MapSettings, error_options, map_options
from kernelspec.cli.spec_input import Values, read_spec, spec_and_data, spec_options
from kernelspec.errors import KernelspecError, ParameterError

if TYPE_CHECKING:
    from kernelspec.maps.analysis import Analysis
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.tables.rows import Rows

__all__ = ["explain"]

_ERROR_ROWS = 512


@click.command(short_help="Everything about a kernel, and the plan of its features.")
@click.argument("files", nargs=-1, metavar="SPEC [DATA]")
@spec_options
@data_column_options
@type_options
@map_options()
@error_options
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
    settings: MapSettings,
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
    from kernelspec.cli.file_rows import FileRows
    from kernelspec.cli.map_source import rows_to_plan_on
    from kernelspec.elaboration.layout import layout_of
    from kernelspec.planning.seen_data import SeenData

    rows, recorded, seen = None, None, None
    if data is not None:
        layout = types.pinned(layout_of(spec.kernel(table), table))
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
                plan = settings.make(spec, table, seen, recorded)
        except KernelspecError as error:  # the facts are there all the same
            problem = error
    on_rows = None
    if rows is not None:
        on_rows = _OnRows.of(plan, _spread(rows), say_if_dead(spec, table, rows), analyze=layers.analyze)
    why = None if problem is None else getattr(problem, "message", str(problem))
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
