"""Criteria for radial formulas: the necessary ones, and all of them in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise, zip_longest
from math import factorial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from kernelspec.expressions.evaluation import value_at, values
from kernelspec.expressions.formula import Formula, Operations, Term, evaluate, exact_power
from kernelspec.expressions.piecewise_polynomial import Coefficients, polynomial_at, polynomial_pieces
from kernelspec.expressions.symbolic import PROOF_CALLS, within
from kernelspec.expressions.taylor import NotAnalytic, taylor
from kernelspec.loading import load_from, mpmath

__all__ = ["CRITERIA", "Criterion", "Statement", "by_corners", "by_flat_start", "by_values", "statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """f(‖x − y‖) is positive definite on R^d for all d ≤ `holds` (None: for all d), and not for d ≥ `fails` (None:
    unknown).

    What holds on R^d holds on all smaller spaces; what fails, fails on all larger ones [Schoenberg 1938].
    """

    holds: int | None
    fails: int | None
    reason: str


Criterion: TypeAlias = Callable[[Formula], Statement | None]
"""None: the criterion does not apply."""


_GRID = np.unique(np.concatenate([np.geomspace(1e-6, 1e6, 1200), np.linspace(0, 40, 2001)[1:]]))
_DIGITS = 50
_BEYOND = 1e-9
_MOST = 30


def by_values(formula: Formula) -> Statement | None:
    """Not positive definite on any R^d if |f(r)| > 1, nor on R^d if f(r) is below the minimum of the wave Ω_d.

    |k| ≤ k(0), and f is a mixture of Ω_d(ρr) over ρ ≥ 0 [Schoenberg 1938]. Values must agree in 50 and 100 digits.
    """
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
    """f(r), to `_BEYOND`/10; None if digits cancel."""
    with mpmath.workdps(2 * _DIGITS):
        exact = value_at(formula, place)
    rounded = value_at(formula, place)
    close = mpmath.isfinite(exact) and abs(exact - rounded) <= _BEYOND / 10 * (1 + abs(exact))
    return exact if close else None


@lru_cache(maxsize=64)
def _least_value(dim: int) -> float:
    """The least value of Γ(d/2)(2/x)^{d/2−1} J_{d/2−1}(x), at the first zero of J_{d/2}."""
    order = mpmath.mpf(dim) / 2
    zero = mpmath.besseljzero(order, 1)
    return float(mpmath.gamma(order) * (2 / zero) ** (order - 1) * mpmath.besselj(order - 1, zero))


_REACH = 2.0**-6
_ORDER = 8


def by_flat_start(formula: Formula) -> Statement | None:
    """Not positive definite on any R^d if f(r) = 1 + o(r²) and f is not 1: all frequencies would be 0 [Lukacs 1970,
    section 4.1].
    """
    if formula.unknowns():
        return None
    try:
        start = taylor(formula, _REACH, _ORDER).start
        is_flat = len(start) >= 4 and start[0] == 1 and start[1] == start[2] == 0 and any(c != 0 for c in start[1:])
    except NotAnalytic:
        try:
            powers = evaluate(formula, {Fraction(1): Fraction(1)}, _Starts())
        except (NotAnalytic, ZeroDivisionError, OverflowError):
            return None
        rest = [power for power, c in powers.items() if 0 < power < _END and c]
        is_flat = powers.get(Fraction(0)) == 1 and bool(rest) and min(rest) > 2
    if not is_flat:
        return None
    return Statement(0, 1, f"f({formula.variable}) = 1 + o({formula.variable}²) and is not 1, "
                     "so that no law of frequencies has it [Lukacs 1970]")  # fmt: skip


_Powers: TypeAlias = dict[Fraction, Fraction]
"""Σ c t^p at t = 0 by p < `_END`, real powers included; with a key `_END` there are others."""

_END, _LEAST = Fraction(4), Fraction(1, 4)


class _Starts(Operations[_Powers]):
    """The start of a formula in real powers of t. Raises NotAnalytic."""

    def constant(self, value: Any) -> _Powers:
        return {Fraction(0): value} if value else {}

    def pi(self) -> _Powers:
        raise NotAnalytic("an irrational number")

    def sum(self, terms: Sequence[_Powers]) -> _Powers:
        return {
            p: sum((term.get(p, Fraction(0)) for term in terms), Fraction(0)) for p in {p: 0 for t in terms for p in t}
        }

    def negation(self, operand: _Powers) -> _Powers:
        return {p: -c for p, c in operand.items()}

    def product(self, factors: Sequence[_Powers]) -> _Powers:
        found: _Powers = {Fraction(0): Fraction(1)}
        for factor in factors:
            total: _Powers = {}
            for p, a in found.items():
                for q, b in factor.items():
                    power = min(p + q, _END)
                    total[power] = total.get(power, Fraction(0)) + a * b
            found = total
        return found

    def quotient(self, numerator: _Powers, denominator: _Powers) -> _Powers:
        return self.product([numerator, self._raised(denominator, Fraction(-1))])

    def constant_power(self, base: _Powers, exponent: _Powers) -> _Powers:
        if set(exponent) - {Fraction(0)}:
            raise NotAnalytic("a power that varies")
        return self._raised(base, exponent.get(Fraction(0), Fraction(0)))

    def _raised(self, base: _Powers, exponent: Fraction) -> _Powers:
        if len(base) == 1 and Fraction(0) not in base:
            ((power, weight),) = base.items()
            if exponent <= 0 or weight != 1 or power == _END:
                raise NotAnalytic("a pole, a root of a number, or of an unknown power")
            return {min(power * exponent, _END): weight}
        start = base.get(Fraction(0), Fraction(0))
        size = Fraction(1) if start == 1 else exact_power(start, exponent) if start > 0 else None
        if size is None:
            raise NotAnalytic("a root of a number")
        factor, weights = size, []
        for n in range(int(_END / _LEAST) + 1):
            weights.append(factor)
            factor *= (exponent - n) / (n + 1)
        return self._composed(weights, {p: c / start for p, c in base.items()}, Fraction(1))

    def function(self, name: str, arguments: Sequence[_Powers]) -> _Powers:
        count = int(_END / _LEAST) + 1
        if name == "exp":
            return self._composed([Fraction(1, factorial(n)) for n in range(count)], arguments[0], Fraction(0))
        if name == "log":
            signs = [Fraction((-1) ** (n - 1), n) if n else Fraction(0) for n in range(count)]
            return self._composed(signs, arguments[0], Fraction(1))
        if name == "sqrt":
            return self._raised(arguments[0], Fraction(1, 2))
        raise NotAnalytic(f"{name} of real powers")

    def _composed(self, weights: Sequence[Fraction], inner: _Powers, start: Fraction) -> _Powers:
        """Σ w_n (x − x(0))ⁿ for x(0) = `start`."""
        rest = {p: c for p, c in inner.items() if p == _END or (p and c)}
        if inner.get(Fraction(0), Fraction(0)) != start or any(p < _LEAST for p in rest):
            raise NotAnalytic("another start")
        found: _Powers = {}
        for weight in reversed(weights):
            found = self.sum([self.product([found, rest]), {Fraction(0): weight}])
        return found


def by_corners(formula: Formula) -> Statement | None:
    """Not positive definite on R^d for d > 2(β − j) + 1, for a piecewise polynomial of compact support.

    β is the least order of a derivative that jumps at a point p > 0, j the least odd power of r at 0. By integration by
    parts, the transform at large ρ is c ρ^{−j−d} + ρ^{−β−(d+1)/2} Σ_p A_p cos(ρp − φ_p) plus lower-order terms; if the
    second term dominates, it takes both signs, since its mean is 0. It always dominates without odd powers.
    """
    pieces = polynomial_pieces(formula)
    if pieces is None or len(pieces) < 2 or pieces[-1][1]:
        return None
    found = [(_order(before, after, end), end) for (end, before), (_, after) in pairwise(pieces) if end is not None]
    order, place = min(found)
    odd = next((k for k, c in enumerate(pieces[0][1]) if k % 2 and c), None)
    fails = 1 if odd is None else max(2 * (order - odd) + 2, 1)
    what = "f" if order == 0 else f"the derivative of order {order}"
    start = "f is even at 0" if odd is None else f"f has the power {formula.variable}^{odd} at 0"
    return Statement(
        0, fails, f"{what} jumps at {place} and {start}: for d ≥ {fails} the density oscillates about 0 far out"
    )


def _order(before: Coefficients, after: Coefficients, place: Fraction) -> int:
    """The order of the first derivative in which two polynomials differ at a point."""
    rest: Coefficients = tuple(b - a for a, b in zip_longest(before, after, fillvalue=Fraction(0)))
    order = 0
    while polynomial_at(rest, place) == 0:
        rest, order = tuple(k * c for k, c in enumerate(rest))[1:], order + 1
    return order


CRITERIA: Mapping[str, str] = MappingProxyType(
    {
        "complete_monotonicity": "kernelspec.expressions.criteria.complete_monotonicity:by_complete_monotonicity",
        "bessel_waves": "kernelspec.expressions.criteria.families:by_bessel_waves",
        "damped_cosine": "kernelspec.expressions.criteria.families:by_damped_cosine",
        "truncated_power": "kernelspec.expressions.criteria.families:by_truncated_power",
        "euclid_hat": "kernelspec.expressions.criteria.families:by_euclid_hat",
        "polynomials": "kernelspec.expressions.criteria.families:by_polynomials",
        "corners": "kernelspec.expressions.criteria.necessary:by_corners",
        "convexity": "kernelspec.expressions.criteria.families:by_convexity",
        "flat_start": "kernelspec.expressions.criteria.necessary:by_flat_start",
        "values": "kernelspec.expressions.criteria.necessary:by_values",
    }
)
"""Name → "module:function"."""


def statements(formula: Formula) -> tuple[Statement, ...]:
    """What the criteria say about f(‖x − y‖), f(0) = 1; stops at one that holds for every d.

    A criterion that needs more than PROOF_CALLS is skipped.
    """
    return _statements(formula.body, formula.variable)


@lru_cache(maxsize=256)
def _statements(body: Term, variable: str) -> tuple[Statement, ...]:
    """A cache key with the variable, which appears in explanations but is ignored when formulas are compared."""
    formula = Formula(body, variable)
    found: list[Statement] = []
    for home in CRITERIA.values():
        criterion: Criterion = load_from(home)
        statement = within(PROOF_CALLS, partial(criterion, formula), lambda: None)
        if statement is None:
            continue
        found.append(statement)
        if statement.holds is None or statement.fails == statement.holds + 1:
            break
    return tuple(found)
