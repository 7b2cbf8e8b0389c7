"""Polya's criterion for a formula: prove convexity interval by interval, or find numbers at which it fails."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from kernelspec.expressions.enclosure import Undecided, enclose, enclose_in_octaves
from kernelspec.expressions.evaluation import value_at, values
from kernelspec.expressions.formula import Formula
from kernelspec.expressions.jets import jet
from kernelspec.expressions.limits import limit
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.loading import mpmath, sympy

__all__ = ["ConvexityProof", "Criterion", "curvature_at_zero", "polya_criterion", "prove_convexity"]

_MOST_PIECES = 400
_MOST_TERMS = 20_000
"""Terms of all pieces together, which bounds a proof to a second; a long formula gets fewer pieces."""

_NEAREST, _FURTHEST = 1e-12, 1e12


@dataclass(frozen=True, slots=True)
class ConvexityProof:
    """The number of intervals on each of which f″ ≥ 0 was enclosed, and the start of the last one, [start, ∞)."""

    n_pieces: int
    start: float


def prove_convexity(formula: Formula) -> ConvexityProof | None:
    """Prove that f is convex on (0, ∞); None if no proof was found.

    (0, ∞) is subdivided until, on every closed piece, f is continuous, interval arithmetic shows f″ ≥ 0 between kinks,
    and f′ increases at all kinks, including the ends. Reference: Moore, Kearfott and Cloud 2009.
    """
    most = min(_MOST_PIECES, max(20, _MOST_TERMS // formula.size()))
    pending = deque([(0.0, math.inf)])
    examined, last = 0, 0.0
    while pending:
        low, high = pending.popleft()
        examined += 1
        if _is_convex(formula, low, high):
            last = low if high == math.inf else last
            continue
        cut = _cut(low, high)
        if cut is None or examined + len(pending) >= most:
            return None
        pending += [(low, cut), (cut, high)]
    return ConvexityProof((examined + 1) // 2, last)


def _is_convex(formula: Formula, low: float, high: float) -> bool:
    try:
        if enclose(formula, low, high).is_convex:
            return True
    except Undecided:
        pass
    try:
        return low > 0 and enclose_in_octaves(formula, low, high).is_convex_in_octaves
    except Undecided:
        return False


def _cut(low: float, high: float) -> float | None:
    """Where to cut a piece: ends move towards 0 and ∞ by factors of 4, bounded pieces are halved."""
    if low == 0:
        cut = 1.0 if high == math.inf else high / 4
        return cut if cut >= _NEAREST else None
    if high == math.inf:
        return 4 * low if low <= _FURTHEST else None
    cut = math.sqrt(low) * math.sqrt(high) if high > 2 * low else (low + high) / 2
    return cut if low < cut < high else None


_CURVATURE_DIGITS = 60
_STEPS = ("1e-8", "1e-10")
_CLOSE = 1e-6


def curvature_at_zero(formula: Formula) -> Any:
    """−f″(0) of the even extension of f, f(0) = 1; ∞ if f′(0+) < 0, −∞ if f′(0+) > 0.

    In SymPy if the formula has free parameters (NaN without a value). If floats fail at t = 0, by differences with 60
    digits.
    """
    if formula.unknowns():
        return _symbolic(formula)
    start = jet(formula, 0.0)
    if not math.isfinite(start.value) or math.isnan(start.first):
        return _numerical(formula)
    if start.first:
        return math.copysign(math.inf, -start.first)
    return math.inf if math.isnan(start.second) else -float(start.second)


def _symbolic(formula: Formula) -> Any:
    t = sympy.Symbol("t", positive=True)
    slope = formula_expression(formula, t).diff(t)
    start = slope.subs(t, 0)
    if start == 0:
        return -slope.diff(t).subs(t, 0)
    if start.is_extended_positive:
        return -sympy.oo
    return sympy.oo if start.is_finite is False or start.is_nonzero else sympy.nan


def _numerical(formula: Formula) -> float:
    with mpmath.workdps(_CURVATURE_DIGITS):
        first, second = (2 * (1 - value_at(formula, h)) / mpmath.mpf(h) ** 2 for h in _STEPS)
        return float(second) if abs(second - first) <= _CLOSE * abs(second) else math.copysign(math.inf, second)


_DIGITS = 50
_ROUNDING = 1e-9
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Criterion:
    """Whether f(0) = 1, f → 0 and convexity on t ≥ 0 are all proved, and the argument, or what is missing."""

    is_proved: bool
    reason: str


@lru_cache(maxsize=256)
def polya_criterion(formula: Formula) -> Criterion:
    """Polya's criterion: f(0) = 1, f(t) → 0 as t → ∞, f convex for t > 0, and hence decreasing and positive.

    Proved: f(0) and the limit by exact rules, convexity by enclosures of f″ on intervals that cover (0, ∞). Refuted: by
    values with 50 digits. Reference: Polya 1949.
    """
    unknowns = formula.unknowns()
    if unknowns:
        return Criterion(False, f"depends on {', '.join(sorted(map(str, unknowns)))}")
    refuted = _refuted(formula)
    if refuted is not None:
        return Criterion(False, f"not Polya: {refuted}")
    if limit(formula, Fraction(0)) != 1:
        return Criterion(False, "not proved to be Polya: no rule shows that f(t) tends to exactly 1 as t tends to 0")
    proof = prove_convexity(formula)
    if proof is None:
        return Criterion(
            False, "not proved to be Polya: neither convex by interval arithmetic, nor a point found where it is not"
        )
    vanishing = _vanishing(formula, proof.start)
    if vanishing is None:
        return Criterion(False, "not proved to be Polya: no rule shows that f(t) tends to 0 as t tends to infinity")
    pieces = "in one piece" if proof.n_pieces == 1 else f"on {proof.n_pieces} intervals"
    return Criterion(
        True, f"f(0) = 1, f(t) tends to 0 ({vanishing}), and f is convex (f'' ≥ 0 by interval arithmetic, {pieces})"
    )


def _vanishing(formula: Formula, start: float) -> str | None:
    """Why f tends to 0, in words."""
    if limit(formula, math.inf) == 0:
        return "by the rules of limits"
    for begin in (max(start, 1.0), max(start, 1e2), max(start, 1e4)):
        for rule, shown in ((enclose, "(log f)'"), (enclose_in_octaves, "t (log f)'")):
            try:
                tail = rule(formula, begin, math.inf)
            except Undecided:
                continue
            if tail.is_positive and tail.log_slope.high < 0:
                return f"{shown} ≤ {tail.log_slope.high:.3g} on t ≥ {begin:g}"
    return None


@np.errstate(invalid="ignore")  # a part of a formula may have a pole at 0
def _refuted(formula: Formula) -> str | None:
    """A counterexample to the criterion in 50 digits, in words, or None: a sign, an increase, or a chord below the
    graph.
    """
    grid = np.unique(np.concatenate([[0.0], np.geomspace(1e-9, 1e9, 1500), np.linspace(0, 20, 1001)]))
    found = values(formula, grid)
    for i in np.flatnonzero(found < 0)[:1]:
        t, value = float(grid[i]), _exactly(formula, float(grid[i]))
        if value < 0:
            return f"f is negative at t = {t:.4g}, where it is {value:.4g}"
    rises = np.diff(found) / (np.abs(found[1:]) + np.abs(found[:-1]) + _TINY)
    for i in np.flatnonzero(rises > _ROUNDING)[:1]:
        a, b = float(grid[i]), float(grid[i + 1])
        if _exactly(formula, b) > _exactly(formula, a):
            return f"f is not decreasing at t = {a:.4g}: it rises from there to t = {b:.4g}"
    slopes = np.diff(found) / np.diff(grid)
    bends = np.diff(slopes) / (np.abs(slopes[1:]) + np.abs(slopes[:-1]) + _TINY)
    suspects = np.flatnonzero(bends < -_ROUNDING)
    if len(suspects):
        heights = -np.diff(slopes)[suspects] * np.diff(grid)[suspects]
        i = suspects[np.argmax(heights)]
        a, t, b = (float(grid[i + step]) for step in (0, 1, 2))
        height = _above_chord(formula, a, t, b)
        if height > 0:
            return f"f is not convex at t = {t:.4g}: it is {height:.3g} above its chord from {a:.4g} to {b:.4g}"
    return None


def _exactly(formula: Formula, t: float) -> float:
    with mpmath.workdps(_DIGITS):
        return float(value_at(formula, t))


def _above_chord(formula: Formula, a: float, t: float, b: float) -> float:
    """The height of f(t) above the chord from a to b."""
    with mpmath.workdps(_DIGITS):
        share = (mpmath.mpf(t) - a) / (mpmath.mpf(b) - a)
        chord = (1 - share) * value_at(formula, a) + share * value_at(formula, b)
        return float(value_at(formula, t) - chord)
