"""Formulas that are exact polynomials on intervals: compactly supported kernels of geostatistics."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import zip_longest
from typing import Any, TypeAlias

from kernelspec.expressions.formula import Formula, evaluate
from kernelspec.loading import sympy

__all__ = ["Coefficients", "polynomial_at", "polynomial_pieces"]

Coefficients: TypeAlias = tuple[Fraction, ...]
"""c_k of Σ c_k x^k, from the constant on; without trailing zeros."""

_HIGHEST_DEGREE = 60


class _NoPolynomial(Exception):
    """A part of the formula is not a polynomial with rational coefficients on the interval."""


@lru_cache(maxsize=256)
def polynomial_pieces(formula: Formula) -> tuple[tuple[Fraction | None, Coefficients], ...] | None:
    """The right ends of the intervals from 0 on (None for ∞), with the polynomials there.

    None for other formulas, and if branches of a max, min or abs meet at irrational points.
    """
    if formula.unknowns():
        return None
    try:
        ends = _ends(formula)
        pieces = _between(formula, ends)
    except _NoPolynomial:
        return None
    found: list[tuple[Fraction | None, Coefficients]] = []
    for end, piece in zip([*ends, None], pieces, strict=True):
        if found and found[-1][1] == piece:
            found.pop()
        found.append((end, piece))
    return tuple(found)


def polynomial_at(coefficients: Coefficients, x: Fraction) -> Fraction:
    """The value of the polynomial at x."""
    return reduce(lambda total, c: total * x + c, reversed(coefficients), Fraction(0))


def _between(formula: Formula, ends: list[Fraction]) -> list[Coefficients]:
    """The polynomials on the intervals that these ends separate."""
    starts = [Fraction(0), *ends]
    middles = [(a + b) / 2 for a, b in zip(starts, ends, strict=False)] + [starts[-1] + 1]
    return [evaluate(formula, (Fraction(0), Fraction(1)), _Polynomials(middle)) for middle in middles]


def _ends(formula: Formula) -> list[Fraction]:
    """The candidates for changes of branch: zeros of the differences on each interval of the inner choices."""
    x = sympy.Symbol("x")
    found: set[Fraction] = set()
    for choice in sorted(formula.choices(), key=Formula.size):
        for piece in _between(choice, sorted(found)):
            if len(piece) < 2:
                continue
            polynomial = sympy.Poly([sympy.Rational(c.numerator, c.denominator) for c in reversed(piece)], x)
            roots = polynomial.ground_roots()
            if polynomial.count_roots(0, None) != sum(1 for root in roots if root >= 0):
                raise _NoPolynomial
            found |= {Fraction(int(root.p), int(root.q)) for root in roots if root > 0}
    return sorted(found)


class _Polynomials:
    """Polynomials with rational coefficients; chooses the branch that is larger at `place`."""

    def __init__(self, place: Fraction) -> None:
        self._place = place

    def constant(self, value: Any) -> Coefficients:
        return _trimmed([value])

    def pi(self) -> Coefficients:
        raise _NoPolynomial

    def sum(self, terms: Sequence[Coefficients]) -> Coefficients:
        return reduce(_plus, terms)

    def negation(self, operand: Coefficients) -> Coefficients:
        return tuple(-c for c in operand)

    def product(self, factors: Sequence[Coefficients]) -> Coefficients:
        return reduce(_times, factors)

    def quotient(self, numerator: Coefficients, denominator: Coefficients) -> Coefficients:
        if len(denominator) != 1:
            raise _NoPolynomial
        return tuple(c / denominator[0] for c in numerator)

    def power(self, base: Coefficients, exponent: Coefficients) -> Coefficients:
        raise _NoPolynomial

    def constant_power(self, base: Coefficients, exponent: Coefficients) -> Coefficients:
        n = exponent[0] if len(exponent) == 1 else Fraction(0)
        if n.denominator != 1 or not 0 <= n <= _HIGHEST_DEGREE or (n == 0 and exponent):
            raise _NoPolynomial
        return reduce(_times, [base] * int(n), (Fraction(1),))

    def function(self, name: str, arguments: Sequence[Coefficients]) -> Coefficients:
        if name not in ("max", "min", "abs"):
            raise _NoPolynomial
        x = arguments[0]
        y = self.negation(x) if name == "abs" else arguments[1]
        ahead = polynomial_at(_plus(x, self.negation(y)), self._place) >= 0
        return x if ahead == (name != "min") else y


def _trimmed(coefficients: Sequence[Fraction]) -> Coefficients:
    kept = list(coefficients)
    while kept and kept[-1] == 0:
        kept.pop()
    return tuple(kept)


def _plus(a: Coefficients, b: Coefficients) -> Coefficients:
    return _trimmed([p + q for p, q in zip_longest(a, b, fillvalue=Fraction(0))])


def _times(a: Coefficients, b: Coefficients) -> Coefficients:
    if len(a) + len(b) > _HIGHEST_DEGREE:
        raise _NoPolynomial
    found = [Fraction(0)] * max(0, len(a) + len(b) - 1)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            found[i + j] += p * q
    return _trimmed(found)
