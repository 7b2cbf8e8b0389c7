"""The spec that the facts are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["spec"]


def spec(facts: Facts) -> Fact:
    """The text of the spec."""
    text = str(facts.spec)
    return Fact(name="spec", value=text, lines=(text, ""))
