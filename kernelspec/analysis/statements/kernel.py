"""The kernel as an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import latex_of, shown, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["kernel"]


def kernel(facts: Facts) -> Fact:
    """k(x, y)."""
    found = facts.kernel
    return Fact(
        name="kernel",
        value=text_of(found),
        lines=(f"k(x, y) = {shown(found)}",),
        latex=(("k(x, y)", latex_of(found)),),
    )
