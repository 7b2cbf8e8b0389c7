"""The facts about a kernel that are formulas, as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact

__all__ = ["latex_report"]


def latex_report(facts: Iterable[Fact]) -> str:
    """An `align*` environment with one line for every equation."""
    rows = (row for fact in facts for row in fact.latex)
    body = " \\\\\n".join(f"  {left} &= {right}" for left, right in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
