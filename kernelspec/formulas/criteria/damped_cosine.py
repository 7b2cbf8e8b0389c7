"""Exponentials times a cosine."""

from __future__ import annotations

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.symbolic_formula import formula_expression
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided

__all__ = ["by_damped_cosine"]

_MOST_TERMS = 40
_CLOSE = 1e-12


def by_damped_cosine(formula: Formula) -> Statement | None:
    """e^{−ar} cos(br) is positive definite on R^d exactly where d arctan(b/a) ≤ π/2 [Yaglom 1987, section 22].

    Its density is a multiple of Re z(z² + ρ²)^{−(d+1)/2}, z = a − ib, and the argument of that lies between −θ and dθ,
    θ = arctan(b/a), attained at ρ = 0.
    """
    import sympy

    if formula.unknowns() or formula.size() > _MOST_TERMS:
        return None
    r = sympy.Symbol("r", positive=True)
    f = formula_expression(formula, r)
    if f.func is not sympy.Mul or len(f.args) != 2 or {part.func for part in f.args} != {sympy.exp, sympy.cos}:
        return None
    cosine, decay = sorted(f.args, key=lambda part: str(part.func))
    a, b = -decay.args[0] / r, cosine.args[0] / r
    if a.has(r) or b.has(r) or not (a.is_positive and b.is_positive):
        return None
    ratio = float(sympy.pi / (2 * sympy.atan(b / a)))
    most = round(ratio)
    if most > 1 and abs(ratio - most) < _CLOSE * ratio:
        try:
            room = ClosedNumber.of(sympy.tan(sympy.pi / (2 * most)) - b / a).sign()
        except NotDecided:
            return None
        most -= 1 if room < 0 else 0
    else:
        most = int(ratio)
    return Statement(most, most + 1, f"d·arctan(b/a) ≤ π/2 for d ≤ {most}, and no more [Yaglom 1987]")
