"""`kernelspec report`: one static HTML page about a kernel, its plan, and a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelspec.cli.feature_run import PlanningRows, map_or_problem
from kernelspec.cli.group import check_outputs, finite
from kernelspec.cli.model_tables import Asked, tables_on_disk
from kernelspec.cli.options import (
    GivenColumns,
    GivenTypes,
    complete_columns,
    data_column_options,
    documented,
    map_options,
    type_options,
    waiting,
    with_flags,
)
from kernelspec.cli.spec_input import Values, read_spec_for_data, spec_and_data, spec_options
from kernelspec.errors import KernelspecError
from kernelspec.loading import unknown_column
from kernelspec.planning.options import MapOptions
from kernelspec.rendering.notebooks import coloured, folded, html_grid, html_rows, preformatted

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec

__all__ = ["report"]


@documented(
    "Write one HTML page about a kernel.",
    'kernelspec report -e "matern(nu=3/2)" --dim 2 -o report.html',
    "kernelspec report churn.kernel train.csv --target churned -o report.html",
)
@click.argument("files", nargs=-1, metavar="SPEC [TABLE]")
@click.option("-o", "--output", required=True, metavar="OUT", help="The page to write (.html).")
@spec_options
@data_column_options
@type_options
@map_options()
@click.option(
    "--target", metavar="NAME", shell_complete=complete_columns, help="Also describe a model of this column of TABLE."
)
def report(
    files: tuple[str, ...],
    output: str,
    expression: str | None,
    values: Values,
    columns: GivenColumns,
    types: GivenTypes,
    settings: MapOptions,
    target: str | None,
) -> None:
    """Write one static page that shows a kernel: spec, verdict with its proof, formulas, pictures, and plan.

    With TABLE, the page also has the distribution of k between its rows, the predicted and the measured error, and a
    test of the features. With --target, it has a model of that column.

    The page needs no network, and includes all it shows as JSON in the element `kernelspec-report`.
    """
    path, data = spec_and_data(files, expression, takes_data=True)
    if target is not None and data is None:
        raise click.UsageError("--target requires TABLE")
    check_outputs([path, data], [("-o", output)])
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"-o {output}: a report is written to a .html file")
    spec = read_spec_for_data(path, expression, values)
    with tables_on_disk([data]) as (own,), waiting("writing the report"):
        if target is not None:
            with columns.opened(str(own)) as reader:
                if reader.names is not None and target not in reader.names:
                    raise unknown_column(str(data), target, reader.names)
            columns = replace(columns, dropped=tuple(dict.fromkeys((*columns.dropped, target))))
        page = _Page()
        on_file = None if data is None else PlanningRows.of(spec, own, columns, types, quiet=True)
        fmap = _add_kernel(page, spec, columns, on_file, settings)
        if on_file is not None and fmap is not None:
            _add_rows(page, "standard input" if data == "-" else str(data), on_file, fmap)
        if target is not None:
            _add_model(page, spec, Asked(columns, types.for_model(), target), own, settings)
        from kernelspec.tables.atomic import write_bytes_atomically

        write_bytes_atomically(Path(output), page.html(str(spec)).encode())
    click.echo(f"{output}: {len(page.sections)} sections", err=True)


@dataclass(frozen=True)
class _Page:
    """Sections of HTML with their titles, and what they show as JSON data."""

    sections: list[tuple[str, str]] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def add(self, title: str, body: str, name: str, data: Any) -> None:
        self.sections.append((title, body))
        self.data[name] = data

    def html(self, spec: str) -> str:
        """The whole page."""
        from datetime import UTC, datetime

        from kernelspec import __version__

        body = "".join(f"<section><h2>{escape(title)}</h2>{text}</section>" for title, text in self.sections)
        shown = escape(" ".join(spec.split())[:80])
        written = {"kernelspec": __version__, "date": datetime.now(UTC).strftime("%Y-%m-%d")}
        stored = json.dumps(finite(self.data | written), ensure_ascii=False).replace("<", "\\u003c")
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Kernel report: {shown}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
            f"<body><main><h1>Kernel report</h1>{body}"
            f"<footer>kernelspec {escape(__version__)}, {written['date']}</footer></main>"
            f'<script type="application/json" id="kernelspec-report">{stored}</script></body></html>\n'
        )


_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #ffffff; --line: #d5dbe3; --soft: #f4f6f9; --mark: #1f5fa8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --paper: #14181d; --line: #3a434e; --soft: #1e242b; --mark: #8bbcf2; }
  section:first-of-type pre { filter: invert(1) hue-rotate(180deg); }
}
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 54rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; color: var(--mark); }
section { break-inside: avoid; }
pre { overflow-x: auto; background: var(--soft); color: var(--ink); padding: .7rem .9rem;
  border-radius: 6px; font-size: .85rem; white-space: pre-wrap; }
table { border-collapse: collapse; font-size: .9rem; } th, td { padding: .2rem .8rem .2rem 0; text-align: left;
  vertical-align: top; border-bottom: 1px solid var(--line); } th { font-weight: 600; } caption { display: none; }
.scroll { overflow-x: auto; overflow-y: hidden; } .scroll:focus { outline: 2px solid var(--mark); }
math { font-size: 1.05rem; } figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: .85rem; padding: .3rem 0; }
.verdict { font-size: 1.1rem; font-weight: 600; } ul { padding-left: 1.2rem; } footer { margin-top: 3rem;
  font-size: .85rem; border-top: 1px solid var(--line); padding-top: .6rem; }
@page { margin: 12mm; }
@media print { :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --line: #bbbbbb; --soft: #f4f6f9;
  --mark: #1f5fa8; } html, body { font-size: 8.5pt; } main { max-width: none; padding: 0; } h1 { margin: 0; }
  h2 { margin: .7rem 0 .3rem; } p, ul, figure { margin: .3rem 0; } figure svg { max-height: 4.6cm; }
  footer { margin-top: 1rem; } .scroll { overflow: visible; } details { display: none; }
  section:first-of-type pre { filter: none; } }
"""


_LONGEST_FORMULA = 2_500
"""Characters of MathML; a longer formula is shown as text, with the names of the spec's let lines."""


def _formula(symbol: str, expression: Any) -> str | None:
    """`symbol = expression` in MathML; None if it is too long to read."""
    from kernelspec.analysis.expression_text import mathml_of

    body = mathml_of(expression)
    if len(body) > _LONGEST_FORMULA:
        return None
    head = "".join(
        f"<mi>{escape(sign)}</mi>" if sign.isalpha() else f'<mo stretchy="false">{escape(sign)}</mo>' for sign in symbol
    )
    return (
        '<div class="scroll" tabindex="0" role="region" '
        f'aria-label="formula of {escape(symbol)}"><math display="block">'
        f"<mrow>{head}<mo>=</mo>{body}</mrow></math></div>"
    )


def _add_kernel(
    page: _Page, spec: Spec, columns: GivenColumns, on_file: PlanningRows | None, settings: MapOptions
) -> FeatureMap | None:
    """Add spec, verdict, formulas, pictures and plan; return the map."""
    from kernelspec.analysis.facts import analyze
    from kernelspec.planning.explain import plan_in_brief

    table = spec.columns(columns.dim, columns.names) if on_file is None else on_file.columns
    spec = spec if on_file is None else on_file.spec
    facts = analyze(spec, table.count if table.given else None, columns=table.names if table.given else None)
    page.add("Spec", coloured(str(spec)), "spec", str(spec))
    verdict = facts.verdict
    reasons = "".join(f"<li>{escape(line)}</li>" for line in verdict.reasons)
    answers = html_rows("Verdict", verdict.answers())
    page.add("Verdict", f"{answers}<ul>{reasons}</ul>", "verdict", verdict.to_dict())
    page.add("Formulas", _formulas(facts), "facts", facts.to_dict())
    _add_picture(page, spec)
    fmap, problem = map_or_problem(settings, spec, table, on_file)
    if fmap is None:
        why = with_flags(str(problem or "the number of columns is not known: set dim= or columns="))
        page.add("Plan", preformatted(why), "plan", {"no_plan": why})
    else:
        n_columns = fmap.n_columns if fmap.has_columns else None
        brief = preformatted("\n".join(plan_in_brief(fmap.plan, n_columns)))
        whole = folded("all parts of the plan, and its alternatives", preformatted(fmap.explain()))
        page.add("Plan", brief + whole, "plan", fmap.plan.to_dict() | {"n_columns": n_columns})
    return fmap


def _formulas(facts: Facts) -> str:
    from kernelspec.analysis.expression_text import StructuredFormulas
    from kernelspec.analysis.overview import on_fewer_columns

    formulas = StructuredFormulas(facts.spec, facts.columns)
    shown = _formula("k(x,y)", facts.kernel) or preformatted("\n".join(formulas.lines()))
    labels: list[tuple[str, Callable[[], Any]]] = [
        ("total mass k(x, x)", lambda: facts.k0),
        ("second moment of the frequency", lambda: facts.second_moment),
        ("tail exponent of the spectral measure", lambda: facts.tail_exponent),
        ("mean-square derivatives of paths", lambda: facts.paths.derivatives),
    ]
    known = []
    with suppress(KernelspecError):
        shown += _formula("μ(ω)", facts.spectral_measure) or ""
    fewer = on_fewer_columns(facts)
    if fewer is not None and (formula := _formula("μ(ω)", fewer[1].spectral_measure)):
        shown += f"<p>Spectral measure {escape(fewer[0])}:</p>{formula}"
    for label, value in labels:
        with suppress(KernelspecError):
            found = value()
            text = f"{found:g}" if isinstance(found, float) else str(found)
            known.append((label, {"oo": "∞", "inf": "∞", "nan": "not known"}.get(text, text)))
    return shown + html_rows("Facts", known)


def _add_picture(page: _Page, spec: Spec) -> None:
    """Add the kernel and its spectral density as SVG, or why they are not drawn."""
    from kernelspec.analysis.pictures import plot_kernels
    from kernelspec.plotting.figures import svg_of

    try:
        figure = plot_kernels([spec], ["k"], dark=False)
    except KernelspecError as error:
        page.add("Pictures", preformatted(str(error)), "picture", {"no_picture": str(error)})
        return
    svg = svg_of(figure, "kernel and spectral density")
    caption = "The kernel on one column, and the density of its frequencies (stems are atoms)."
    page.add("Pictures", f"<figure>{svg}<figcaption>{caption}</figcaption></figure>", "picture", caption)


_MAPS, _BINS = 200, 24


def _add_rows(page: _Page, path: str, on_file: PlanningRows, fmap: FeatureMap) -> None:
    """Add the distribution of k between rows, the predicted and the measured error, and a test of the features."""
    import numpy as np

    from kernelspec.analysis.gram import evaluate_blocks
    from kernelspec.elaboration.data_columns import kernel_and_layout
    from kernelspec.verification.verifier import verify

    some, kernel = on_file.spread, kernel_and_layout(on_file.spec, on_file.columns)[0]
    values = np.concatenate([block for _, block in evaluate_blocks(kernel, some, some)])
    values = values[~np.eye(len(values), dtype=bool)]
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    quantiles = np.quantile(values, levels).tolist() if len(values) else []
    table = html_grid([f"{level:.0%}" for level in levels], [[f"{value:.3g}" for value in quantiles]])
    page.add(
        "The kernel between rows",
        f"<p>Quantiles of k between different rows, of {len(some):,} rows of {escape(path)}:</p>{table}"
        + _histogram(values),
        "between_rows",
        {"rows": len(some), "levels": levels, "quantiles": quantiles},
    )
    analysis = fmap.analyze(some)
    words = (
        f"<p>Relative error of the kernel matrix: predicted {analysis.predicted**0.5:.3g}, measured "
        f"{analysis.measured**0.5:.3g}, this map {analysis.this_map:.3g}.</p>"
    )
    parts = [
        [node.name, f"{node.samples:,}", f"{node.predicted**0.5:.3g}", f"{node.measured**0.5:.3g}"]
        for node in analysis.nodes
    ]
    grid = html_grid(["part", "samples", "predicted", "measured"], parts)
    whole = folded("what each part is made of", preformatted(str(analysis)))
    page.add("Error on the data", words + grid + whole, "error", analysis.to_dict())
    try:
        found = verify(
            on_file.spec, some, n_features=fmap.plan.n_features, n_maps=_MAPS, columns=fmap.plan.layout.names
        )
    except KernelspecError as error:
        page.add("Test of the features", preformatted(str(error)), "certificate", {"no_certificate": str(error)})
        return
    first = (
        f'<p class="verdict">{escape(found.verdict)}</p><p>{found.n_tests:,} tests for a bias or a variance other than '
        f"predicted, on {found.n_maps:,} independent maps; the chance of any false alarm is {found.budget:.0e}.</p>"
    )
    whole = folded("every method", preformatted(str(found)))
    page.add("Test of the features", first + whole, "certificate", found.to_dict())


def _histogram(values: Any) -> str:
    """A histogram as SVG."""
    import numpy as np

    if not len(values):
        return ""
    counts, edges = np.histogram(values, _BINS)
    top, width = max(int(counts.max()), 1), 560 / _BINS
    bars = "".join(
        f'<rect x="{20 + i * width:.1f}" y="{110 - 100 * n / top:.1f}" width="{width - 1:.1f}" '
        f'height="{100 * n / top:.1f}" fill="var(--mark)"/>'
        for i, n in enumerate(counts)
    )
    ends = "".join(
        f'<text x="{x}" y="126" font-size="12" fill="currentColor" text-anchor="{anchor}">{value:.3g}</text>'
        for x, anchor, value in ((20, "start", edges[0]), (580, "end", edges[-1]))
    )
    return (
        '<figure><svg viewBox="0 0 600 130" role="img" aria-label="histogram of the kernel between rows">'
        f"{bars}{ends}</svg></figure>"
    )


def _add_model(page: _Page, spec: Spec, asked: Asked, path: str, settings: MapOptions) -> None:
    """Score and explanation of a model of a column. Raises DataError, PlanError."""
    from kernelspec.models.classifier import KernelClassifier
    from kernelspec.models.explanation import explain_model
    from kernelspec.models.regressor import KernelRegressor
    from kernelspec.models.saved import held_out_score
    from kernelspec.models.state import has_classes

    n_features = settings.n_features if isinstance(settings.n_features, int) else 1024
    X, y = asked.read([path], spec)
    found = explain_model(spec, X, y, n_features=n_features, text=asked.types.text, missing=asked.types.missing)
    model = KernelClassifier if has_classes(y) else KernelRegressor
    options: dict[str, Any] = {"text": asked.types.text or None, "missing": asked.types.missing, "random_state": 0}
    score = held_out_score(model(spec, n_features=n_features, **options), X, y)
    first = "" if score is None else f'<p class="verdict">{escape(str(score))}</p>'
    data = found.to_dict() | {"held_out": None if score is None else vars(score)}
    page.add(f"A model of {asked.target}", first + preformatted(str(found)), "model", data)
