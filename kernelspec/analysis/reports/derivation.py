"""The derivation of a spectral density as text, as LaTeX and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.reports.expression_text import latex_of, shown, text_of

if TYPE_CHECKING:
    from kernelspec.measures.derivation.step import Step

__all__ = ["derivation_latex", "derivation_text", "derivation_to_list"]


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
    rows = []
    for step in steps:
        first, *others = map(latex_of, step.equals)
        rows += [f"  {first if i == 0 else ''} &= {other}" for i, other in enumerate(others)]
    body = " \\\\\n".join(rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def derivation_to_list(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Every step as JSON data: `rule`, `words`, and the sides of its equation, `equals`."""
    return [
        {"rule": step.rule, "words": step.words, "equals": [text_of(side) for side in step.equals]} for step in steps
    ]
