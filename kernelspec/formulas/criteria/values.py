"""Single values that no positive definite function takes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from kernelspec.formulas.criteria.statement import Statement
from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.multiprecision import value_at

__all__ = ["by_values"]

_GRID = np.unique(np.concatenate([np.geomspace(1e-6, 1e6, 1200), np.linspace(0, 40, 2001)[1:]]))
_DIGITS = 50
_BEYOND = 1e-9
_MOST = 30


def by_values(formula: Formula) -> Statement | None:
    """In no dimension where |f(r)| > 1; in none in which f(r) is less than the least value of the wave Ω_d.

    |k| ≤ k(0), and f is a mixture of Ω_d(ρr) over ρ ≥ 0 [Schoenberg 1938]. The value is that on which 50 digits and 100
    agree.
    """
    import mpmath

    if formula.unknowns():
        return None
    found = values(formula, _GRID)
    if not np.isfinite(found).all():
        return None
    with mpmath.workdps(_DIGITS):
        place = float(_GRID[np.argmax(np.abs(found))])
        value = _value(formula, place)
        if value is None:
            return None
        shown = f"f({place:.6g}) = {float(value):.6g}"
        if abs(value) > 1 + _BEYOND:
            return Statement(0, 1, f"{shown}, and |f| would be at most f(0) = 1")
        place = float(_GRID[np.argmin(found)])
        value = _value(formula, place)
    if value is None or not value < 0:
        return None
    for dim in range(2, _MOST + 1):
        if value < _least_value(dim) - _BEYOND:
            bound = _least_value(dim)
            reason = f"f({place:.6g}) = {float(value):.6g}, and no less than {bound:.6g} is possible for d = {dim}"
            return Statement(0, dim, f"{reason} [Schoenberg 1938]")
    return None


def _value(formula: Formula, place: float) -> Any:
    """f(r), to `_BEYOND`/10; None where digits cancel."""
    import mpmath

    with mpmath.workdps(2 * _DIGITS):
        exact = value_at(formula, place)
    rounded = value_at(formula, place)
    close = mpmath.isfinite(exact) and abs(exact - rounded) <= _BEYOND / 10 * (1 + abs(exact))
    return exact if close else None


@lru_cache(maxsize=64)
def _least_value(dim: int) -> float:
    """The least value of Γ(d/2)(2/x)^{d/2−1} J_{d/2−1}(x), at the first zero of J_{d/2}."""
    import mpmath

    order = mpmath.mpf(dim) / 2
    zero = mpmath.besseljzero(order, 1)
    return float(mpmath.gamma(order) * (2 / zero) ** (order - 1) * mpmath.besselj(order - 1, zero))
