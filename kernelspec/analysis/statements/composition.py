"""The size of the features of a compositional kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.bounds.feature_size import concentration
from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.variances.dual_nodes import number

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["composition"]


def composition(facts: Facts) -> Fact:
    """The number of factors and the norm, with what they say of the error."""
    found, _ = answer_or_reason(lambda: facts.composition)
    if found is None:
        return Fact(name="composition", value=None)
    norm, finite = found.norm, found.norm < float("inf")
    factors = "infinite" if found.complexity == float("inf") else f"{found.complexity:.6g}"
    size = f"its norm is at most C = {norm:.6g}" if finite else "its norm has no bound"
    lines = [f"a feature has {factors} factor{'' if factors == '1' else 's'} in the mean; {size}"]
    count, phase = concentration(norm), concentration(norm, phase=True)
    if phase < float("inf"):
        lines.append(
            f"  {count:.6g} ln(2/δ)/ε² samples of one law keep the error of an inner product below ε with probability "
            f"1 − δ ({phase:.6g} with random offsets)"
        )
    value = {key: number(size) for key, size in vars(found).items()}
    return Fact(name="composition", value=value, lines=tuple(lines))
