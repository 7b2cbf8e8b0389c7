"""The fourth and the sixth moment of the frequency on one column."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import latex_of, shown_size, text_of
from kernelspec.analysis.symbolic_steps import derive

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["moments"]

_ORDERS = {4: "⁴", 6: "⁶"}


def moments(facts: Facts) -> Fact:
    """E ω⁴ and E ω⁶, up to the first that is infinite; the second moment is a fact of its own, in any dimension.

    None where they are not known: on several columns, in time, or where a moment is undefined.
    """
    import sympy

    value: dict[str, str] = {}
    lines, rows = [], []
    for order, mark in _ORDERS.items():
        found, _ = answer_or_reason(partial(_in_time, facts, order))
        if found is None or found is sympy.nan:
            break
        value[str(order)] = "infinite" if found == sympy.oo else text_of(found)
        lines.append(f"E ω{mark} = {shown_size(found)}")
        rows.append((rf"\mathbb{{E}}\,\omega^{order}", latex_of(found)))
        if found == sympy.oo:
            break
    return Fact(name="moments", value=value or None, lines=tuple(lines), latex=tuple(rows))


def _in_time(facts: Facts, order: int) -> Any:
    import sympy

    return derive(lambda: facts.moment(order), lambda late: sympy.nan)
