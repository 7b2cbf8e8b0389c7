"""All facts about a kernel in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.analysis.fact import Fact

__all__ = ["text_report"]


def text_report(facts: Iterable[Fact]) -> str:
    """The lines of all facts."""
    return "\n".join(line for fact in facts for line in fact.lines)
