"""Functions that leave their value at 0 too slowly."""

from __future__ import annotations

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.taylor import NotAnalytic, taylor

__all__ = ["by_flat_start"]

_REACH = 2.0**-6
_ORDER = 8


def by_flat_start(formula: Formula) -> Statement | None:
    """In no dimension where f(r) = 1 + o(r²) and f is not 1: all frequencies would be 0 [Lukacs 1970, section 4.1]."""
    if formula.unknowns():
        return None
    try:
        start = taylor(formula, _REACH, _ORDER).start
    except NotAnalytic:
        return None
    if len(start) < 4 or start[0] != 1 or start[1] != 0 or start[2] != 0 or all(c == 0 for c in start[1:]):
        return None
    return Statement(0, 1, f"f({formula.variable}) = 1 + o({formula.variable}²) and is not 1, "
                     "so that no law of frequencies has it [Lukacs 1970]")  # fmt: skip
