"""How fast the spectral density falls far out."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["tail_exponent"]


def tail_exponent(facts: Facts) -> Fact:
    """α with |μ(ω)| = O(‖ω‖^−α), or why there is none: atoms have no density, symbols no number."""
    found, missing = answer_or_reason(lambda: facts.tail_exponent)
    if found is None:
        return Fact(name="tail_exponent", value=None, explains=True, missing=missing)
    if isinf(found):
        line, law = "the density falls faster than any power of ‖ω‖", r"O(\lVert\omega\rVert^{-n})\text{ for every }n"
        return Fact(
            name="tail_exponent", value="infinite", lines=(line,), latex=((r"\mu(\omega)", law),), explains=True
        )
    line, law = f"the density falls like ‖ω‖^−{found:g}", rf"O(\lVert\omega\rVert^{{-{found:g}}})"
    return Fact(name="tail_exponent", value=found, lines=(line,), latex=((r"\mu(\omega)", law),), explains=True)
