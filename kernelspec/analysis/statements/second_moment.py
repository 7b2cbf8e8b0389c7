"""The second moment of the spectral measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import latex_of, shown_size, text_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["second_moment"]


def second_moment(facts: Facts) -> Fact:
    """E‖ω‖², which may be infinite, or undefined."""
    import sympy

    found, _ = answer_or_reason(lambda: facts.second_moment)
    if found is None:
        return Fact(name="second_moment", value=None)
    if found.has(sympy.nan):
        why = "k(x, x) is 0" if facts.k0 == 0 else "the measure is complex"
        return Fact(name="second_moment", value=None, lines=(f"E‖ω‖² = undefined, {why}",))
    value = "infinite" if found == sympy.oo else text_of(found)
    row = (r"\mathbb{E}\lVert\omega\rVert^2", latex_of(found))
    return Fact(name="second_moment", value=value, lines=(f"E‖ω‖² = {shown_size(found)}",), latex=(row,))
