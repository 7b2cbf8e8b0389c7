"""Signs of polynomials on (0, ∞), exactly: Sturm's theorem over numbers with a normal form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from kernelspec.loading import mpmath as mp
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, without_sums_below

__all__ = ["Polynomial", "PolynomialSign", "sign_on_half_line", "sum_at"]

Polynomial: TypeAlias = list[ClosedNumber]
"""Coefficients, the constant first."""

_LARGEST_DEGREE = 40
_MOST_INTERVALS, _ROOT_DIGITS = 600, 40
_MOST_WORK = 100_000  # cap on products of terms in the remainders


@dataclass(frozen=True)
class PolynomialSign:
    """Whether P ≥ 0 on (0, ∞), with the number of its distinct roots there; else a rational place with P < 0.

    The proof is the `chain`, empty if no coefficient is negative, with its sign changes at the `ends`, between which P
    has at most one root each, so that its sign there decides.
    """

    is_nonnegative: bool
    roots: int = 0
    place: Fraction = Fraction(0)
    chain: tuple[Polynomial, ...] = ()
    ends: tuple[tuple[Fraction, int], ...] = ()


def sign_on_half_line(polynomial: Sequence[ClosedNumber]) -> PolynomialSign:
    """The sign of P on (0, ∞). Raises NotDecided if the sign of a coefficient is unknown.

    Sturm's chain counts the distinct roots in an interval whose ends are not roots. Intervals are halved until each has
    at most one: then P ≥ 0 exactly if it is positive at all ends.
    """
    given = without_sums_below(polynomial)
    places = [n for n, c in enumerate(given) if c.terms]
    if not places:
        return PolynomialSign(True)
    found = list(given[places[0] : places[-1] + 1])  # over a power of u, with ends that are not 0
    if len(found) > _LARGEST_DEGREE + 1:
        raise NotDecided(f"a polynomial of a degree above {_LARGEST_DEGREE}")
    if found[-1].sign() < 0:
        return PolynomialSign(False, place=_beyond(found))
    if found[0].sign() < 0:
        return PolynomialSign(False, place=1 / _beyond(found[::-1]))
    if all(c.sign() >= 0 for c in found):
        return PolynomialSign(True)
    try:
        return _by_chain(found)
    except NotDecided:
        for place in _critical_points(found):  # a negative value needs no chain
            if sum_at(found, place).sign() < 0:
                return PolynomialSign(False, place=place)
        raise


def _by_chain(found: Polynomial) -> PolynomialSign:
    chain = _chain(found)
    at_infinity = _changes_at(chain, None)
    high = Fraction(1)
    while sum_at(found, high).sign() == 0 or _changes_at(chain, high) != at_infinity:
        high *= 2
    low = Fraction(0)
    pending = [(low, _changes_at(chain, low), high, at_infinity)]
    ends: dict[Fraction, int] = {}
    for _ in range(_MOST_INTERVALS):
        if not pending:
            found_ends = tuple(sorted(ends.items()))
            return PolynomialSign(True, found_ends[0][1] - at_infinity, chain=tuple(chain), ends=found_ends)
        a, before, b, after = pending.pop()
        ends |= {a: before, b: after}
        for end in (a, b):
            if sum_at(found, end).sign() < 0:
                return PolynomialSign(False, place=end)
        if before - after <= 1:
            continue
        middle = (a + b) / 2
        while sum_at(found, middle).sign() == 0:
            middle = (a + middle) / 2
        between = _changes_at(chain, middle)
        pending += [(a, before, middle, between), (middle, between, b, after)]
    raise NotDecided("roots that are too close to be separated")


def _critical_points(polynomial: Polynomial) -> Iterator[Fraction]:
    """The positive roots of P′, to 40 digits; none if they are not found."""
    with mp.workdps(2 * _ROOT_DIGITS):
        slope = [n * c.enclosed(2 * _ROOT_DIGITS)[0] for n, c in enumerate(polynomial)][:0:-1]
        try:
            roots = mp.polyroots(slope, maxsteps=200, extraprec=10 * _ROOT_DIGITS)
        except mp.NoConvergence:
            return
        for root in roots:
            place = Fraction(int(mp.nint(root.real * 10**_ROOT_DIGITS)), 10**_ROOT_DIGITS)
            if place > 0 and abs(root.imag) < mp.mpf(10) ** -_ROOT_DIGITS:
                yield place


def _beyond(polynomial: Polynomial) -> Fraction:
    """A place from which on a polynomial has the sign of its leading coefficient."""
    place, sign = Fraction(1), polynomial[-1].sign()
    while sum_at(polynomial, place).sign() != sign:
        place *= 2
    return place


def _chain(polynomial: Polynomial) -> list[Polynomial]:
    """P, P′ and the negative remainders, up to positive factors."""
    slope = [n * c for n, c in enumerate(polynomial)][1:]
    chain, work = [_scaled(polynomial), _scaled(slope)], 0
    while len(chain[-1]) > 1:
        work += _terms(chain[-2]) * _terms(chain[-1])
        if work > _MOST_WORK:
            raise NotDecided("coefficients of too many terms")
        rest = _remainder(chain[-2], chain[-1])
        if not rest:
            break
        chain.append(_scaled([-c for c in rest]))
    return chain


def _terms(polynomial: Polynomial) -> int:
    return sum(len(c.terms) for c in polynomial)


def _remainder(above: Polynomial, below: Polynomial) -> Polynomial:
    """A positive multiple of the remainder: every step multiplies by the square of the leading coefficient."""
    lead, rest = below[-1], list(above)
    square = lead * lead
    while len(rest) >= len(below):
        first = rest[-1] * lead
        moved = len(rest) - len(below)
        if first.terms:
            rest = [square * c - (first * below[n - moved] if n >= moved else 0) for n, c in enumerate(rest)]
        rest.pop()
    while rest and not rest[-1].terms:
        rest.pop()
    return rest


def _scaled(polynomial: Polynomial) -> Polynomial:
    """The polynomial over the modulus of its leading coefficient, or over a rational if that has no inverse."""
    lead = polynomial[-1]
    try:
        size = lead.inverse() * lead.sign()
    except NotDecided:
        weights = [abs(w) for c in polynomial for w in c.terms.values()]
        size = ClosedNumber.of(1 / max(weights))
    return [c * size for c in polynomial]


def sum_at(polynomial: Polynomial, place: Fraction | ClosedNumber) -> ClosedNumber:
    """P(x)."""
    found = ClosedNumber.of(0)
    for c in reversed(polynomial):
        found = found * place + c
    return found


def _changes_at(chain: list[Polynomial], place: Fraction | None) -> int:
    """The changes of sign along the chain, at ∞ for None."""
    signs = [(p[-1] if place is None else sum_at(p, place)).sign() for p in chain]
    return sum(a != b for a, b in pairwise(filter(None, signs)))
