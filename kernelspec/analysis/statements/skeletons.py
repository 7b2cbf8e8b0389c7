"""The skeletons of a compositional kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.variances.skeletons import skeleton_to_dict

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["skeletons"]


def skeletons(facts: Facts) -> Fact:
    """Every skeleton with its layers; null where numbers are missing."""
    found, _ = answer_or_reason(lambda: facts.skeletons)
    if found is None:
        return Fact(name="skeletons", value=None)
    lines: list[str] = []
    for skeleton in found:
        first, *rest = skeleton.lines()
        lines += [f"skeleton: {first}", *(f"  {line}" for line in rest)]
    return Fact(name="skeletons", value=[skeleton_to_dict(skeleton) for skeleton in found], lines=tuple(lines))
