"""Compiled quadrature behind one guarded function, and work counted as it is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from kernelspec.errors import NotFiniteError

__all__ = ["Work", "cosine_integral_between", "counted_work", "product_and_error", "spend"]


@dataclass
class Work:
    """What was done since the counting began, in millions of simple operations: about milliseconds."""

    done: float = 0.0


_OPEN: ContextVar[Work | None] = ContextVar("work that is counted", default=None)


@contextmanager
def counted_work() -> Iterator[Work]:
    """What is spent in the body, in this thread, is counted; for a count around this one, too."""
    outer, work = _OPEN.get(), Work()
    token = _OPEN.set(work)
    try:
        yield work
    finally:
        _OPEN.reset(token)
        if outer is not None:
            outer.done += work.done


def spend(operations: float) -> None:
    """Count so many simple operations, where anybody counts: of what takes long, and before it is done."""
    work = _OPEN.get()
    if work is not None:
        work.done += operations / 1e6


def cosine_integral_between(
    function: Callable[[float], float], low: float, high: float, frequency: float, *, absolute: float, relative: float
) -> float:
    """∫ f(t) cos(ωt) dt from `low` to `high`, to the errors wanted or to rounding, by QUADPACK's Clenshaw–Curtis rule.

    Raises NotFiniteError, with the place, where f or a limit is not a finite number: none ever reaches compiled code.
    Reference: Piessens, de Doncker, Überhuber and Kahaner 1983, QAWO.
    """
    from scipy.integrate import quad

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
    # the full output also keeps QUADPACK from warning where rounding is reached: what it returns is the most there is
    found = quad(
        checked,
        low,
        high,
        weight="cos",
        wvar=frequency,
        epsabs=absolute,
        epsrel=relative,
        limit=200,
        full_output=1,
    )
    return float(found[0])


def product_and_error(factors: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """∏ v_i, and ∏ (|v_i| + e_i) − ∏ |v_i|, which bounds its error for values v_i within e_i.

    A factor that is infinite, as at the end of the law of a wave, is 0 beside one that is 0.
    """
    values, errors = factors[0]
    for found, doubt in factors[1:]:
        errors = _product(np.abs(values), doubt) + _product(np.abs(found), errors) + _product(errors, doubt)
        values = _product(values, found)
    return values, errors


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Entry by entry, 0 · ∞ = 0; infinite beyond all floats."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where((left == 0) | (right == 0), 0.0, left * right)
