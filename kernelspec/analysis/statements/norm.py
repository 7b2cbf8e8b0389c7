"""The largest norm of a feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.variances.dual_nodes import number

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["norm"]


def norm(facts: Facts) -> Fact:
    """C with |z(x)| ≤ C; the line of a compositional kernel says it with the number of its factors."""
    found, _ = answer_or_reason(lambda: facts.norm)
    if found is None:
        return Fact(name="norm", value=None)
    composition, _ = answer_or_reason(lambda: facts.composition)
    told = composition is None and found < float("inf")
    lines = (f"a feature has norm at most C = {found:.6g}",) if told else ()
    return Fact(name="norm", value=number(found), lines=lines)
