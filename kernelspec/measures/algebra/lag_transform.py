"""The transform of pieces in the lag: ∫ f(t) e^{−iωt} dt in closed form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kernelspec.measures.algebra.arithmetic import Arithmetic, Coefficients
from kernelspec.measures.algebra.gaussian_integral import gaussian_integral
from kernelspec.measures.algebra.piece import Piece

__all__ = ["transform", "transform_of_piece"]


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
