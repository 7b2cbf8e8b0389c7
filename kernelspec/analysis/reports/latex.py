"""The facts about a kernel that are formulas, as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernelspec.errors import KernelspecError

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact
    from kernelspec.elaboration.valued_program import ValuedProgram

__all__ = ["kernel_formula", "latex_report"]


def latex_report(facts: Iterable[Fact]) -> str:
    """An `align*` environment with one line for every equation."""
    rows = (row for fact in facts for row in fact.latex)
    body = " \\\\\n".join(f"  {left} &= {right}" for left, right in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def kernel_formula(spec: ValuedProgram) -> str | None:
    """k(x, y) of a spec on the columns it names, `$…$`; None where it is no formula without more numbers."""
    from kernelspec.analysis.facts import analyze
    from kernelspec.analysis.statements.kernel import kernel

    try:
        ((left, right),) = kernel(analyze(spec)).latex
    except KernelspecError:
        return None
    return f"$\\displaystyle {left} = {right}$"
