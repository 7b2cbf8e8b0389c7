"""Activations given by a formula: Hermite coefficients by quadrature, with a bound on what is left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.activations.series import FiniteSeries
from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.evaluation import values
from kernelspec.expressions.formula import Formula, Operation, Term, Variable
from kernelspec.expressions.jets import breakpoints, jet
from kernelspec.expressions.symbolic import formula_expression
from kernelspec.loading import sympy

__all__ = ["FormulaActivation"]

Array = NDArray[np.float64]

FURTHEST = 38.0  # the line is cut here: beyond, the normal density is below 1e-314
_WIDTH = 0.25
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_DEEPEST = 60
_MOST_PANELS = 20_000
_SMALLEST_SHARE = 1e-16
_CAUTION = 10.0  # factor on the change from one halving: at x^p, p > −0.4, all later halvings together change less


class GaussPanels(NamedTuple):
    """Nodes x, weights w and g = f √φ there, φ the normal density: E f² ≈ Σ w g², to within `error`."""

    nodes: Array
    weights: Array
    values: Array
    error: float

    @property
    def mean_square(self) -> float:
        """E f²."""
        return float(self.weights @ np.square(self.values))


def gauss_panels(function: Callable[[Array], Array], breaks: Sequence[float]) -> GaussPanels:
    """Panels of Gauss–Legendre rules that integrate f √φ and its square to about 1e-15.

    They start no wider than ¼, with `breaks` among their ends; a panel is halved while its halves disagree with it by
    more than 1e-16 of the whole, down to 2⁻⁶⁰ of its width and up to 20,000 panels. Ten times the remaining
    disagreement is the error of E f².
    """
    count = round(2 * FURTHEST / _WIDTH)
    inner = [b for b in breaks if -FURTHEST < b < FURTHEST]
    corners = np.unique(np.concatenate([np.linspace(-FURTHEST, FURTHEST, count + 1), inner]))
    low, high = corners[:-1], corners[1:]
    kept: list[tuple[Array, Array, Array]] = []
    error, scale, panels = 0.0, np.full(2, 1e-300), 0
    for depth in range(_DEEPEST + 1):
        middle = low + (high - low) / 2
        x, w, g = whole = _rule(function, low, high)
        with np.errstate(over="ignore", invalid="ignore"):
            finer = _integrals(_rule(function, low, middle)) + _integrals(_rule(function, middle, high))
            off = np.abs(finer - _integrals(whole))
        scale = np.maximum(scale, np.abs(finer).sum(axis=1))
        split = (off > _SMALLEST_SHARE * scale[:, None]).any(axis=0) & (low < middle) & (middle < high)
        panels += len(low)
        if depth == _DEEPEST or panels > _MOST_PANELS:
            split[:] = False
        kept.append((x[~split], w[~split], g[~split]))
        error += _CAUTION * float(off[0, ~split].sum())
        if not split.any():
            break
        low, high = np.concatenate([low[split], middle[split]]), np.concatenate([middle[split], high[split]])
    nodes, weights, found = (np.concatenate([part[i].ravel() for part in kept]) for i in range(3))
    order = np.argsort(nodes)
    return GaussPanels(nodes[order], weights[order], found[order], error)


def _rule(function: Callable[[Array], Array], low: Array, high: Array) -> tuple[Array, Array, Array]:
    half = (high - low)[:, None] / 2
    x = low[:, None] + half * (1 + _NODES)
    with np.errstate(over="ignore", invalid="ignore"):
        g = function(x) * np.exp(-np.square(x) / 4) / (2 * np.pi) ** 0.25
    return x, half * _WEIGHTS, g


def _integrals(rule: tuple[Array, Array, Array]) -> Array:
    """∫ g² and ∫ g over each panel."""
    _, w, g = rule
    return np.stack([(w * np.square(g)).sum(axis=1), (w * g).sum(axis=1)])


MOST_DEGREES = 4096  # degrees from here on are left out
_COMPLETE = 1e-13
_LARGEST_ERROR = 1e-9


@dataclass(frozen=True)
class HermiteExpansion:
    """√E f², the shares a_0, a_1, … of E f² in the Hermite polynomials, the share left out, and its error."""

    norm: float
    shares: NDArray[np.float64]
    omitted: float


@lru_cache(maxsize=32)
def expand(formula: Formula) -> HermiteExpansion:
    """b_l = ∫ f h_l φ, h_l = He_l/√l!, until Σ b_l² equals E f² up to 1e-13, or l = 4096.

    By Parseval the rest is Σ_{l ≥ L} b_l² = E f² − Σ_{l < L} b_l². Smooth formulas need a few dozen degrees; kinks
    leave out about L^{−3/2} and jumps L^{−1/2} of the whole. Raises RangeError if f is not real, if E f² is infinite,
    zero or not found to 1e-9, or if more than half of it is left out.
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


def _size(formula: Formula) -> float:
    """The largest |f| √φ on a grid and at the breakpoints; f is divided by it to avoid overflow."""
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
    """The points where branches meet, and zero."""
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


@lru_cache(maxsize=32)
def mean_square_slope(formula: Formula) -> float:
    """E f′²/E f²: ∞ if f jumps where branches meet, NaN if it is not found to 1e-6.

    The kept degrees and the share left out, at degrees of at least 4096, bound it from below: a jump missed shows.
    """
    expansion, breaks = expand(formula), np.array(_breaks(formula))
    before, after = (np.nextafter(np.nextafter(breaks, side), side) for side in (-np.inf, np.inf))
    jumps = np.abs(_real_values(formula, after) - _real_values(formula, before))
    if (jumps * np.exp(-np.square(breaks) / 4) > _JUMP * _size(formula)).any():
        return math.inf
    panels = gauss_panels(lambda x: jet(formula, x).first / expansion.norm, breaks.tolist())
    found, tolerance = panels.mean_square, _SLOPE_ERROR * panels.mean_square
    least = float(np.arange(len(expansion.shares)) @ expansion.shares) + MOST_DEGREES * expansion.omitted
    return found if panels.error <= tolerance and least <= found + tolerance else math.nan


_JUMP = 1e-3
_SLOPE_ERROR = 1e-6
_COMPLETE_ENOUGH = 1e-9


@dataclass(frozen=True, kw_only=True)
class FormulaActivation(FiniteSeries):
    """σ = f, any formula of one variable with 0 < E f(X)² < ∞, truncated to Hermite polynomials of degree < 4096.

    σ̂ is the dual of the truncated activation, scaled to mean square one. `omitted` is the share of E f² left out; σ̂
    differs from the dual of f by at most twice as much anywhere on [−1, 1]. It is below 1e-12 for smooth formulas, and
    larger with kinks and jumps (`is_complete`). Convergence beyond ±1 is not claimed: the radius is 1. Reference:
    Daniely, Frostig and Singer 2016; O'Donnell 2014, section 11.2.
    """

    name: ClassVar[str] = "activation"
    formula: ClassVar[str] = "f(x)"
    reference: ClassVar[str] = "Daniely, Frostig and Singer 2016"

    function: Formula

    def validate(self) -> None:
        """Raise RangeError unless 0 < E f(X)² < ∞: a formula loaded from a file may be any."""
        expand(self.function)

    @property
    def omitted(self) -> float:
        """The share of E f² outside the kept Hermite polynomials, plus the error of the integration."""
        return expand(self.function).omitted

    @property
    def is_complete(self) -> bool:
        """Whether less than 1e-9 of E f², its integration error, is left out."""
        return self.omitted < _COMPLETE_ENOUGH

    def terms(self) -> Sequence[tuple[int, Scalar]]:
        shares = expand(self.function).shares
        kept = shares / shares.sum()
        return [(int(degree), float(kept[degree])) for degree in np.flatnonzero(kept)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(values(self.function, x) / expand(self.function).norm)

    def growth(self, weight: float = 1.0) -> float:
        """m σ̂′(m)/σ̂(m) of f itself, not of its kept degrees; NaN if those left out may change it."""
        kept, share = self.mean_degree(weight), self.omitted
        if share < _COMPLETE or len(expand(self.function).shares) < MOST_DEGREES - 16:
            return kept
        if weight == 1:
            return mean_square_slope(self.function)
        largest = max(MOST_DEGREES, -1 / math.log(weight))  # of l m^l
        left_out = share * largest * weight**largest
        return kept if left_out <= _COMPLETE_ENOUGH * kept * float(self.dual(np.array(weight))) else math.nan

    def dual_expression(self, rho: Any) -> Any:
        """E f(X)f(ρX + √(1 − ρ²)Z)/E f(X)² as integrals over the plane, of f itself: nothing is left out.

        At a number, a function by name: SymPy would compute digits of an integral, possibly forever, to find the sign
        of an expression that contains it.
        """
        if rho.is_number:
            return sympy.Function(f"dual_of_{self}", real=True, positive=rho.is_positive or None)(rho)
        x, z = (sympy.Dummy(name, real=True) for name in "uz")  # ρ is made of names too, and may contain integrals
        f = formula_expression(self.function, x)
        other = formula_expression(self.function, rho * x + sympy.sqrt(1 - rho**2) * z)
        weight = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
        plane = ((x, -sympy.oo, sympy.oo), (z, -sympy.oo, sympy.oo))
        joint = sympy.Integral(f * other * weight * weight.subs(x, z), *plane)
        return joint / sympy.Integral(f**2 * weight, plane[0])

    def radius(self) -> Scalar:
        return 1.0

    def __str__(self) -> str:
        return f"activation({self.function})"
