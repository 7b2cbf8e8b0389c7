"""The facts as text, LaTeX, HTML and JSON data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from kernelspec.analysis.expression_text import StructuredFormulas, latex_of, shown, text_of
from kernelspec.analysis.facts import Fact, Facts, analyze
from kernelspec.analysis.statements import kernel
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import KernelspecError
from kernelspec.measures.derivation_steps import Step
from kernelspec.rendering.notebooks import coloured, folded, html_rows, preformatted

__all__ = [
    "derivation_latex",
    "derivation_text",
    "derivation_to_list",
    "facts_to_dict",
    "html_report",
    "kernel_formula",
    "latex_report",
    "text_report",
]


def derivation_text(steps: Sequence[Step]) -> str:
    """Every step with its number, its rule and its equation."""
    lines = []
    for i, step in enumerate(steps, 1):
        lines.append(f"{i}. {step.rule}: {step.words}")
        first, *others = map(shown, step.equals)
        lines.append(f"     {first}" + "".join(f"\n       = {other}" for other in others))
    return "\n".join(lines)


def derivation_latex(steps: Sequence[Step]) -> str:
    """An `align*` environment with the equations of all steps."""
    sides = [list(map(latex_of, step.equals)) for step in steps]
    return _aligned((first if i == 0 else "", other) for first, *others in sides for i, other in enumerate(others))


def _aligned(rows: Iterable[tuple[str, str]]) -> str:
    body = " \\\\\n".join(f"  {left} &= {right}" for left, right in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def derivation_to_list(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Every step as JSON data: `rule`, `words`, and the sides of its equation, `equals`."""
    return [
        {"rule": step.rule, "words": step.words, "equals": [text_of(side) for side in step.equals]} for step in steps
    ]


def facts_to_dict(facts: Iterable[Fact]) -> dict[str, Any]:
    """The value of every fact by its name; for a missing one the reason, as `no_` plus its name."""
    found: dict[str, Any] = {}
    for fact in facts:
        found[fact.name] = deepcopy(fact.value)
        if fact.explains:
            found[f"no_{fact.name}"] = fact.missing
    return found


_LONGEST_FORMULA = 400  # characters of LaTeX; a longer formula runs out of a notebook's page, and is shown in words


def html_report(facts: Facts) -> str:
    """The colored spec, the answers of its verdict, formulas for the notebook to render, and all facts as text."""
    rows = [row for fact in facts.stated for row in fact.latex]
    formulas = ((f"${left}$", f"${right}$") for left, right in rows if len(right) <= _LONGEST_FORMULA)
    is_long = any(left == "k(x, y)" and len(right) > _LONGEST_FORMULA for left, right in rows)
    return "".join(
        [
            coloured(str(facts.spec)),
            html_rows("Facts", [*facts.verdict.answers(), *formulas]),
            preformatted("\n".join(StructuredFormulas(facts.spec, facts.columns).lines())) if is_long else "",
            folded("all facts in words", preformatted(facts.report())),
        ]
    )


def latex_report(facts: Iterable[Fact]) -> str:
    """An `align*` environment with one line for every equation."""
    return _aligned(row for fact in facts for row in fact.latex)


def kernel_formula(spec: ValuedProgram) -> str | None:
    """k(x, y) of a spec on the columns it names, `$…$`; None if it needs more numbers."""
    try:
        ((left, right),) = kernel(analyze(spec)).latex
    except KernelspecError:
        return None
    return f"$\\displaystyle {left} = {right}$"


def text_report(facts: Iterable[Fact]) -> str:
    """The lines of all facts."""
    return "\n".join(line for fact in facts for line in fact.lines)
