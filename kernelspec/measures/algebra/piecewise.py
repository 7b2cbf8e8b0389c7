"""Sums of pieces: a ring of functions on the line, closed under shifts, tilts and stretches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.piece import NotClosed, Piece

__all__ = ["Piecewise"]

_MOST_PIECES = 400


@dataclass(frozen=True)
class Piecewise:
    """Σ of pieces, in one system of numbers; no two pieces have the same ends and exponent."""

    pieces: tuple[Piece, ...]
    numbers: Coefficients

    @classmethod
    def of(cls, pieces: Iterable[Piece], numbers: Coefficients) -> Piecewise:
        """The sum of pieces; those of one shape are added, and what cancels is left out."""
        groups: dict[tuple[Any, ...], list[Piece]] = {}
        for piece in pieces:
            groups.setdefault(piece.shape, []).append(piece)
            if len(groups) > _MOST_PIECES:
                raise NotClosed(f"more than {_MOST_PIECES} pieces")
        found = []
        for group in groups.values():
            weights = _sum([piece.weights for piece in group], numbers)
            if weights:
                found.append(replace(group[0], weights=weights))
        return cls(tuple(found), numbers)

    def __add__(self, other: Piecewise) -> Piecewise:
        return Piecewise.of((*self.pieces, *other.pieces), self.numbers)

    def __mul__(self, other: Piecewise) -> Piecewise:
        pairs = (p.times(q, self.numbers) for p in self.pieces for q in other.pieces)
        return Piecewise.of((piece for piece in pairs if piece is not None), self.numbers)

    def scaled(self, factor: Any) -> Piecewise:
        return Piecewise.of((piece.scaled(factor) for piece in self.pieces), self.numbers)

    def shifted(self, by: Any) -> Piecewise:
        return Piecewise.of((piece.shifted(by, self.numbers) for piece in self.pieces), self.numbers)

    def mirrored(self) -> Piecewise:
        return Piecewise.of((piece.mirrored() for piece in self.pieces), self.numbers)

    def stretched(self, factor: Any) -> Piecewise:
        """f(factor·t)."""
        sign = self.numbers.less(factor * 0, factor)
        if sign is None:
            raise NotClosed("the sign of a stretch depends on symbols")
        whole = self if sign else self.mirrored()
        size = factor if sign else -factor
        return Piecewise.of((piece.stretched(size, self.numbers) for piece in whole.pieces), self.numbers)

    def tilted(self, by: Any) -> Piecewise:
        return Piecewise.of((piece.tilted(by, self.numbers) for piece in self.pieces), self.numbers)

    def restricted(self, low: Any, high: Any) -> Piecewise:
        cut = (piece.restricted(low, high, self.numbers) for piece in self.pieces)
        return Piecewise.of((piece for piece in cut if piece is not None), self.numbers)

    @cached_property
    def with_ends(self) -> Piecewise:
        """Without the pieces on the whole line."""
        return Piecewise(tuple(piece for piece in self.pieces if not piece.is_whole_line), self.numbers)

    @cached_property
    def after_zero(self) -> Piecewise:
        """f(t) for t > 0."""
        return self.restricted(self.numbers.number(0), None)

    @cached_property
    def before_zero(self) -> Piecewise:
        """f(−t) for t > 0."""
        return self.mirrored().after_zero

    @cached_property
    def is_even(self) -> bool:
        """Whether f(−t) = f(t), seen from the pieces."""
        return not (self + self.mirrored().scaled(-1)).pieces

    @property
    def decays(self) -> bool:
        """Whether no piece is known to stay or grow at an infinite end."""
        zero = self.numbers.number(0)
        for piece in self.pieces:
            if self.numbers.less(zero, piece.curvature):
                continue
            if piece.high is None and self.numbers.less(zero, piece.rate) is False:
                return False
            if piece.low is None and self.numbers.less(piece.rate, zero) is False:
                return False
        return True


def _sum(polynomials: list[tuple[Any, ...]], numbers: Coefficients) -> tuple[Any, ...]:
    if len(polynomials) == 1:
        found = list(polynomials[0])
        while found and numbers.is_zero(found[-1], found[-1] * 0):
            found.pop()
        return tuple(found)
    found = []
    for n in range(max(map(len, polynomials))):
        terms = [weights[n] for weights in polynomials if n < len(weights)]
        total, size = sum(terms[1:], terms[0]), sum(map(abs, terms[1:]), abs(terms[0]))
        found.append(terms[0] * 0 if numbers.is_zero(total, size) else numbers.simplified(total))
    while found and numbers.is_zero(found[-1], found[-1] * 0):
        found.pop()
    return tuple(found)
