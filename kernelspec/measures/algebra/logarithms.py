"""Densities on a line of kernels Σ p_j(t) (log |t|)^j, where the p_j are piecewise polynomials times exponentials."""

from __future__ import annotations

from functools import reduce
from math import factorial
from typing import Any

from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.members import PieceMaker, lag_of
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import PushForward

__all__ = ["has_logarithms", "logarithmic_expression"]

_NUMBERS = ExactNumbers()
_MOST_LOGARITHMS = 2

_Powers = list[Piecewise]
"""The p_j by increasing j."""


def has_logarithms(measure: Measure) -> bool:
    """Whether a factor of a measure on one column has a logarithm."""
    if isinstance(measure, Convolution):
        return any(map(has_logarithms, measure.parts))
    part = measure.part if isinstance(measure, PushForward) else measure
    return isinstance(part, Spectral) and part.kernel.logarithmic_pieces(PieceMaker(_NUMBERS)) is not None


def logarithmic_expression(measure: Measure, omega: Any) -> Any:
    """μ(ω) of an even measure on one column, in exponential integrals and, with (log t)², in ₃F₃. Raises NotClosed.

    For a wave on an interval, the frequency at which the exponent is 0 is a case of its own.
    """
    powers = _powers(measure)
    halves = [(piece, j) for j, part in enumerate(powers) for piece in part.after_zero.pieces]
    if not all(part.is_even for part in powers):
        raise NotClosed("a logarithm in a kernel that is not even")
    if any(piece.curvature != 0 for piece, _ in halves):
        raise NotClosed("a logarithm times a Gaussian: derivatives of parabolic cylinder functions by their order")

    def density(at: Any) -> Any:
        total = sympy.Add(*[_transform(piece, j, at) for piece, j in halves])
        return sympy.re(total, evaluate=False) / sympy.pi

    poles = sorted({piece.wave for piece, _ in halves if piece.rate == 0}, key=sympy.default_sort_key)
    special = [(density(pole), sympy.Eq(omega, pole)) for pole in poles]
    return sympy.Piecewise(*special, (density(omega), True)) if special else density(omega)


def _powers(measure: Measure, unit: Any = 1) -> _Powers:
    """The p_j of k(t/unit). Raises NotClosed."""
    if isinstance(measure, Convolution):
        return reduce(_product, (_powers(part, unit) for part in measure.parts))
    if isinstance(measure, PushForward) and measure.factor is not None:
        return _powers(measure.part, unit / abs(sympy.S(measure.factor)))
    if isinstance(measure, Spectral):
        found = measure.kernel.logarithmic_pieces(PieceMaker(_NUMBERS), unit)
        if found is not None:
            return [lag_of(member) for member in found]
    members = line_members(measure, _NUMBERS)
    if any(member.frequency is not None for member in members):
        raise NotClosed("a logarithm times a kernel that is known by its density")
    return [lag_of(member).stretched(1 / sympy.S(unit)) for member in members]


def _product(left: _Powers, right: _Powers) -> _Powers:
    found = [Piecewise.of([], _NUMBERS)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] = found[i + j] + a * b
    while len(found) > 1 and not found[-1].pieces:
        found.pop()
    if len(found) > _MOST_LOGARITHMS + 1:
        raise NotClosed(f"a power of a logarithm above {_MOST_LOGARITHMS}")
    return found


def _transform(piece: Piece, power: int, omega: Any) -> Any:
    """∫_u^v Σ c_n tⁿ (log t)^m e^{g − st + iφ} dt, s = a + i(ω − w), m = `power`, over a piece with u ≥ 0."""
    s = piece.rate + sympy.I * (omega - piece.wave)
    ends = [(end, sign) for end, sign in ((piece.high, 1), (piece.low, -1)) if end is not None]
    values = [sign * _primitive(piece.weights, power, s, end) for end, sign in ends]
    return sympy.exp(piece.level + sympy.I * piece.phase) * sympy.Add(*values)


def _primitive(weights: Any, power: int, s: Any, t: Any) -> Any:
    """−e^{−st} P (log t)^m + m ∫ P (log t)^{m−1} e^{−st} dt/t, P = Σ_k q^{(k)}/s^{k+1}, for q = Σ c_n tⁿ.

    At t = 0 terms in log t cancel, and are left out.
    """
    log = sympy.S.Zero if t == 0 else sympy.log(t)
    if s == 0:
        areas = ((c * t**n, [sympy.S(1) / n ** (i + 1) for i in range(power + 1)]) for n, c in enumerate(weights, 1))
        return sympy.Add(*[area * _with_logarithms(power, log, shares) for area, shares in areas])
    parts: list[Any] = []
    for n in reversed(range(len(weights))):
        parts.insert(0, (weights[n] + (n + 1) * (parts[0] if parts else 0)) / s)
    found = -sympy.exp(-s * t) * sympy.Add(*[c * t**n for n, c in enumerate(parts)]) * log**power
    if power and parts:
        found += power * (parts[0] * _over_t(power - 1, s * t, log) + _primitive(parts[1:], power - 1, s, t))
    return found


def _over_t(power: int, z: Any, log: Any) -> Any:
    """∫ (log t)^m e^{−st} dt/t, z = st: by F_i = Σ_n (−z)ⁿ/(n! n^i), F_1 = −E₁(z) − log z − γ; 0 at t = 0."""
    if z == 0:
        return sympy.S.Zero
    series = [-sympy.expint(1, z) - sympy.log(z) - sympy.EulerGamma]
    series += [-z * sympy.hyper([1] * (i + 1), [2] * (i + 1), -z) for i in range(2, power + 2)]
    return log ** (power + 1) / (power + 1) + _with_logarithms(power, log, series)


def _with_logarithms(power: int, log: Any, shares: list[Any]) -> Any:
    """Σ_i (−1)^i m!/(m − i)! (log t)^{m−i} f_i."""
    m = factorial(power)
    return sympy.Add(*[(-1) ** i * (m // factorial(power - i)) * log ** (power - i) * f for i, f in enumerate(shares)])
