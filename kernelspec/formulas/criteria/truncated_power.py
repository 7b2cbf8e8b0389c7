"""Askey's functions, (1 − r/c)₊^ℓ."""

from __future__ import annotations

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.symbolic_formula import formula_expression

__all__ = ["by_truncated_power"]

_MOST_TERMS = 40


def by_truncated_power(formula: Formula) -> Statement | None:
    """max(0, 1 − r/c)^ℓ is positive definite on R^d exactly where ℓ ≥ (d + 1)/2 [Golubov 1981; Askey 1973]."""
    import sympy

    if formula.unknowns() or formula.size() > _MOST_TERMS:
        return None
    r = sympy.Symbol("r", positive=True)
    base, order = formula_expression(formula, r).as_base_exp()
    if base.func is not sympy.Max or sympy.S.Zero not in base.args or len(base.args) != 2 or not order.is_positive:
        return None
    (line,) = (part for part in base.args if part != 0)
    rate = sympy.simplify((1 - line) / r)
    if rate.has(r) or not rate.is_positive:
        return None
    most = max(0, int(sympy.floor(2 * order - 1)))
    return Statement(most, most + 1, f"(1 − r/c)₊^ℓ is so for ℓ ≥ (d + 1)/2, and only then, and here ℓ = {order} "
                     "[Askey 1973; Golubov 1981]")  # fmt: skip
