"""Transforms of pieces in closed form: ∫ q(t) e^{−st−bt²} dt over an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients
from kernelspec.measures.algebra.pieces import Piece

__all__ = ["gaussian_integral", "moment_polynomials", "transform", "transform_of_piece"]


def gaussian_integral(
    weights: Sequence[Any],
    curvature: Any,
    slope: Any,
    ends: tuple[Any, Any],
    exponent_at: Callable[[Any], Any],
    whole: Any,
    numbers: Coefficients,
    arithmetic: Arithmetic,
) -> Any:
    """∫_u^v Σ c_n tⁿ e^{K − st − bt²} dt for complex s = `slope` and b = `curvature` > 0, u or v None for infinite.

    With z = s/2√b + √b t it is ½√(π/b) e^{K + s²/4b} [erfc z]_v^u A(s) and two terms from the ends. K + s²/4b is
    `whole` and K − st − bt² is `exponent_at(t)`, given because the caller computes them without cancellation.
    """
    low, high = ends
    b = curvature
    main, lower, upper = moment_polynomials(weights, b, 0 * b if low is None else low, 0 * b if high is None else high)
    width = arithmetic.real(numbers.root(numbers.pi() / b) / 2)
    head = width * arithmetic.polynomial(main, slope)
    if low is None and high is None:
        return head * arithmetic.exp(whole) * arithmetic.real(numbers.number(2))
    root = numbers.root(b)

    def place(end: Any) -> Any:
        return slope / arithmetic.real(2 * root) + arithmetic.real(root * end)

    if low is None:
        total = head * arithmetic.gaussian_tail(exponent_at(high), -place(high), whole)
    elif high is None:
        total = head * arithmetic.gaussian_tail(exponent_at(low), place(low), whole)
    else:
        exponents, places = (exponent_at(low), exponent_at(high)), (place(low), place(high))
        total = head * arithmetic.gaussian_difference(exponents, places, whole)
    for end, polynomial, sign in ((low, lower, 1), (high, upper, -1)):
        if end is not None and any(not numbers.is_zero(weight, weight) for weight in polynomial):
            edge = arithmetic.polynomial([sign * weight for weight in polynomial], slope)
            total = total + edge * arithmetic.exp(exponent_at(end))
    return total


def moment_polynomials(
    weights: Sequence[Any], curvature: Any, low: Any, high: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """A, U, V with ∫_u^v q(t) e^{−st−bt²} dt = A(s) I_0 + U(s) e^{−su−bu²} − V(s) e^{−sv−bv²}, by increasing powers.

    From 2b I_{m+1} = m I_{m−1} − s I_m + u^m e^{−su−bu²} − v^m e^{−sv−bv²}.
    """
    zero = 0 * curvature
    found = [[zero], [zero], [zero]]
    before, now = [[zero], [zero], [zero]], [[zero + 1], [zero], [zero]]
    for m, weight in enumerate(weights):
        found = [_plus(total, [weight * c for c in current]) for total, current in zip(found, now, strict=True)]
        following = []
        for last, current, edge in zip(before, now, (zero, low**m, high**m), strict=True):
            terms = _plus(_plus([m * c for c in last], [zero, *(-c for c in current)]), [edge])
            following.append([c / (2 * curvature) for c in terms])
        before, now = now, following
    return found[0], found[1], found[2]


def _plus(left: list[Any], right: list[Any]) -> list[Any]:
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return [*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]]


def transform(pieces: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    """∫ e^{−iωt} Σ pieces(t) dt, ω = `frequency`, a number of the arithmetic."""
    total = arithmetic.real(numbers.number(0))
    for piece in pieces:
        total = total + transform_of_piece(piece, frequency, numbers, arithmetic)
    return total


def transform_of_piece(piece: Piece, frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    """∫_u^v Σ c_n tⁿ e^{g − at − bt² + iφ + iwt − iωt} dt, with s = a + i(ω − w).

    Without b the antiderivative −e^{−st} Σ q^{(k)}(t)/s^{k+1}; with b the function e^{z²} erfc(z) at
    z = s/2√b + √b u, the transform of a Gaussian on the whole line.
    """
    if piece.low is None and piece.high is not None:
        return transform_of_piece(piece.mirrored(), -frequency, numbers, arithmetic)
    s = arithmetic.real(piece.rate) + arithmetic.turned(frequency - arithmetic.real(piece.wave))
    if numbers.is_zero(piece.curvature, piece.curvature):
        return _without_curvature(piece, frequency, s, arithmetic)
    return _with_curvature(piece, frequency, s, numbers, arithmetic)


def _edge(piece: Piece, end: Any, frequency: Any, arithmetic: Arithmetic) -> Any:
    """The exponent at an end: g − ap − bp² + i(φ + wp − ωp)."""
    level = piece.level - piece.rate * end - piece.curvature * end * end
    wave = arithmetic.turned(frequency * arithmetic.real(end))
    return arithmetic.complex(level, piece.phase + piece.wave * end) - wave


def _without_curvature(piece: Piece, frequency: Any, s: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(piece.weights[0] * 0)
    if arithmetic.vanishes(s):
        return total + _integral(piece, arithmetic)
    for end, sign, derivatives in zip((piece.low, piece.high), (1, -1), piece.at_ends, strict=True):
        if end is None:
            continue
        series = arithmetic.inverse_powers([sign * d for d in derivatives], s)
        total = total + arithmetic.exp(_edge(piece, end, frequency, arithmetic)) * series
    return total


def _integral(piece: Piece, arithmetic: Arithmetic) -> Any:
    """∫_u^v Σ c_n tⁿ dt, where the exponent does not depend on t."""
    areas = (c * (piece.high ** (n + 1) - piece.low ** (n + 1)) / (n + 1) for n, c in enumerate(piece.weights))
    return arithmetic.real(sum(areas)) * arithmetic.exp(arithmetic.complex(piece.level, piece.phase))


def _with_curvature(piece: Piece, frequency: Any, s: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    b = piece.curvature
    whole = arithmetic.complex(piece.level, piece.phase) + s * s / arithmetic.real(4 * b)
    return gaussian_integral(
        piece.weights,
        b,
        s,
        (piece.low, piece.high),
        lambda end: _edge(piece, end, frequency, arithmetic),
        whole,
        numbers,
        arithmetic,
    )
