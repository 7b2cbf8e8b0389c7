"""The size of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import shortened, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["diagonal"]


def diagonal(facts: Facts) -> Fact:
    """k(x, x), the mass of the spectral measure where there is one."""
    found = text_of(facts.k0)
    return Fact(name="k0", value=found, lines=(f"k(x, x) = {shortened(found)}",))
