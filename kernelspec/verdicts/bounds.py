"""Signs of densities from bounds of moved falling terms, and from the least values of quotients."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from kernelspec.special.closed_forms import DIGITS, Falling, number
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided
from kernelspec.verdicts.densities import ProductLaw, are_told_apart, law_of_kernel, margin, numbers_of_law
from kernelspec.verdicts.exact_signs import between, density_in_pieces, floated, intervals_of, number_text
from kernelspec.verdicts.expansion import factors_of, product_of
from kernelspec.verdicts.rules import Finding, Question
from kernelspec.verdicts.sturm import sign_on_half_line, sum_at

__all__ = ["by_bounds", "by_edges", "by_quotient"]

Array = NDArray[np.float64]

_ROOM = 1e-9  # the share of a sum reserved for rounding: logarithms of at most 1e4 are right to 1e-11

_LARGEST_LOGARITHM, _MOST_INTERVALS, _MOST_STEPS = 1e4, 200_000, 40


@dataclass(frozen=True)
class _Moved:
    """c p(ω − v), p = e^{a − γω² − δ|ω|} ∏ (1 + βω²)^{−α}."""

    weight: float
    place: float
    constant: float
    line: float
    root: float
    powers: tuple[tuple[float, float], ...]

    @property
    def power(self) -> float:
        return sum(alpha for alpha, _ in self.powers)

    def log(self, distance: Any) -> Any:
        """log |c| p at a distance from v."""
        found = math.log(abs(self.weight)) + self.constant - self.line * distance**2 - self.root * distance
        return found - sum(alpha * np.log1p(beta * distance**2) for alpha, beta in self.powers)

    def between(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The smallest and the largest log |c| p on intervals."""
        ends = np.sort(np.abs([low - self.place, high - self.place]), axis=0)
        return self.log(ends[1]), self.log(np.where((low <= self.place) & (self.place <= high), 0.0, ends[0]))

    def far_out(self, edge: float, power: float) -> tuple[float, float]:
        """Bounds on |c| p(ω − v) ω^{2A}, A = `power`, from `edge` on; p a product of powers, for the lower one A."""
        x = edge - self.place
        log = math.log(abs(self.weight)) + self.constant - sum(a * math.log(b) for a, b in self.powers)
        most = log + 2 * self.power * max(0.0, math.log(edge / x)) - 2 * (self.power - power) * math.log(edge)
        return math.exp(self.log(x) + 2 * self.power * math.log(min(edge, x))), math.exp(most)


def by_bounds(question: Question) -> Finding | None:
    """Proved for sums of densities that fall, times cosines, on one column, by values at the ends of intervals.

    Each density lies between its values at the ends of an interval; far out the positive terms that fall slowest
    outweigh the negative ones, whose quotients by them fall [Bochner 1932].
    """
    if question.expanded.dim != 1:
        return None
    try:
        with mp.workdps(DIGITS):
            parts = [(number(weight), *_apart(part)) for weight, part in weighted_terms(question.expanded)]
            terms = [term for part in parts for term in _moved(*part)]
            kernels = [density for *_, density in parts]
            found = sorted(n for own in kernels for n in numbers_of_law(law_of_kernel(own, (0,))))
            # rates and powers are equal, or so different that floats show it
            distinct = not any(margin() * b < b - a <= _ROOM * b for a, b in pairwise(found))
            distinct = distinct and are_told_apart(kernels, (0,))
    except (NotStationaryError, TypeError, ValueError, OverflowError):
        return None
    edge = _edge(terms) if distinct and all(term.weight for term in terms) else None
    count = None if edge is None else _intervals(terms, edge)
    if count is None:
        return None
    words = f"up to ω = {edge:.3g} by bounds on {count} intervals, and beyond by the terms that fall slowest"
    return Finding("proved", (f"the spectral density is positive: {words} [Bochner 1932]",))


def _apart(kernel: Kernel) -> tuple[list[tuple[Any, Any]], Kernel]:
    """The atoms of the cosines among the factors, and the product of the others. Raises TypeError if there are none."""
    atoms, rest = [(mp.mpf(0), mp.mpf(1))], []
    for factor in factors_of(kernel):
        points = measure_of(factor).finite_atoms()
        rest += [factor] if points is None else []
        atoms = [(v + number(w[0]), share * number(size)) for v, share in atoms for w, size in points or [((0,), 1)]]
    if not rest:
        raise TypeError(f"{kernel} has no density")
    return atoms, product_of(tuple(rest), kernel)


def _moved(weight: Any, atoms: list[tuple[Any, Any]], kernel: Kernel) -> Iterator[_Moved]:
    law = law_of_kernel(kernel, (0,))
    p = law.factors[0] if isinstance(law, ProductLaw) else None
    if not isinstance(p, Falling) or p.bessel is not None:
        raise TypeError(f"{kernel} has no density that falls")
    powers = tuple((float(alpha), float(beta)) for alpha, beta in p.powers)
    for place, share in atoms:
        shape = float(p.constant), float(p.line), float(p.root), powers
        yield _Moved(float(weight * share), float(place), *shape)


def _edge(terms: Sequence[_Moved]) -> float | None:
    """An Ω beyond which the sum is positive; None if none is found."""
    lead = min((t for t in terms if t.weight > 0), key=lambda t: (t.line, t.root, t.power, -t.place), default=None)
    edge = 2 * max(abs(term.place) for term in terms) + 1
    for _ in range(_MOST_STEPS):
        if lead is None or max(abs(term.log(edge - term.place)) for term in terms) > _LARGEST_LOGARITHM:
            return None
        if _share(lead, terms, edge) < 1 - _ROOM:
            return edge
        edge *= 1.5
    return None


def _share(lead: _Moved, terms: Sequence[_Moved], edge: float) -> float:
    """A bound on the negative terms as a share of the positive ones from `edge` on; infinite if none is found.

    A quotient of one by another falls where 2γx + δ of the first is at least 2γx + δ + 2A/x of the second, x = ω − v:
    the difference rises if γ does not fall. Of equal γ, v decides, which is known to a few digits only.
    """
    bare = [t for t in terms if not t.line and not t.root and not lead.line and not lead.root]
    alike = [t for t in bare if t.weight > 0 and t.power == lead.power]
    log = 0.0 if bare else float(lead.log(edge - lead.place))
    size, used = sum(t.far_out(edge, lead.power)[0] for t in alike) if bare else 1.0, 0.0
    x = edge - (0.0 if bare else lead.place)
    for term in (term for term in terms if term.weight < 0):
        if term in bare:
            used += term.far_out(edge, lead.power)[1] if term.power >= lead.power else math.inf
            continue
        same = term.line == lead.line > 0 and not term.place < lead.place - _ROOM * edge
        rise = 2 * (term.line * (edge - term.place) - lead.line * x) + term.root - lead.root
        if term.line < lead.line or same or rise < 2 * lead.power / x:
            return math.inf
        more = 2 * lead.power * math.log(edge) if bare else -log
        used += math.exp(min(float(term.log(edge - term.place)) + more, 700.0))
    return used / size if size > 0 else math.inf


def _intervals(terms: Sequence[_Moved], edge: float) -> int | None:
    """Into how many intervals [0, edge] is cut until the sum is positive on each; None if there are too many."""
    ends = np.concatenate([[0.0], np.geomspace(1e-3 * edge, edge, 64)])
    low, high, count = ends[:-1], ends[1:], 0
    while len(low):
        count += len(low)
        if count > _MOST_INTERVALS:
            return None
        bounds = [term.between(low, high) for term in terms]
        largest = reduce(np.maximum, (above for _, above in bounds))
        signs = [math.copysign(1, term.weight) for term in terms]
        chosen = [below if sign > 0 else above for sign, (below, above) in zip(signs, bounds, strict=True)]
        total = sum(sign * np.exp(log - largest) for sign, log in zip(signs, chosen, strict=True))
        is_open = ~(total > _ROOM * len(terms))
        low, high = low[is_open], high[is_open]
        low, high = np.concatenate([low, (low + high) / 2]), np.concatenate([(low + high) / 2, high])
    return count


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
