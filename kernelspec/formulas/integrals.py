"""Integrals over the half line of functions that change on every scale of t, and their sine transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.special.counted_work import spend
from kernelspec.special.guarded_quadrature import cosine_integral_between

__all__ = ["half_line_integral", "sine_integral", "tail_integral"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_SMALLEST, _LARGEST = 1e-300, 1e300
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FINEST_STEP = 2.0**-10
_AGREEMENT = 2e-14
_OPERATIONS = 100


def half_line_integral(function: Function, breaks: Sequence[float] = ()) -> float:
    """∫₀^∞ g(t) dt for g that is smooth in log t between the breaks; without what lies below 1e-300 or above 1e300."""
    return _logarithmic(function, _LARGEST, breaks)


def tail_integral(value: Function) -> float:
    """∫ of a decreasing f from 1e300 on, ∞ where it diverges: f like a power of t, or 1/t with a power of log t.

    The exponent is read off f at 1e100, 1e200 and 1e300. Reference: Karamata 1933.
    """
    f = value(np.array([1e100, 1e200, _LARGEST]))
    if not f[2] > 0:
        return 0.0
    decades = 100 * math.log(10)
    before, excess = (-math.log(f[i + 1] / f[i]) / decades - 1 for i in (0, 1))
    if not excess > 1e-12:
        return math.inf
    if before < 1.3 * excess:
        return float(_LARGEST * f[2]) / excess
    power = excess * decades / math.log(1.5)  # f = 1/(t (log t)^power), for which before/excess = log 2 / log 1.5
    return float(_LARGEST * f[2]) * 3 * decades / (power - 1) if power > 1.01 else math.inf


def _logarithmic(function: Function, stop: float, breaks: Sequence[float]) -> float:
    """∫ of g up to `stop`, by Gauss–Legendre rules on panels of at most half an e-fold, that narrow towards breaks."""
    inner = [math.log(b) for b in breaks if _SMALLEST < b < stop]
    first, last = math.log(_SMALLEST), math.log(stop)
    panels: list[NDArray[Any]] = [np.linspace(first, last, math.ceil((last - first) / 0.5) + 1)]
    for b in inner:
        near = 0.5 * 4.0 ** -np.arange(25)
        panels += [b - near, np.array([b]), b + near]
    corners = np.unique(np.clip(np.concatenate(panels), first, last))
    half = np.diff(corners) / 2
    t = np.exp(corners[:-1, None] + half[:, None] * (1 + _NODES))
    spend(_OPERATIONS * t.size)
    with np.errstate(all="ignore"):
        areas = (np.nan_to_num(t * function(t), nan=0.0, posinf=0.0, neginf=0.0) @ _WEIGHTS) * half
    return math.fsum(areas)


def sine_integral(function: Function, derivative: Function, frequency: float, breaks: Sequence[float] = ()) -> float:
    """∫₀^∞ g(t) sin(ωt) dt, ω > 0, for g that is analytic between the breaks and tends to 0 monotonically at the end.

    Up to t = 1/ω, where nothing oscillates, on panels in log t; from there to the last break by parts, with g′ and
    QUADPACK's rule for cosine weights; beyond by the double exponential rule for Fourier integrals, halving the step
    until two results agree. Reference: Ooura and Mori 1999.
    """
    start = min(max(1 / frequency, 2 * _SMALLEST), _LARGEST)
    total = [_logarithmic(lambda t: np.sin(frequency * t) * function(t), start, breaks)]
    for stop in sorted(b for b in breaks if b > start):
        total += _finite_part(function, derivative, frequency, start, stop)
        start = stop
    start = math.nextafter(start, math.inf)  # beyond the kink, should the last break be one
    cosine, sine = (_half_line_part(lambda s: function(start + s), frequency, cosine=c) for c in (True, False))
    phase = frequency * start
    return math.fsum([*total, math.sin(phase) * cosine, math.cos(phase) * sine])


def _finite_part(
    function: Function, derivative: Function, frequency: float, start: float, stop: float
) -> tuple[float, float, float]:
    """∫ g(t) sin(ωt) dt between two breaks, as three terms."""
    a, b = math.nextafter(start, math.inf), math.nextafter(math.nextafter(stop, 0), 0)
    left, right = (math.cos(frequency * t) * float(function(np.asarray(t))) / frequency for t in (a, b))
    inner = cosine_integral_between(
        lambda t: float(derivative(np.asarray(t))),
        a,
        b,
        frequency,
        absolute=_AGREEMENT * max(abs(left), abs(right)) * frequency,
        relative=1e-12,
    )
    return left, -right, inner / frequency


def _half_line_part(function: Function, frequency: float, *, cosine: bool) -> float:
    step, found, before = 2.0**-3, math.nan, math.inf
    while step >= _FINEST_STEP:
        finer = _double_exponential(function, frequency, step, cosine=cosine)
        change = abs(finer - found)
        if change <= _AGREEMENT * abs(finer) or (change >= before and step < 2.0**-5):
            return finer  # the second: only rounding changes
        found, step, before = finer, step / 2, math.inf if math.isnan(change) else change
    return found


def _double_exponential(function: Function, frequency: float, step: float, *, cosine: bool) -> float:
    """The rule with t = M φ(x)/ω, M = π/h, φ(x) = x / (1 − exp(−2x − α(1 − e⁻ˣ) − β(eˣ − 1))).

    The nodes approach the zeros of the sine double exponentially; for the cosine they are half a step further on.
    """
    beta = 0.25
    m = math.pi / step
    alpha = beta / math.sqrt(1 + m * math.log1p(m) / (4 * math.pi))
    k = np.arange(math.floor(-math.log(45 / alpha) / step), math.ceil(5.2 / step) + 1, dtype=float)
    shift = 0.5 if cosine else 0.0
    spend(_OPERATIONS * len(k))
    x = (k + shift) * step
    with np.errstate(all="ignore"):
        e = np.exp(-2 * x - alpha * -np.expm1(-x) - beta * np.expm1(x))
        slope = -2 - alpha * np.exp(-x) - beta * np.exp(x)  # e′ = e·slope
        gap = -np.expm1(np.log(e))
        middle = np.abs(x) < 1e-9
        c0, c1 = _at_zero(alpha, beta)
        phi = np.where(middle, c0 + c1 * x, x / gap)
        rate = np.where(middle, c1, (gap + x * e * slope) / gap**2)
        beyond = np.where(x > 0, x * e / gap, phi - x)  # φ − x, without cancellation
        angle = m * beyond
        sign = np.where(k % 2 == 0, 1.0, -1.0)
        # M x = π(k + shift), so that sin(M φ) = ± sin(M(φ − x)), and cos(M φ) = ∓ the same for the shifted nodes
        waves = np.where(x > 0, sign * np.sin(angle) * (-1 if cosine else 1), (np.cos if cosine else np.sin)(m * phi))
        terms = function(m * phi / frequency) * waves * rate
    return m * step / frequency * math.fsum(np.nan_to_num(terms, nan=0.0, posinf=0.0, neginf=0.0))


def _at_zero(alpha: float, beta: float) -> tuple[float, float]:
    """φ(0) and φ′(0): 1 − exp(−cx + qx²/2 …) = cx(1 − (c + q/c)x/2 …), c = 2 + α + β, q = α − β."""
    c, q = 2 + alpha + beta, alpha - beta
    return 1 / c, (c + q / c) / (2 * c)
