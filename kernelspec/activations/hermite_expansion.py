"""Hermite coefficients of a formula by quadrature, and how much of its mean square they leave out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.gauss_panels import FURTHEST, GaussPanels, gauss_panels
from kernelspec.errors import RangeError
from kernelspec.formulas.breakpoints import breakpoints
from kernelspec.formulas.floats import values
from kernelspec.formulas.formula import Formula, Operation, Term, Variable
from kernelspec.formulas.jets import jet

__all__ = ["MOST_DEGREES", "HermiteExpansion", "expand", "mean_square_slope"]

MOST_DEGREES = 4096
"""Degrees from here on are left out."""

_COMPLETE = 1e-13
_LARGEST_ERROR = 1e-9
_SMALLEST_JUMP = 1e-10
_FURTHER = 64


@dataclass(frozen=True)
class HermiteExpansion:
    """√E f², the shares a_0, a_1, … of E f² in the Hermite polynomials, and the share left out, with its error."""

    norm: float
    shares: NDArray[np.float64]
    omitted: float


@lru_cache(maxsize=32)
def expand(formula: Formula) -> HermiteExpansion:
    """b_l = ∫ f h_l φ, h_l = He_l/√l!, until Σ b_l² is E f² up to 1e-13, or for l < 4096.

    By Parseval the rest is Σ_{l ≥ L} b_l² = E f² − Σ_{l < L} b_l². Smooth formulas need some dozens of degrees; kinks
    leave out about L^{−3/2} and jumps L^{−1/2} of the whole.
    Raises RangeError where f has no real value, E f² is not finite, zero, or not found to 1e-9, and where more than
    half of it is left out.
    """
    size = _size(formula)
    panels = gauss_panels(lambda x: _real_values(formula, x) / size, _breaks(formula))
    total = panels.mean_square
    if not panels.error <= _LARGEST_ERROR * total:
        raise RangeError(f"E f(X)² was not found to {_LARGEST_ERROR:g} for f = {formula}; it may be infinite")
    shares = _shares(panels)
    if math.fsum(shares) < 0.5:
        raise RangeError(f"most of {formula} lies in Hermite polynomials of degree {MOST_DEGREES} and beyond")
    return HermiteExpansion(size * math.sqrt(total), shares, max(0.0, 1 - math.fsum(shares)) + panels.error / total)


@lru_cache(maxsize=32)
def mean_square_slope(formula: Formula) -> float:
    """E f′²/E f²; ∞ where f jumps or f′ is not square integrable."""
    norm, breaks = expand(formula).norm, _breaks(formula)
    if _jumps(formula, np.array(breaks), norm):
        return math.inf
    panels = gauss_panels(lambda x: _slopes(formula, x) / norm, breaks)
    return panels.mean_square if panels.error <= _LARGEST_ERROR * panels.mean_square else math.inf


def _jumps(formula: Formula, breaks: NDArray[np.float64], norm: float) -> bool:
    """Whether f differs across one of the points, by as much as it does 64 times further apart.

    A steep slope differs by 64 times less. Differences below 1e-10 of f and of its norm are rounding.
    """
    # the branches may meet between two floats: two steps to either side
    step = 2 * np.spacing(np.abs(breaks))
    left, right = values(formula, breaks - step), values(formula, breaks + step)
    with np.errstate(invalid="ignore"):
        near = np.abs(right - left)
        far = np.abs(values(formula, breaks + _FURTHER * step) - values(formula, breaks - _FURTHER * step))
    least = _SMALLEST_JUMP * np.maximum(norm, np.maximum(np.abs(left), np.abs(right)))
    return bool(((near > least) & (near > far / 2)).any())


def _size(formula: Formula) -> float:
    """The largest |f| √φ on a grid and where branches meet; f is divided by it, so that nothing overflows."""
    if formula.unknowns():
        raise RangeError(f"{formula} has no Hermite coefficients while a parameter is free")
    x = np.linspace(-FURTHEST, FURTHEST, 2048)
    heights = np.abs(_real_values(formula, x)) * np.exp(-np.square(x) / 4)
    meeting = np.array(_breaks(formula))
    peaks = np.abs(values(formula, meeting)) * np.exp(-np.square(meeting) / 4)
    size = float(max(heights.max(), *peaks[np.isfinite(peaks)], 0.0))  # poles may be integrable
    if not size < math.inf or max(heights[0], heights[-1]) > 1e-7 * size > 0:
        raise RangeError(f"E f(X)² is infinite, or too much of it lies beyond |x| = {FURTHEST:g}, for f = {formula}")
    if size == 0:
        raise RangeError(f"{formula} is zero: an activation must not be")
    return size


def _shares(panels: GaussPanels) -> NDArray[np.float64]:
    """b_l²/E f², by the recurrence of the functions h_l √φ, which stay below 1."""
    used = np.abs(panels.values) > 1e-20 * np.abs(panels.values).max()
    x = panels.nodes[used]
    g = panels.weights[used] * panels.values[used] / math.sqrt(panels.mean_square)
    before, wave = np.zeros_like(x), np.exp(-np.square(x) / 4) / (2 * np.pi) ** 0.25
    found: list[float] = []
    for degree in range(MOST_DEGREES):
        b = float(g @ wave)
        found.append(b * b if abs(b) > 1e-15 else 0.0)  # less is rounding
        if degree % 16 == 15 and 1 - math.fsum(found) < _COMPLETE:
            break
        before, wave = wave, (x * wave - math.sqrt(degree) * before) / math.sqrt(degree + 1)
    return np.trim_zeros(np.array(found), "b")


def _breaks(formula: Formula) -> tuple[float, ...]:
    """The points at which branches meet, and zero, where the normal density is not."""
    mirrored = Formula(_mirrored(formula.body), formula.variable)
    points = (*(-point for point in reversed(breakpoints(mirrored))), 0.0, *breakpoints(formula))
    return tuple(point for point in points if abs(point) < FURTHEST)


def _mirrored(term: Term) -> Term:
    """The term at −x."""
    if isinstance(term, Variable):
        return Operation("negation", (term,))
    if isinstance(term, Operation):
        return Operation(term.name, tuple(_mirrored(operand) for operand in term.operands))
    return term


def _real_values(formula: Formula, x: NDArray[np.float64]) -> NDArray[np.float64]:
    found = values(formula, x)
    if np.isnan(found).any():
        raise RangeError(f"{formula} has no real value at {float(x[np.isnan(found)][0]):.6g}, as an activation must")
    return found


def _slopes(formula: Formula, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """f′, by differences where a part of the formula overflows."""
    found = np.array(jet(formula, x).first)
    lost = ~np.isfinite(found)
    if lost.any():
        step = 1e-5
        found[lost] = (values(formula, x[lost] + step) - values(formula, x[lost] - step)) / (2 * step)
    return found
