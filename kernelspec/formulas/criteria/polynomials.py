"""Gneiting's criteria for polynomials on [0, c] that are 0 beyond: Wendland's functions, for one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kernelspec.formulas.criteria.euclid_hat import inner_part
from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.piecewise_polynomial import polynomial_pieces

__all__ = ["by_polynomials"]

_MOST_STEPS = 4
_MOST_PAIRS = 8


def by_polynomials(formula: Formula) -> Statement | None:
    """Positive definite for d ≤ 2l + 1 where (−d/dt)^{k+l−1} [−η′(t^α)] is convex, η = (−d/du)^k f(√u) at u = r².

    Tried for α = 1/2 and 1, k ≤ 4, and the largest l; every sign is decided in rational numbers. With k = 0 and α = 1
    it is Askey's criterion, (−1)^l f^(l) convex [Askey 1973; Gneiting 2001, theorem 1.1].

    For with m = k + l a function whose derivative of order m − 1 is so convex is a mixture of (c − t)₊^m, c > 0. So η
    is one of (c − t)₊^{m+1} for α = 1, and for α = 1/2 one of overlaps of balls in 2m + 1 dimensions, both positive
    definite in that many; and where −df/du is so in d + 2 dimensions, f is in d.
    """
    import sympy

    if polynomial_pieces(formula) is None:
        return None
    r = sympy.Symbol("r", positive=True)
    found = inner_part(formula, r)
    if found is None or found[0].subs(r, found[1]) != 0:
        return None
    best = max((_largest(*found, r, k, alpha), -k, alpha) for k in range(_MOST_STEPS + 1) for alpha in _ALPHAS)
    pairs, k, alpha = best[0], -best[1], best[2]
    if pairs < 0:
        return None
    most = 2 * pairs + 1
    how = f"with k = {k}, l = {pairs}, α = {alpha}"
    return Statement(most, None, f"Gneiting's criterion {how} holds, for d ≤ 2l + 1 = {most} [Gneiting 2001]")


_ALPHAS = (Fraction(1), Fraction(1, 2))


def _largest(inside: Any, end: Any, r: Any, k: int, alpha: Fraction) -> int:
    """The largest l for which the criterion holds with k and α; −1 where it holds for none."""
    import sympy

    power = sympy.Rational(alpha.numerator, alpha.denominator)
    eta = inside
    for _ in range(k):
        eta = sympy.expand(-sympy.diff(eta, r) / (2 * r))
        if eta.subs(r, end) != 0:
            return -1
    t = sympy.Symbol("t", positive=True)
    found, last = sympy.expand(-sympy.diff(eta, r).subs(r, t**power)), end ** (1 / power)
    largest = -1
    for order in range(_MOST_STEPS + _MOST_PAIRS):  # k + l − 1
        if sympy.simplify(found.subs(t, last)) != 0:
            break
        if order + 1 >= k and _is_convex(found, last, t, power):
            largest = order + 1 - k
        found = sympy.expand(-sympy.diff(found, t))
    return largest


def _is_convex(function: Any, end: Any, t: Any, power: Any) -> bool:
    """Whether a function that is 0 at the end and beyond it is convex on t > 0: f″ ≥ 0 before, and f′ ≤ 0 there."""
    import sympy

    if sympy.simplify(sympy.diff(function, t).subs(t, end)) > 0:
        return False
    r = sympy.Symbol("r", positive=True)
    bend = sympy.expand(sympy.diff(function, t, 2).subs(t, r ** (1 / power)))
    numerator = sympy.Poly(sympy.numer(sympy.together(bend)), r)
    if numerator.is_zero:
        return True
    crossing = sympy.Poly(1, r)
    for factor, times in numerator.sqf_list()[1]:
        crossing *= factor if times % 2 else 1
    stop = end**power
    inside = crossing.count_roots(0, stop) - sum(1 for x in (0, stop) if crossing.as_expr().subs(r, x) == 0)
    return inside == 0 and bool(bend.subs(r, stop / 2) >= 0)
