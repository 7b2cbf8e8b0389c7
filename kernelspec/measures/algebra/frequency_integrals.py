"""Convolutions of densities that are exponential polynomials with what functions of the lag transform to."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import Any

from kernelspec.measures.algebra.arithmetic import Arithmetic, Coefficients
from kernelspec.measures.algebra.gaussian_integral import gaussian_integral
from kernelspec.measures.algebra.piece import NotClosed, Piece, derivatives_at

__all__ = ["fraction_integral", "smoothed"]


def smoothed(
    whole: Iterable[Piece], density: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ f(ν) T(ω − ν) dν for Gaussians on the whole lag axis, c e^{g − at − bt² + iφ + iwt}, T = c√(π/b) e^{s²/4b + …}.

    Against ν the integrand is Gaussian again, of curvature 1/4b.
    """
    total = arithmetic.real(numbers.number(0))
    for bell in whole:
        for piece in density:
            total = total + _smoothed_piece(bell, piece, frequency, numbers, arithmetic)
    return total


def _smoothed_piece(bell: Piece, piece: Piece, frequency: Any, numbers: Coefficients, arithmetic: Arithmetic) -> Any:
    beta = 1 / (4 * bell.curvature)
    moved = frequency - arithmetic.real(bell.wave)
    level = arithmetic.complex(piece.level + bell.level, piece.phase + bell.phase)
    rate = arithmetic.complex(piece.rate, -piece.wave)
    shifted = arithmetic.real(bell.rate) + arithmetic.turned(moved)
    slope = rate + arithmetic.turned(shifted) * arithmetic.real(2 * beta)
    size = bell.weights[0] * numbers.root(numbers.pi() / bell.curvature)

    def exponent_at(end: Any) -> Any:
        at = arithmetic.real(bell.rate) + arithmetic.turned(moved - arithmetic.real(end))
        return level + at * at * arithmetic.real(beta) - rate * arithmetic.real(end)

    whole = level + rate * rate / arithmetic.real(4 * beta) + arithmetic.turned(rate * shifted)
    weights = [size * weight for weight in piece.weights]
    return gaussian_integral(weights, beta, slope, (piece.low, piece.high), exponent_at, whole, numbers, arithmetic)


def fraction_integral(
    pieces: Iterable[Piece], density: Iterable[Piece], frequency: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ f(ν) H(ω − ν) dν, H(ω) = ∫_0^∞ e^{−iωt} Σ pieces(t) dt, for pieces without curvature on t > 0, f even.

    H(ω − ν) is a sum of e^{−i(ω−ν)p}/(ν − z)^k with z = ω − w − ia and p ≥ 0. With x = ν − z the antiderivative of
    x^q e^{−cx} is elementary or −E₁(cx). For a ≥ 0 x is in the upper half-plane, and cx never meets the cut; on a piece
    that ends, a may be negative, and E₁ is continued across it.
    """
    total = arithmetic.real(numbers.number(0))
    pairs = list(density)
    for piece in pieces:
        moved = frequency - arithmetic.real(piece.wave)
        for end, sign in ((piece.low, 1), (piece.high, -1)):
            if end is None:
                continue
            poles = [sign * d for d in derivatives_at(piece.weights, end)]
            level = arithmetic.complex(piece.level - piece.rate * end, piece.phase)
            factor = arithmetic.exp(level - arithmetic.turned(moved * arithmetic.real(end)))
            for part in pairs:
                value = _fractions(poles, piece.rate, end, part, moved, numbers, arithmetic)
                total = total + factor * value
    return total


def _fractions(
    poles: list[Any], rate: Any, point: Any, part: Piece, moved: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> Any:
    """∫ Σ_k D_k/(a + i(Ω − ν))^{k+1} · Σ f_m ν^m e^{γ − ρν + ipν} dν over the ends of one piece of the density."""
    pole = moved - arithmetic.turned(arithmetic.real(rate))
    flat = numbers.is_zero(part.rate, part.rate) and numbers.is_zero(point, point)
    decay = arithmetic.complex(part.rate, -point)
    powers = _expanded(poles, part.weights, pole, numbers, arithmetic)
    residue, regular, singular = _antiderivative(powers, decay, flat, numbers, arithmetic)
    from_below = numbers.less(part.rate, 0 * part.rate) is True
    crosses = residue is not None and not flat and _crosses(rate, point, numbers)

    def tail(level: Any, place: Any) -> Any:
        found = arithmetic.exponential_tail(level, place, from_below)
        if not crosses:
            return found
        full = arithmetic.turned(arithmetic.real((-2 if from_below else 2) * numbers.pi()))
        return found + full * arithmetic.crossed(level, place, from_below)

    total = arithmetic.real(numbers.number(0))
    for end, sign in ((part.high, 1), (part.low, -1)):
        if end is None:
            continue
        x = arithmetic.real(end) - pole
        level = arithmetic.complex(part.level - part.rate * end, point * end)
        value = arithmetic.exp(level) * (_horner(regular, x, arithmetic) + _inverse(singular, x, arithmetic))
        if residue is not None:
            if flat:
                value = value + arithmetic.exp(level) * residue * arithmetic.logarithm(x)
            else:
                value = value - residue * tail(level, decay * x)
        total = total + value if sign == 1 else total - value
    return total


def _crosses(rate: Any, point: Any, numbers: Coefficients) -> bool:
    """Whether cx may cross the cut of E₁: for a < 0 and p > 0. Raises NotClosed where that depends on symbols."""
    if numbers.is_zero(point, point):
        return False
    rises = numbers.less(rate, 0 * rate)
    if rises is None:
        raise NotClosed("the sign of a rate depends on symbols")
    return rises


def _expanded(
    poles: list[Any], weights: tuple[Any, ...], pole: Any, numbers: Coefficients, arithmetic: Arithmetic
) -> dict[int, Any]:
    """Σ_k D_k i^{k+1} x^{−k−1} · Σ_m f_m (z + x)^m by powers of x."""
    found: dict[int, Any] = {}
    shifted = []
    for j in range(len(weights)):
        coefficients = [comb(m, j) * weights[m] for m in range(j, len(weights))]
        shifted.append(arithmetic.polynomial(coefficients, pole))
    for k, d in enumerate(poles):
        if numbers.is_zero(d, d):
            continue
        turn = arithmetic.real(d)
        for _ in range(k + 1):
            turn = arithmetic.turned(turn)
        for j, value in enumerate(shifted):
            q = j - k - 1
            term = turn * value
            found[q] = found[q] + term if q in found else term
    return found


def _antiderivative(
    powers: dict[int, Any], decay: Any, flat: bool, numbers: Coefficients, arithmetic: Arithmetic
) -> tuple[Any, list[Any], list[Any]]:
    """(λ, R, S): e^{cx} times the antiderivative of Σ G_q x^q e^{−cx} is Σ R_j x^j + Σ S_j x^{−j−1} − λ e^{cx} E₁(cx).

    With c = 0 (`flat`) the last term is λ log x.
    """
    zero = arithmetic.real(numbers.number(0))
    rest = dict(powers)
    singular: dict[int, Any] = {}
    for q in range(min(rest, default=0), -1):
        value = rest.pop(q, None)
        if value is None:
            continue
        ratio = value / arithmetic.real(numbers.number(q + 1))
        singular[-q - 2] = singular.get(-q - 2, zero) + ratio
        if not flat:
            rest[q + 1] = rest.get(q + 1, zero) + ratio * decay
    residue = rest.pop(-1, None)
    top = max((q for q in rest if q >= 0), default=-1)
    regular = [zero] * (top + 2 if flat else top + 1)
    if flat:
        for q in range(top + 1):
            if q in rest:
                regular[q + 1] = rest[q] / arithmetic.real(numbers.number(q + 1))
    else:
        carried = zero
        for q in range(top, -1, -1):
            # ∫ x^q e^{−cx} = −x^q e^{−cx}/c + (q/c) ∫ x^{q−1} e^{−cx}
            now = (rest.get(q, zero) + carried) / decay
            regular[q] = -now
            carried = now * arithmetic.real(numbers.number(q))
    return residue, regular, [singular.get(j, zero) for j in range(max(singular, default=-1) + 1)]


def _horner(values: list[Any], x: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(0)
    for value in reversed(values):
        total = total * x + value
    return total


def _inverse(values: list[Any], x: Any, arithmetic: Arithmetic) -> Any:
    total = arithmetic.real(0)
    for value in reversed(values):
        total = (total + value) / x
    return total
