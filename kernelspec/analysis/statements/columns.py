"""The columns that the facts hold for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["columns"]


def columns(facts: Facts) -> Fact:
    """Names, or a number, or any number of columns."""
    names, count = facts.columns.names, facts.columns.count
    counted = str(count) if count is not None else "d (any number)"
    shown = counted if names is None else ", ".join(names)
    return Fact(name="columns", value=names or count, lines=(f"columns: {shown}",))
