"""The dual activations of a compositional kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["dual_nodes"]


def dual_nodes(facts: Facts) -> Fact:
    """The law of degrees of every dual activation; null where numbers are missing."""
    found, _ = answer_or_reason(lambda: facts.dual_nodes)
    if found is None:
        return Fact(name="dual_nodes", value=None)
    value = [node.to_dict() for node in found]
    return Fact(name="dual_nodes", value=value, lines=tuple(node.line() for node in found))
