"""The mean of a Polya kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["mean"]


def mean(facts: Facts) -> Fact:
    """The mean of the distribution of a Polya kernel; its line is that of the distribution."""
    return Fact(name="mean", value=None if facts.mean is None else text_of(facts.mean))
