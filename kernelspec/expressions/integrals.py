"""Integrals over the half line of functions that vary on every scale of t, and their sign."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotFiniteError
from kernelspec.limits import spend
from kernelspec.loading import scipy

__all__ = ["SineTransform", "cosine_integral_between", "half_line_integral", "tail_integral"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_SMALLEST, _LARGEST = 1e-300, 1e300
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_FINEST_STEP = 2.0**-10
_AGREEMENT = 2e-14
_OPERATIONS = 100
_OPERATIONS_OF_A_CALL = 200_000
_STRAIGHT = 1e-8
"""Below it, the sine equals its argument in all digits."""


def half_line_integral(function: Function, breaks: Sequence[float] = ()) -> float:
    """∫₀^∞ g(t) dt for g that is smooth in log t between the breaks; ignores t below 1e-300 and above 1e300."""
    return math.fsum(_panels(function, breaks)[2].sum(axis=1))


def tail_integral(value: Function) -> float:
    """∫ of a decreasing f from 1e300 on, ∞ if it diverges, for f like a power of t, or 1/t with a power of log t.

    Reads the exponent off f at 1e100, 1e200 and 1e300. Reference: Karamata 1933.
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


def _panels(function: Function, breaks: Sequence[float]) -> tuple[Array, Array, Array]:
    """Gauss–Legendre rules on panels of at most half an e-fold, narrowing towards breaks.

    Returns the corners of the panels, (p + 1,), the nodes t, (p, 24), and their weights in the integral of g, (p, 24).
    """
    first, last = math.log(_SMALLEST), math.log(_LARGEST)
    panels: list[NDArray[Any]] = [np.linspace(first, last, math.ceil((last - first) / 0.5) + 1)]
    for b in (math.log(b) for b in breaks if _SMALLEST < b < _LARGEST):
        near = 0.5 * 4.0 ** -np.arange(25)
        panels += [b - near, np.array([b]), b + near]
    corners = np.unique(np.clip(np.concatenate(panels), first, last))
    half = np.diff(corners)[:, None] / 2
    t = np.exp(corners[:-1, None] + half * (1 + _NODES))
    spend(_OPERATIONS * t.size)
    with np.errstate(all="ignore"):
        parts = np.nan_to_num(t * function(t), nan=0.0, posinf=0.0, neginf=0.0) * _WEIGHTS * half
    return np.exp(corners), t, parts


@dataclass(frozen=True)
class SineTransform:
    """ω ↦ ∫₀^∞ g(t) sin(ωt) dt, ω > 0, for g that is analytic between the breaks and finally tends to 0 monotonically.

    Up to a corner before t = 1/ω, where nothing oscillates, uses panels in log t, with g evaluated once for all ω; then
    up to the last break by parts, with g′ = `derivative` and QUADPACK's rule for cosine weights; beyond, the double
    exponential rule for Fourier integrals, halving the step until two results agree. Reference: Ooura and Mori 1999.
    """

    function: Function
    derivative: Function
    breaks: tuple[float, ...] = ()

    def __call__(self, frequency: float) -> float:
        start, before = self._before_waves(frequency)
        total = [before]
        for stop in sorted(b for b in self.breaks if b > start):
            total += _finite_part(self.function, self.derivative, frequency, start, stop)
            start = stop
        start = math.nextafter(start, math.inf)  # just beyond the kink, if the last break is one
        cosine, sine = (
            _half_line_part(lambda s: self.function(start + s), frequency, cosine=own) for own in (True, False)
        )
        phase = frequency * start
        return math.fsum([*total, math.sin(phase) * cosine, math.cos(phase) * sine])

    @cached_property
    def _parts(self) -> tuple[Array, Array, Array, Array]:
        """The panels, with the integrals of t g(t) up to each corner, as far as they are floats."""
        corners, t, parts = _panels(self.function, self.breaks)
        with np.errstate(over="ignore", invalid="ignore"):
            areas = np.concatenate([[0.0], np.cumsum((t * parts).sum(axis=1))])
        return corners, t, parts, areas[np.isfinite(areas)]

    def _before_waves(self, frequency: float) -> tuple[float, float]:
        """The corner at or before 1/ω, and the integral up to it."""
        corners, t, parts, areas = self._parts
        last = max(int(np.searchsorted(corners, 1 / frequency, side="right")) - 1, 1)
        straight = int(np.searchsorted(corners, _STRAIGHT / frequency, side="right")) - 1
        first = min(max(straight, 0), len(areas) - 1, last)
        spend(_OPERATIONS * t[first:last].size)
        waves = (np.sin(frequency * t[first:last]) * parts[first:last]).sum(axis=1)
        return float(corners[last]), math.fsum([frequency * float(areas[first]), *waves])


def _finite_part(
    function: Function, derivative: Function, frequency: float, start: float, stop: float
) -> tuple[float, float, float]:
    """∫ g(t) sin(ωt) dt between two breaks, as three terms."""

    def counted(t: float) -> float:
        spend(_OPERATIONS_OF_A_CALL)
        return float(derivative(np.asarray(t)))

    a, b = math.nextafter(start, math.inf), math.nextafter(math.nextafter(stop, 0), 0)
    left, right = (math.cos(frequency * t) * float(function(np.asarray(t))) / frequency for t in (a, b))
    inner = cosine_integral_between(
        counted, a, b, frequency, absolute=_AGREEMENT * max(abs(left), abs(right)) * frequency, relative=1e-12
    )
    return left, -right, inner / frequency


def _half_line_part(function: Function, frequency: float, *, cosine: bool) -> float:
    step, found, before = 2.0**-3, math.nan, math.inf
    while step >= _FINEST_STEP:
        finer = _double_exponential(function, frequency, step, cosine=cosine)
        change = abs(finer - found)
        if change <= _AGREEMENT * abs(finer) or (change >= before and step < 2.0**-5):
            return finer  # from here on only rounding changes
        found, step, before = finer, step / 2, math.inf if math.isnan(change) else change
    return found


def _double_exponential(function: Function, frequency: float, step: float, *, cosine: bool) -> float:
    """The rule with t = M φ(x)/ω, M = π/h, φ(x) = x / (1 − exp(−2x − α(1 − e⁻ˣ) − β(eˣ − 1))).

    The nodes approach the zeros of the sine double exponentially; for the cosine they are shifted by half a step.
    """
    beta = 0.25
    m = math.pi / step
    alpha = beta / math.sqrt(1 + m * math.log1p(m) / (4 * math.pi))
    k = np.arange(math.floor(-math.log(45 / alpha) / step), math.ceil(5.2 / step) + 1, dtype=float)
    shift = 0.5 if cosine else 0.0
    spend(_OPERATIONS_OF_A_CALL + _OPERATIONS * len(k))
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


def cosine_integral_between(
    function: Callable[[float], float], low: float, high: float, frequency: float, *, absolute: float, relative: float
) -> float:
    """∫ f(t) cos(ωt) dt from `low` to `high`, to the requested errors or to rounding, by QUADPACK's Clenshaw–Curtis
    rule.

    Raises NotFiniteError, with the place, if f or a limit is not finite: compiled code never sees such a number.
    Reference: Piessens, de Doncker, Überhuber and Kahaner 1983, QAWO.
    """

    def checked(t: float) -> float:
        value = float(function(t))
        if not math.isfinite(value):
            raise NotFiniteError(
                f"the integrand of a quadrature is {value} at t = {t:.17g}: it must be a finite number"
            )
        return value

    for name, number in (("lower limit", low), ("upper limit", high), ("frequency", frequency)):
        if not math.isfinite(number):
            raise NotFiniteError(f"the {name} of a quadrature is {number}: it must be a finite number")
    # full_output also suppresses QUADPACK's warning when rounding is reached; the result is then as good as it gets
    found = scipy.integrate.quad(
        checked, low, high, weight="cos", wvar=frequency, epsabs=absolute, epsrel=relative, limit=200, full_output=1
    )
    return float(found[0])
