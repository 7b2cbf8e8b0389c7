"""Formulas with a quotient 0/0 at t = 0, such as log(1 + t)/t: their limit there, and what floats cancel near it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kernelspec.formulas.enclosure import EVERYTHING, Enclosure, finished
from kernelspec.formulas.formula import Constant, Formula, Operation, depends_on_variable
from kernelspec.formulas.interval import ZERO, Interval
from kernelspec.formulas.taylor import NotAnalytic, Number, Taylor, as_interval, taylor

__all__ = ["Expansion", "enclosed_near_zero", "expansion"]

_ORDER = 24
_WIDEST, _OCTAVES = 4.0, 40
_SMALL = 2.0**-54


@dataclass(frozen=True)
class Expansion:
    """Σ c_k t^k, which is f on [0, `reach`] to rounding, with its first two derivatives; `limit` is f(0)."""

    limit: Number
    coefficients: tuple[float, ...]
    reach: float

    def derivatives(self, t: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """f, f′ and f″."""
        series = np.polynomial.Polynomial(self.coefficients)
        return [np.asarray(part(t)) for part in (series, series.deriv(), series.deriv(2))]


@lru_cache(maxsize=256)
def expansion(formula: Formula) -> Expansion | None:
    """The expansion of a formula that has a removable 0/0 at t = 0; None for all others, whose own rules hold there."""
    if formula.unknowns() or not _divides(formula):
        return None
    for octave in range(_OCTAVES):
        high = _WIDEST * 2.0**-octave
        try:
            found = taylor(formula, high, _ORDER)
        except NotAnalytic:
            continue
        if not found.is_mended:
            return None
        n = len(found.start) - 1
        if n < 4:
            return None
        size = as_interval(found.start[0]).size().low
        rest = as_interval(found.around[n]).size().high * high**n
        bend = max(as_interval(found.start[2]).size().low, size)
        if rest <= _SMALL * size and n * n * rest <= _SMALL * bend * high**2:
            numbers = tuple(_middle(x) for x in found.start[:n])
            return Expansion(found.start[0], numbers, high)
    return None


def enclosed_near_zero(formula: Formula, high: float) -> Enclosure | None:
    """The enclosure on (0, high] of a formula with a removable 0/0 at t = 0; None where there is none.

    f = Σ_{k<n} c_k t^k + r(t) t^n with r in the interval of f⁽ⁿ⁾/n!, and f″ likewise.
    """
    if not high <= _WIDEST or expansion(formula) is None:
        return None
    try:
        found = taylor(formula, high, _ORDER)
    except NotAnalytic:
        return None
    value, slope, curvature = (_enclosed(found, high, order) for order in (0, 1, 2))
    positive = value.is_positive
    log = EVERYTHING if positive else ZERO
    return finished(replace(Enclosure(value, slope, curvature, positive, log, log)))


def _enclosed(found: Taylor, high: float, order: int) -> Interval:
    line, last = Interval(0.0, high), len(found.start) - 1
    numbers = [*found.start[:last], found.around[last]]
    for _ in range(order):
        numbers = [_scaled(x, k) for k, x in enumerate(numbers)][1:]
    total = as_interval(numbers[-1])
    for x in numbers[-2::-1]:
        total = total * line + as_interval(x)
    return total


def _scaled(x: Number, k: int) -> Number:
    return x * k if isinstance(x, Fraction) else x * Interval(float(k), float(k))


def _middle(x: Number) -> float:
    return float(x) if isinstance(x, Fraction) else (x.low + x.high) / 2


def _divides(formula: Formula) -> bool:
    pending = [formula.body]
    while pending:
        part = pending.pop()
        if isinstance(part, Operation):
            if part.name == "quotient" and depends_on_variable(part.operands[1]):
                return True
            exponent = part.operands[-1]
            if part.name == "power" and isinstance(exponent, Constant) and exponent.value < 0:
                return True
            pending.extend(part.operands)
    return False
