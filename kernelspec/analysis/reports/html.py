"""The facts about a kernel for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.rendering.html import folded, html_rows, preformatted
from kernelspec.rendering.spec_html import coloured

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["html_report"]


def html_report(facts: Facts) -> str:
    """The spec in colours, the answers of its verdict, every formula for the notebook to set; all facts in words."""
    formulas = ((f"${left}$", f"${right}$") for fact in facts.stated for left, right in fact.latex)
    return "".join(
        [
            coloured(str(facts.spec)),
            html_rows("Facts", [*facts.verdict.answers(), *formulas]),
            folded("all facts in words", preformatted(facts.report())),
        ]
    )
