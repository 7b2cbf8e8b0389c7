"""The criteria for radial formulas, in the order in which they are asked, and those that are only necessary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from kernelspec.expressions.evaluation import value_at, values
from kernelspec.expressions.formula import Formula, Term
from kernelspec.expressions.piecewise_polynomial import Coefficients, polynomial_at, polynomial_pieces
from kernelspec.expressions.symbolic import PROOF_CALLS, within
from kernelspec.expressions.taylor import NotAnalytic, taylor
from kernelspec.loading import load_from

__all__ = ["CRITERIA", "Criterion", "Statement", "by_corners", "by_flat_start", "by_values", "statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """f(‖x − y‖) is positive definite on R^d for all d ≤ `holds`, and not for d ≥ `fails`; None: for every d, for none.

    A function that is so on R^d is so on all smaller spaces, and the reverse for what fails [Schoenberg 1938].
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


_REACH = 2.0**-6
_ORDER = 8


def by_flat_start(formula: Formula) -> Statement | None:
    """In no dimension where f(r) = 1 + o(r²) and f is not 1: all frequencies would be 0 [Lukacs 1970, section 4.1]."""
    if formula.unknowns():
        return None
    try:
        start = taylor(formula, _REACH, _ORDER).start
    except NotAnalytic:
        return None
    if len(start) < 4 or start[0] != 1 or start[1] != 0 or start[2] != 0 or all(c == 0 for c in start[1:]):
        return None
    return Statement(0, 1, f"f({formula.variable}) = 1 + o({formula.variable}²) and is not 1, "
                     "so that no law of frequencies has it [Lukacs 1970]")  # fmt: skip


def by_corners(formula: Formula) -> Statement | None:
    """Not positive definite on R^d for d > 2(β − j) + 1, for a polynomial on intervals that ends at 0.

    β is the least order of a derivative that jumps at a point p > 0, j the least odd power of r at 0. Far out the
    transform is c ρ^{−j−d} + ρ^{−β−(d+1)/2} Σ_p A_p cos(ρp − φ_p) and less, by parts; where the second term is
    the larger one it takes both signs, as its mean is 0. Without odd powers it always is.
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
    size = max(len(before), len(after))
    left, right = ((*piece, *[Fraction(0)] * (size - len(piece))) for piece in (before, after))
    rest: Coefficients = tuple(b - a for a, b in zip(left, right, strict=True))
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
    """What the criteria say about f(‖x − y‖) for f with f(0) = 1; one that holds for every d ends the search.

    A criterion that needs more than PROOF_CALLS says nothing.
    """
    return _statements(formula.body, formula.variable)


@lru_cache(maxsize=256)
def _statements(body: Term, variable: str) -> tuple[Statement, ...]:
    """The variable is an argument of its own, since it stands in the reasons and formulas compare without it."""
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
