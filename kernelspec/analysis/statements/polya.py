"""The distribution behind a Polya kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import shown_size, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["polya"]


def polya(facts: Facts) -> Fact:
    """Distribution, mean, E[1/R] and area of one Polya kernel."""
    found = facts.polya
    if found is None:
        return Fact(name="polya", value=None)
    mean, inverse, area = (shown_size(size) for size in (found.mean, found.inverse_mean, found.area))
    line = (
        f"Polya kernel of R ~ {found.distribution}: E R = {mean}, M = E[1/R] = {inverse}, area under the kernel "
        f"of one column = {area}"
    )
    return Fact(name="polya", value={name: text_of(value) for name, value in vars(found).items()}, lines=(line,))
