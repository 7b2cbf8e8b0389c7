"""Value and one-sided derivatives of a formula, and the points where it may change branches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.errors import NoCounterpartError
from kernelspec.expressions.enclosure import expansion
from kernelspec.expressions.evaluation import values
from kernelspec.expressions.formula import Formula, Operation, depends_on_variable, evaluate, terms_of
from kernelspec.expressions.rounding import FLOATS
from kernelspec.loading import special

__all__ = ["Jet", "breakpoints", "jet", "kinks", "slope_by_constants", "turning_points"]

Array = NDArray[np.float64]

_GRID = np.unique(np.concatenate([[0.0], np.geomspace(1e-12, 1e12, 4000), np.linspace(0, 100, 4001)]))
_JUMP = 1e-12


@lru_cache(maxsize=256)
def breakpoints(formula: Formula) -> tuple[float, ...]:
    """The points t > 0 at which branches of a max, a min or an abs meet, in order.

    Found as sign changes between 1e-12 and 1e12 and bisected to adjacent floats: the first float at or after the
    change, and the last one of a stretch of equal branches. Branches that meet twice between two of 8,000 points may be
    missed.
    """
    found: set[float] = set()
    for difference in formula.choices():
        found |= set(_sign_changes(partial(values, difference)).tolist())
    return tuple(sorted(point for point in found if point > 0))


_MOST_TURNS = 32
_PLAIN = ("sum", "negation", "product", "abs", "max", "min")
"""Operations that make no bump where an operand turns; of the last three, `breakpoints` knows where they bend."""


@lru_cache(maxsize=256)
def turning_points(formula: Formula) -> tuple[float, ...]:
    """The points t > 0 at which an argument, a base or a denominator in the formula is 0 or turns.

    A bump far narrower than its distance from 0 may have its peak there: exp(-400*(t - 50)**2) at t − 50 = 0.
    Parts with more than 32 of them oscillate, and are left out.
    """
    found: set[float] = set()
    outer = [term for term in terms_of(formula.body) if isinstance(term, Operation) and term.name not in _PLAIN]
    parts = dict.fromkeys(part for term in outer for part in term.operands if isinstance(part, Operation))
    for part in filter(depends_on_variable, parts):
        inner = Formula(part, formula.variable)
        for which in ("value", "first"):
            found |= set(_sign_changes(partial(_unmended, inner, which), most=_MOST_TURNS).tolist())
    return tuple(sorted(point for point in found if point > 0))


def _unmended(formula: Formula, which: Literal["value", "first"], x: Array) -> Array:
    """f or f′ by the chain rule in floats, without series near 0."""
    with np.errstate(all="ignore"):
        found = evaluate(formula, Jet(x, np.ones(x.shape), np.zeros(x.shape)), _Jets())
    return np.broadcast_to(getattr(found, which), x.shape)


def _sign_changes(function: Callable[[Array], Array], most: int = len(_GRID)) -> Array:
    """The points at which a sign changes, to adjacent floats; none if there are more than `most`."""
    signs = np.sign(function(_GRID))
    at = np.flatnonzero((signs[1:] != signs[:-1]) & ~np.isnan(signs[1:] + signs[:-1]))
    if len(at) > most:
        return np.zeros(0)
    points = _bisected(function, _GRID[at], _GRID[at + 1], signs[at])
    return np.where(signs[at] == 0, np.nextafter(points, 0), points)


def _bisected(function: Callable[[Array], Array], low: Array, high: Array, signs: Array) -> Array:
    """The first float in each (low, high] whose sign differs from that in `signs`."""
    while True:
        middle = (low + high) / 2
        apart = np.flatnonzero((low < middle) & (middle < high))
        if not len(apart):
            return high
        places = middle[apart]
        same = np.sign(function(places)) == signs[apart]
        low[apart] = np.where(same, places, low[apart])
        high[apart] = np.where(same, high[apart], places)


def kinks(formula: Formula) -> tuple[tuple[float, float], ...]:
    """The points t > 0 at which f′ jumps, and the jumps; those below 1e-12/t are omitted."""
    points = breakpoints(formula)
    if not points:
        return ()
    # the branches may meet between two floats: one on either side of both
    places = np.array(points)
    left = jet(formula, np.nextafter(np.nextafter(places, 0), 0), side=-1).first
    right = jet(formula, np.nextafter(places, np.inf), side=1).first
    jumps = right - left
    return tuple((float(t), float(jump)) for t, jump in zip(points, jumps, strict=True) if abs(t * jump) > _JUMP)


@dataclass(frozen=True, slots=True)
class Jet:
    """f, f′ and f″ at points, each the limit from one side."""

    value: Array
    first: Array
    second: Array


def jet(formula: Formula, x: ArrayLike, side: Literal[1, -1] = 1) -> Jet:
    """f(x), f′ and f″ from the right (side = 1) or from the left (side = −1), in the shape of x.

    Evaluated along s ↦ x ± s, s ≥ 0: where two branches of a max, a min or an abs are equal, the one that is larger for
    small s > 0 counts.
    """
    points = np.asarray(x, dtype=float)
    line = Jet(points, np.full(points.shape, float(side)), np.zeros(points.shape))
    with np.errstate(all="ignore"):
        found = evaluate(formula, line, _Jets())
    parts = [np.broadcast_to(part, points.shape) for part in (found.value, side * found.first, found.second)]
    mended = expansion(formula)
    if mended is not None:
        near = np.abs(points) <= mended.reach
        exact = mended.derivatives(np.where(near, points, 0.0))
        parts = [np.where(near, better, part) for better, part in zip(exact, parts, strict=True)]
    return Jet(*parts)


class _Jets:
    """The chain rule, to second order."""

    def constant(self, value: Any) -> Jet:
        return _constant(FLOATS.constant(value))

    def pi(self) -> Jet:
        return _constant(FLOATS.pi())

    def sum(self, terms: Sequence[Jet]) -> Jet:
        return reduce(lambda a, b: Jet(a.value + b.value, a.first + b.first, a.second + b.second), terms)

    def negation(self, operand: Jet) -> Jet:
        return Jet(-operand.value, -operand.first, -operand.second)

    def product(self, factors: Sequence[Jet]) -> Jet:
        return reduce(_product, factors)

    def quotient(self, numerator: Jet, denominator: Jet) -> Jet:
        v = denominator.value
        inverse = _chain(denominator, 1 / v, -1 / v**2, 2 / v**3)
        found = _product(numerator, inverse)
        return Jet(numerator.value / v, found.first, found.second)

    def power(self, base: Jet, exponent: Jet) -> Jet:
        found = self.function("exp", [_product(exponent, self.function("log", [base]))])
        return Jet(np.power(base.value, exponent.value), found.first, found.second)

    def constant_power(self, base: Jet, exponent: Jet) -> Jet:
        v, p = base.value, exponent.value
        return _chain(base, np.power(v, p), _times(p, np.power(v, p - 1)), _times(p * (p - 1), np.power(v, p - 2)))

    def function(self, name: str, arguments: Sequence[Jet]) -> Jet:
        x = arguments[0]
        match name:
            case "max":
                return _choose(_is_ahead(x, arguments[1]), x, arguments[1])
            case "min":
                return _choose(_is_ahead(x, arguments[1]), arguments[1], x)
            case "abs":
                opposite = self.negation(x)
                return _choose(_is_ahead(x, opposite), x, opposite)
            case "besselj" | "besselk":
                return _bessel(name, x.value, arguments[1])
        if name not in _DERIVATIVES:
            raise TypeError(f"unknown function {name!r}")
        return _chain(x, *_DERIVATIVES[name](x.value))


def slope_by_constants(
    formula: Formula, x: ArrayLike, value_of: Callable[[Any], float], slope_of: Callable[[Any], float]
) -> Array:
    """∂f/∂p at points, for constants that depend on a parameter p, with values `value_of` and slopes `slope_of`.

    Raises NoCounterpartError if p changes the order of a Bessel function.
    """
    points = np.asarray(x, dtype=float)
    with np.errstate(all="ignore"):
        found = evaluate(formula, _constant(points), _MovingConstants(value_of, slope_of))
    return np.broadcast_to(found.first, points.shape)


class _MovingConstants(_Jets):
    """The chain rule with respect to a parameter."""

    def __init__(self, value_of: Callable[[Any], float], slope_of: Callable[[Any], float]) -> None:
        self._value_of, self._slope_of = value_of, slope_of

    def constant(self, value: Any) -> Jet:
        return Jet(np.asarray(self._value_of(value)), np.asarray(self._slope_of(value)), np.zeros(()))

    def constant_power(self, base: Jet, exponent: Jet) -> Jet:
        return self.power(base, exponent) if np.any(exponent.first) else super().constant_power(base, exponent)

    def function(self, name: str, arguments: Sequence[Jet]) -> Jet:
        if name in ("besselj", "besselk") and np.any(arguments[0].first):
            raise NoCounterpartError(f"{name}() has no derivative with respect to its order: set it to a number")
        return super().function(name, arguments)


_DERIVATIVES: Mapping[str, Callable[[Array], tuple[Array, Array, Array]]] = MappingProxyType(
    {
        "exp": lambda v: (np.exp(v),) * 3,
        "log": lambda v: (np.log(v), 1 / v, -1 / v**2),
        "sqrt": lambda v: ((root := np.sqrt(v)), 0.5 / root, -0.25 / (root * v)),
        "sin": lambda v: (np.sin(v), np.cos(v), -np.sin(v)),
        "cos": lambda v: (np.cos(v), -np.sin(v), -np.cos(v)),
        "tan": lambda v: ((t := np.tan(v)), (slope := np.cos(v) ** -2.0), 2 * t * slope),
        "asin": lambda v: (np.arcsin(v), (slope := (1 - v * v) ** -0.5), v * slope**3),
        "acos": lambda v: (np.arccos(v), -(slope := (1 - v * v) ** -0.5), -(v * slope**3)),
        "sinh": lambda v: (np.sinh(v), np.cosh(v), np.sinh(v)),
        "cosh": lambda v: (np.cosh(v), np.sinh(v), np.cosh(v)),
        "tanh": lambda v: ((t := np.tanh(v)), (slope := np.cosh(v) ** -2.0), -2 * t * slope),
        "erf": lambda v: (
            FLOATS.function("erf", [v]),
            (slope := np.asarray(2 / math.sqrt(math.pi) * np.exp(-v * v))),
            -2 * v * slope,
        ),
        "gamma": lambda v: (
            (g := FLOATS.function("gamma", [v])),
            g * (d := special.polygamma(0, v)),
            g * (d * d + special.polygamma(1, v)),
        ),
    }
)
"""Functions of one number, with their first and second derivatives."""


def _bessel(name: str, order: Array, x: Jet) -> Jet:
    slope = special.jvp if name == "besselj" else special.kvp
    first, second = (np.asarray(slope(order, x.value, n), dtype=float) for n in (1, 2))
    return _chain(x, FLOATS.function(name, [order, x.value]), first, second)


def _constant(value: Array) -> Jet:
    return Jet(value, np.zeros(()), np.zeros(()))


def _times(a: Array, b: Array) -> Array:
    """a·b, 0 if a factor is 0: a constant part has no derivative, however steep the rest is."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def _chain(x: Jet, value: Array, first: Array, second: Array) -> Jet:
    """g(x) from g, g′ and g″ at its value."""
    return Jet(value, _times(first, x.first), _times(second, x.first**2) + _times(first, x.second))


def _product(a: Jet, b: Jet) -> Jet:
    first = _times(a.first, b.value) + _times(a.value, b.first)
    second = _times(a.second, b.value) + 2 * _times(a.first, b.first) + _times(a.value, b.second)
    return Jet(a.value * b.value, first, second)


def _is_ahead(a: Jet, b: Jet) -> NDArray[np.bool_]:
    """Whether a ≥ b just after the point."""
    tie, still = a.value == b.value, a.first == b.first
    return np.asarray((a.value > b.value) | (tie & (a.first > b.first)) | (tie & still & (a.second >= b.second)))


def _choose(which: NDArray[np.bool_], a: Jet, b: Jet) -> Jet:
    gap = np.isnan(a.value) | np.isnan(b.value)
    value = np.where(gap, np.nan, np.where(which, a.value, b.value))
    return Jet(value, np.where(which, a.first, b.first), np.where(which, a.second, b.second))
