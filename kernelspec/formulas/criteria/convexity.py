"""Polya's criterion: convex functions on the line."""

from __future__ import annotations

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.criterion import polya_criterion
from kernelspec.formulas.formula import Formula

__all__ = ["by_convexity"]


def by_convexity(formula: Formula) -> Statement | None:
    """Positive definite on the line where f(0) = 1, f tends to 0 and is convex [Polya 1949]."""
    found = polya_criterion(formula)
    return Statement(1, None, f"a Polya kernel, since {found.reason} [Polya 1949]") if found.is_proved else None
