"""Sums of falling densities moved along the frequency axis: bounds on intervals, and far out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.operators import weighted_terms
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.loading import mpmath as mp
from kernelspec.measures.measure import measure_of
from kernelspec.special.closed_forms import DIGITS, Falling, number
from kernelspec.verdicts.densities import ProductLaw, are_told_apart, law_of_kernel, margin, numbers_of_law
from kernelspec.verdicts.expansion import factors_of, product_of
from kernelspec.verdicts.rules import Finding, Question

__all__ = ["by_bounds"]

Array = NDArray[np.float64]

_ROOM = 1e-9
"""The share of a sum reserved for rounding: logarithms of at most 1e4 are right to 1e-11."""

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
