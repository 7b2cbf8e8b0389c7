"""The spectral measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import latex_of, shortened, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["spectral_measure"]


def spectral_measure(facts: Facts) -> Fact:
    """The measure as an expression with its atoms, or why there is none; in words where it has no density."""
    found, missing = answer_or_reason(lambda: facts.spectral_measure)
    if found is None:
        lines: tuple[str, ...] = (f"spectral measure: none ({missing})",)
        return Fact(name="spectral_measure", value=None, lines=lines, explains=True, missing=missing)
    _, without_density = answer_or_reason(lambda: facts.spectral_density)
    text = text_of(found)
    lines = () if without_density is None else (f"spectral measure = {shortened(text)}", f"  ({without_density})")
    return Fact(
        name="spectral_measure",
        value=text,
        lines=lines,
        latex=((r"\mu(\omega)", latex_of(found)),),
        explains=True,
    )
