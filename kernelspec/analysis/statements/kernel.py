"""The kernel as an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import latex_of, shortened, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["kernel"]


def kernel(facts: Facts) -> Fact:
    """k(x, y)."""
    found = facts.kernel
    text = text_of(found)
    return Fact(
        name="kernel",
        value=text,
        lines=(f"k(x, y) = {shortened(text)}",),
        latex=(("k(x, y)", latex_of(found)),),
    )
