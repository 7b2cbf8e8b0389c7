"""Rational densities on a line, and the arithmetic of polynomials over any numbers of the algebra."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

from kernelspec.measures.algebra.numbers import Coefficients
from kernelspec.measures.algebra.pieces import NotClosed, Piece

__all__ = ["RationalDensity", "power", "product", "rational_density", "total"]

Polynomial = list[Any]
"""Coefficients, the constant first."""


def total(left: Polynomial, right: Polynomial) -> Polynomial:
    """The sum."""
    length = max(len(left), len(right))
    a, b = (p + [0] * (length - len(p)) for p in (left, right))
    return [x + y for x, y in zip(a, b, strict=True)]


def product(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product."""
    if not left or not right:
        return []
    found: Polynomial = [0 * left[0]] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] = found[i + j] + a * b
    return found


def power(base: Polynomial, exponent: int) -> Polynomial:
    """baseⁿ."""
    found: Polynomial = [0 * base[0] + 1]
    for _ in range(exponent):
        found = product(found, base)
    return found


@dataclass(frozen=True)
class RationalDensity:
    """π μ(ω) = P(ω²)/Π ((ω − w)² + a²)^m, m = `poles[a, w]`; both w and −w are listed."""

    numerator: Polynomial
    poles: dict[tuple[Any, Any], int]


def rational_density(pieces: tuple[Piece, ...], numbers: Coefficients) -> RationalDensity:
    """The density of an even k(t) = Σ c tⁿ e^{g − at} e^{i(qπ/2 + wt)} for t > 0. Raises NotClosed for other pieces.

    Re Σ i^q c n! e^g (a − i(ω − w))^{n+1}/(a² + (ω − w)²)^{n+1}, over one denominator, in powers of ω².
    """
    zero = numbers.number(0)
    poles: dict[tuple[Any, Any], int] = {}
    for piece in pieces:
        if piece.low != 0 or piece.high is not None or piece.curvature != 0 or _quarters(piece.phase, numbers) is None:
            raise NotClosed("a function with breakpoints, a Gaussian or a phase")
        if numbers.less(zero, piece.rate) is not True:
            raise NotClosed("a function that does not decay")
        key = (piece.rate, piece.wave)
        poles[key] = max(poles.get(key, 0), len(piece.weights))
    one = [numbers.number(1)]
    found: Polynomial = []
    for piece in pieces:
        a, w = piece.rate, piece.wave
        square = [a * a + w * w, -2 * w, one[0]]
        size = numbers.exponential(piece.level)
        above: Polynomial = []
        real: Polynomial = one
        imaginary: Polynomial = []
        for n, weight in enumerate(piece.weights):
            # times a − i(ω − w)
            turn = [-w, one[0]]
            real, imaginary = (
                total(product([a], real), product(turn, imaginary)),
                total(product([a], imaginary), [-c for c in product(turn, real)]),
            )
            quarters = _quarters(piece.phase, numbers)
            turned = real if quarters == 0 else [-c if quarters == 1 else c for c in imaginary]
            raised = product(turned, power(square, poles[a, w] - n - 1))
            above = total(above, [weight * size * factorial(n) * c for c in raised])
        for (b, v), times in poles.items():
            if (b, v) != (a, w):
                above = product(above, power([b * b + v * v, -2 * v, one[0]], times))
        found = total(found, above)
    squares = [c * c for c in found]
    if not all(numbers.is_zero(square, sum(squares)) for square in squares[1::2]):
        raise NotClosed("a density that may not be even")
    return RationalDensity(found[::2], poles)


def _quarters(phase: Any, numbers: Coefficients) -> int | None:
    """q = −1, 0 or 1 if the phase is qπ/2; None for others."""
    turn = numbers.pi() / 2
    return next((q for q in (0, 1, -1) if numbers.is_zero(phase - q * turn, turn)), None)
