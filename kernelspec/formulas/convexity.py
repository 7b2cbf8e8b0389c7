"""Proving that a formula is convex on (0, ∞), interval by interval."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from kernelspec.formulas.enclosure import Undecided
from kernelspec.formulas.enclosure_rules import enclose, enclose_in_octaves
from kernelspec.formulas.formula import Formula

__all__ = ["ConvexityProof", "prove_convexity"]

_MOST_PIECES = 400
_MOST_TERMS = 20_000
"""Terms of all pieces together, so that a proof takes a second at most; a long formula has fewer pieces."""

_NEAREST, _FURTHEST = 1e-12, 1e12


@dataclass(frozen=True, slots=True)
class ConvexityProof:
    """The number of intervals on each of which f″ ≥ 0 was enclosed, and the beginning of the last, [start, ∞)."""

    n_pieces: int
    start: float


def prove_convexity(formula: Formula) -> ConvexityProof | None:
    """A proof that f is convex on (0, ∞), or None if none was found.

    (0, ∞) is cut until on every closed piece f is known to be continuous, f″ ≥ 0 between the kinks by interval
    arithmetic, and f′ rises at all kinks that the piece may have, those at its ends among them. Reference: Moore,
    Kearfott and Cloud 2009.
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
    """Where to cut a piece: the ends move towards 0 and ∞ by factors of 4, bounded pieces are halved."""
    if low == 0:
        cut = 1.0 if high == math.inf else high / 4
        return cut if cut >= _NEAREST else None
    if high == math.inf:
        return 4 * low if low <= _FURTHEST else None
    cut = math.sqrt(low) * math.sqrt(high) if high > 2 * low else (low + high) / 2
    return cut if low < cut < high else None
