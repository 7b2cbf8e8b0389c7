"""The density of the spectral measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import shortened, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["spectral_density"]


def spectral_density(facts: Facts) -> Fact:
    """The density, or why there is none."""
    found, missing = answer_or_reason(lambda: facts.spectral_density)
    if found is None:
        return Fact(name="spectral_density", value=None, explains=True, missing=missing)
    text = text_of(found)
    lines = (f"spectral density = {shortened(text)}",)
    return Fact(name="spectral_density", value=text, lines=lines, explains=True)
