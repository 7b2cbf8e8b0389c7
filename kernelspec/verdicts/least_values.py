"""Signs of densities by exact values where they are least: at critical points of a quotient, before breakpoints."""

from __future__ import annotations

from typing import Any

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NotStationaryError
from kernelspec.expressions.elementary import known_sign
from kernelspec.expressions.symbolic import PROOF_CALLS, limit_of, within
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.loading import mpmath as mp
from kernelspec.loading import sympy
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.measure import measure_of
from kernelspec.special.closed_forms import DIGITS, Falling
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.densities import ProductLaw, law_of_kernel
from kernelspec.verdicts.exact_signs import between, density_in_pieces, floated, intervals_of, number_text
from kernelspec.verdicts.rules import Finding, Question
from kernelspec.verdicts.sturm import sign_on_half_line, sum_at

__all__ = ["by_edges", "by_quotient"]


def by_quotient(question: Question) -> Finding | None:
    """The sign of v p + w q, v > 0 > w, by the smallest value of p/q: at a critical point, at ω = 0 or far out.

    On one column, for two radial kernels, and for two products of one factor per column, where p/q is smallest with
    each of its factors. The critical points are roots of a polynomial; values are compared as exact numbers.
    """
    terms = sorted(weighted_terms(question.expanded), key=lambda term: known_sign(term[0]) or 0)
    if len(terms) != 2 or [known_sign(weight) for weight, _ in terms] != [-1, 1]:
        return None
    try:
        return within(PROOF_CALLS, lambda: _by_quotient(terms), lambda: None)
    except (NotStationaryError, NotClosed, NotDecided, TypeError, sympy.PolynomialError, NotImplementedError):
        return None


def _by_quotient(terms: list[tuple[Any, Kernel]]) -> Finding | None:
    (below, under), (above, over) = terms
    dim, times, leaves = over.dim, 1, [kernel for kernel in (over, under) if isinstance(kernel, Stationary)]
    if not isinstance(dim, int) or any(kernel.verdict().positive_definite != "proved" for kernel in (over, under)):
        return None
    if dim > 1 and not (len(leaves) == 2 and all(kernel.is_radial for kernel in leaves)):
        if len(leaves) < 2 or not all(kernel.has_independent_coordinates for kernel in leaves):
            return None
        over, under, times = leaves[0].on_line(), leaves[1].on_line(), dim
    omega = sympy.Symbol("omega", positive=True)
    along = SymbolicPairs(over.dim, lambda i: omega if i == 1 else sympy.S.Zero, None, True)
    p, q = (measure_of(kernel).expression(along) for kernel in (over, under))
    if (p.free_symbols | q.free_symbols) != {omega} or (p * q).has(sympy.Piecewise, sympy.Integral, sympy.re):
        return None
    if any(len({e for e in own.atoms(sympy.exp) if e.has(omega)}) > 1 for own in (p, q)):
        return None  # the slope of the logarithm is not rational
    slope = sympy.cancel(sympy.together(sympy.diff(p, omega) / p - sympy.diff(q, omega) / q))
    quotient = above * (p / q) ** times + below
    # at zeros of p the slope of its logarithm has a pole
    sides = [sympy.Poly(side, omega) for side in sympy.fraction(slope)] if slope != 0 else []
    roots = [root for side in sides for root in _roots(side) if root.is_positive]
    values = {sympy.S.Zero: quotient.subs(omega, 0), **{root: quotient.subs(omega, root) for root in roots}}
    far = _limit_far_out(quotient, omega)
    signs = {root: _sign(value) for root, value in values.items()} | {sympy.oo: _sign(far)}
    what = f"the quotient of the densities has critical points where P(ω) = {sympy.fraction(slope)[0]} = 0"
    for root, sign in signs.items():
        if sign >= 0:
            continue
        far_out = (sympy.Integer(10) ** n for n in range(1, 65))
        negative = (w for w in (far_out if root is sympy.oo else (root,)) if _sign(quotient.subs(omega, w)) < 0)
        if (place := next(negative, None)) is None:
            return None
        at = (float(place),) * times + (0.0,) * (dim - times)
        shown = place if len(str(place)) <= 20 else f"{float(place):.6g}"
        reason = f"{what}: the density is negative at ω = {shown}{' in every column' * (times > 1)}"
        return Finding("disproved", (f"{reason} [Bochner 1932]",), at)
    ties = ["∞" if root is sympy.oo else str(root) for root, sign in signs.items() if sign == 0]
    tie = f", and is 0 at ω = {', '.join(ties)}" if ties else ""
    return Finding("proved", (f"{what}: there, at 0 and far out the density is not negative{tie} [Bochner 1932]",))


def by_edges(question: Question) -> Finding | None:
    """Densities that fall, plus pieces that fall between breakpoints: least just before each breakpoint.

    On one column, and for two products over the columns, the second of bands. The one-sided limits before breakpoints
    are compared with 0 as exact numbers.
    """
    terms, dim, omega = weighted_terms(question.expanded), question.expanded.dim, sympy.Symbol("omega", positive=True)
    weights = {-1: sympy.S.One, 1: sympy.S.One}
    if dim != 1:
        leaves = [term for _, term in terms if isinstance(term, Stationary) and term.has_independent_coordinates]
        weights = {known_sign(weight) or 0: weight for weight, _ in terms}
        if len(leaves) != len(terms) or len(terms) != 2 or set(weights) != {-1, 1}:
            return None
        terms = [(known_sign(weight), leaf.on_line()) for (weight, _), leaf in zip(terms, leaves, strict=True)]
    smooth, others, signs = sympy.S.Zero, [], {}
    try:
        for weight, term in terms:
            with mp.workdps(DIGITS):
                law = law_of_kernel(term, (0,)) if known_sign(weight) == 1 else None
            if isinstance(law, ProductLaw) and isinstance(law.factors[0], Falling):
                smooth += weight * measure_of(term).expression(SymbolicPairs(1, lambda i: omega, None, True))
            else:
                others.append((weight, term))
        density = density_in_pieces(measure_of(weighted_sum(others, Columns(1), terms[0][1].span))) if others else None
        for low, high, (piece, *more) in intervals_of(density) if density is not None and smooth != 0 else ():
            slope = [-n * c for n, c in enumerate(piece.weights)][1:]
            if more or high is None or piece.rate.terms or (slope and dim != 1):
                return None
            if slope and not sign_on_half_line(between(slope, low, high)).is_nonnegative:
                return None
            height = sum_at(list(piece.weights), high).expression()
            if dim != 1:  # the second product is subtracted; powers of negative factors would have both signs
                if ClosedNumber.of(height).sign() > 0:
                    return None
                height = weights[-1] * (-height) ** dim
            falls = weights[1] * smooth.subs(omega, high.expression()) ** dim
            signs[high] = ClosedNumber.of(falls + height).sign()
    except (NotStationaryError, NotClosed, NotDecided, TypeError):
        return None
    words = "the spectral density falls between breakpoints, and just before "
    negative = next((high for high, sign in signs.items() if sign < 0), None)
    if negative is not None:
        reason = f"{words}ω = {number_text(negative)} it is negative [Bochner 1932]"
        return Finding("disproved", (reason,), (floated(negative),) * dim)
    shown = ", ".join(f"ω = {number_text(high)} it is {'positive' if sign else '0'}" for high, sign in signs.items())
    return Finding("proved", (f"{words}{shown}; beyond it is positive [Bochner 1932]",)) if signs else None


def _limit_far_out(quotient: Any, omega: Any) -> Any:
    """The limit at ∞; of a rational function from its leading coefficients, for SymPy's limits depend on hash seeds."""
    above, below = sympy.fraction(sympy.cancel(sympy.together(quotient)))
    if not (above.is_polynomial(omega) and below.is_polynomial(omega)):
        return limit_of(quotient, omega, sympy.oo)
    rise = sympy.degree(above, omega) - sympy.degree(below, omega)
    size = sympy.LC(above, omega) / sympy.LC(below, omega)
    return sympy.S.Zero if rise < 0 else size if rise == 0 else size * sympy.oo


def _roots(polynomial: Any) -> list[Any]:
    """The real roots, exactly. Raises NotDecided."""
    if all(coefficient.is_Rational for coefficient in polynomial.all_coeffs()):
        return list(sympy.real_roots(polynomial))
    found = sympy.roots(polynomial)
    if sum(found.values()) < polynomial.degree() or any(root.is_real is None for root in found):
        raise NotDecided("roots that are unknown")
    return [root for root in found if root.is_real]


def _sign(value: Any) -> int:
    """The sign of a number or of ±∞. Raises NotDecided."""
    if value is None or value is sympy.nan:
        raise NotDecided("a limit that is unknown")
    return 1 if value is sympy.oo else ClosedNumber.of(value).sign()
