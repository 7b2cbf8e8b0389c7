"""Kernels and spectral laws on a line as piecewise exponential polynomials, as they state it themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelspec.kernels.leaf import Leaf
from kernelspec.measures.algebra.numbers import Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise

__all__ = ["Member", "PieceMaker", "lag_of", "pieces_of"]


@dataclass(frozen=True)
class Member:
    """A kernel on a line by its pieces: `lag` those of k(t), `frequency` those of its spectral density; one is None."""

    lag: Piecewise | None = None
    frequency: Piecewise | None = None


def pieces_of(kernel: Leaf, numbers: Coefficients) -> Member:
    """The pieces of a kernel on one column. Raises NotClosed if it has none."""
    found: Member | None = kernel.pieces(PieceMaker(numbers))
    if found is None:
        raise NotClosed(f"{kernel} is not a piecewise exponential polynomial{kernel.pieces_if}")
    return found


def lag_of(member: Member) -> Piecewise:
    """The function of the lag. Raises NotClosed for a density."""
    if member.lag is None:
        raise NotClosed("a density where a function of the lag is needed")
    return member.lag


@dataclass(frozen=True)
class PieceMaker:
    """What kernels state their pieces with, `special.closed_forms.Line`; each method returns a member."""

    numbers: Coefficients

    def number(self, value: Any) -> Any:
        return self.numbers.number(value)

    def root(self, value: Any) -> Any:
        return self.numbers.root(value)

    def exponential(self, value: Any) -> Any:
        return self.numbers.exponential(value)

    def bell(self, scale: Any) -> Member:
        curvature = self.numbers.simplified(self.number(1) / (2 * self.number(scale) ** 2))
        return self._of([self._piece(None, None, (self.number(1),), curvature=curvature)])

    def decay(self, weights: Any, rate: Any, factor: Any = 1) -> Member:
        scaled = tuple(self.numbers.simplified(factor * self.number(c) * rate**n) for n, c in enumerate(weights))
        piece = self._piece(self.number(0), None, scaled, rate=self.numbers.simplified(rate))
        return self._of([piece, piece.mirrored()])

    def tents(self, widths: list[tuple[Any, Any]]) -> Member:
        pieces = []
        for width, weight in widths:
            if not self.numbers.is_zero(weight, weight):
                piece = self._piece(self.number(0), width, (weight, -weight / width))
                pieces += [piece, piece.mirrored()]
        return self._of(pieces)

    def wave(self, frequency: Any) -> Member:
        half, angle = self.number(1) / 2, self.number(frequency)
        return self._of([self._piece(None, None, (half,), wave=each) for each in (angle, -angle)])

    def band(self, bandwidth: Any) -> Member:
        size = self.number(bandwidth)
        return self.spectral(self._of([self._piece(-size, size, (1 / (2 * size),))]))

    def spectral(self, function: Member) -> Member:
        return Member(None, function.lag)

    def shifted(self, function: Member, by: Any) -> Member:
        return Member(lag_of(function).shifted(by))

    def tilted(self, function: Member, by: Any) -> Member:
        return Member(lag_of(function).tilted(by))

    def stretched(self, function: Member, factor: Any) -> Member:
        return Member(lag_of(function).stretched(factor))

    def total(self, terms: list[tuple[Any, Any]]) -> Member:
        pieces = [piece for weight, member in terms for piece in lag_of(member).scaled(weight).pieces]
        return self._of(pieces)

    def _of(self, pieces: list[Piece]) -> Member:
        return Member(Piecewise.of(pieces, self.numbers))

    def _piece(
        self, low: Any, high: Any, weights: tuple[Any, ...], rate: Any = None, curvature: Any = None, wave: Any = None
    ) -> Piece:
        zero = self.number(0)
        rate, curvature, wave = (zero if value is None else value for value in (rate, curvature, wave))
        return Piece(low, high, weights, zero, rate, curvature, zero, wave)
