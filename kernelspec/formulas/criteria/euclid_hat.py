"""Overlaps of two balls: the triangle on a line, the circular, the spherical and the pentaspherical kernel."""

from __future__ import annotations

from typing import Any

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Constant, Formula, Operation, Term, Variable, depends_on_variable
from kernelspec.formulas.piecewise_polynomial import polynomial_pieces
from kernelspec.formulas.symbolic_formula import formula_expression

__all__ = ["by_euclid_hat", "inner_part"]

_MOST_TERMS = 80


def by_euclid_hat(formula: Formula) -> Statement | None:
    """The share that two balls of R^m with diameter c have in common at the distance r: exactly for d ≤ m.

    f′ is then a multiple of (1 − r²/c²)^{(m−1)/2} on r ≤ c. For d ≤ m its transform is that of a section of a ball
    squared, and for d > m it is negative somewhere [Gneiting 1999].
    """
    import sympy

    if formula.unknowns() or formula.size() > _MOST_TERMS:
        return None
    x = sympy.Symbol("x", positive=True)
    found = inner_part(formula, x)
    if found is None:
        return None
    inside, end = found
    slope = sympy.diff(inside, x)
    if slope == 0 or sympy.simplify(inside.subs(x, 0)) != 1 or sympy.simplify(inside.subs(x, end)) != 0:
        return None
    order = sympy.simplify(1 - sympy.diff(slope, x) / slope * (end**2 - x**2) / x)
    if not order.is_Integer or order < 1 or not bool(slope.subs(x, end / 2) < 0):
        return None
    most = int(order)
    name = {1: "the triangle", 2: "the circular kernel", 3: "the spherical kernel", 5: "the pentaspherical kernel"}
    balls = "intervals" if most == 1 else "discs" if most == 2 else "balls" if most == 3 else f"balls of R^{most}"
    what = f"{name[most]}, " if most in name else ""
    return Statement(most, most + 1, f"{what}the overlap of two {balls} [Matérn 1960; Gneiting 1999]")


def inner_part(formula: Formula, x: Any) -> tuple[Any, Any] | None:
    """The expression of f on [0, c] and c, for f that is 0 beyond: one polynomial, or a function of min(r, c)."""
    import sympy

    pieces = polynomial_pieces(formula)
    if pieces is not None:
        stop, inner = pieces[0]
        if len(pieces) != 2 or pieces[1][1] or stop is None:
            return None
        inside = sum(sympy.Rational(c.numerator, c.denominator) * x**k for k, c in enumerate(inner))
        return inside, sympy.Rational(stop.numerator, stop.denominator)
    ends: set[Term] = set()
    body = _without_minimum(formula.body, ends)
    if body is None or len(ends) != 1:
        return None
    (place,) = ends
    assert isinstance(place, Constant)
    end = sympy.Rational(place.value.numerator, place.value.denominator)
    return formula_expression(Formula(body), x), end


def _without_minimum(term: Term, ends: set[Term]) -> Term | None:
    """The term with x for min(x, c), the constants c gathered; None where x stands outside of such a minimum."""
    if not depends_on_variable(term):
        return term
    if not isinstance(term, Operation):
        return None
    if term.name == "min" and Variable() in term.operands:
        (other,) = [part for part in term.operands if not isinstance(part, Variable)] or [term]
        if not isinstance(other, Constant):
            return None
        ends.add(other)
        return Variable()
    parts = [_without_minimum(part, ends) for part in term.operands]
    known = tuple(part for part in parts if part is not None)
    return Operation(term.name, known) if len(known) == len(parts) else None
