"""The size of features as lines of text: their norm, their factors, and the layers of compositional kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.bounds.feature_size import concentration
from kernelspec.analysis.open_questions import answer_or_reason

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["composition_lines"]


def composition_lines(facts: Facts) -> list[str]:
    """Norm and number of factors with what they say of the error, then every dual activation and every skeleton."""
    lines = _size_lines(facts)
    nodes, _ = answer_or_reason(lambda: facts.dual_nodes)
    lines += [node.line() for node in nodes or ()]
    skeletons, _ = answer_or_reason(lambda: facts.skeletons)
    for skeleton in skeletons or ():
        first, *rest = skeleton.lines()
        lines += [f"skeleton: {first}", *(f"  {line}" for line in rest)]
    return lines


def _size_lines(facts: Facts) -> list[str]:
    found, _ = answer_or_reason(lambda: facts.composition)
    norm, _ = answer_or_reason(lambda: facts.norm)
    if norm is None:
        return []
    finite = norm < float("inf")
    if found is None:
        return [f"a feature has norm at most C = {norm:.6g}"] if finite else []
    factors = "infinite" if found.complexity == float("inf") else f"{found.complexity:.6g}"
    size = f"its norm is at most C = {norm:.6g}" if finite else "its norm has no bound"
    lines = [f"a feature has {factors} factor{'' if factors == '1' else 's'} in the mean; {size}"]
    if finite:
        count, phase = concentration(norm), concentration(norm, phase=True)
        lines.append(
            f"  {count:.6g} ln(2/δ)/ε² samples of one law keep the error of an inner product below ε with probability "
            f"1 − δ ({phase:.6g} with random offsets)"
        )
    return lines
