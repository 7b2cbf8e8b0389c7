"""Moments of the frequency on a line from k near zero: for whatever is in pieces, periodic, or a product of such."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.algebra.one_sided_series import one_sided_series
from kernelspec.measures.algebra.parts_on_line import breakpoints, parts_of
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, second_moment_rule

__all__ = ["even_moment", "second_moment_on_line"]


def even_moment(measure: Measure, order: int, *, positive_definite: bool) -> Any:
    """∫ ωⁿ μ(dω)/k(0) = (−1)^{n/2} k⁽ⁿ⁾(0)/k(0) of a measure on one column, n = `order` even, in SymPy.

    Where one of the first n derivatives jumps, oo for a positive definite kernel, which is as smooth everywhere as at
    0, and nan for others. The measure may have atoms. Raises NotClosed for a kernel that the algebra does not know.
    """
    import sympy

    parts, zero = parts_of(measure), sympy.S.Zero
    right, left = (one_sided_series(parts, zero, order + 1, right=side) for side in (True, False))
    if _vanishes(right[0]):
        return sympy.nan
    if not all(_vanishes(a - b) for a, b in zip(right, left, strict=True)):
        return sympy.oo if positive_definite else sympy.nan
    if not positive_definite:
        for end in breakpoints(parts) - {zero}:
            sides = [one_sided_series(parts, end, order + 1, right=side) for side in (True, False)]
            if not all(_vanishes(a - b) for a, b in zip(*sides, strict=True)):
                return sympy.nan
    sign = (-1) ** (order // 2) * sympy.factorial(order)
    found = sympy.factor_terms(sympy.expand(sympy.expand(sign * right[order]) / right[0]))
    return sympy.Float(sympy.re(found)) if found.has(sympy.Float) else found


def second_moment_on_line(measure: Measure) -> Any | None:
    """∫ ω² μ(dω)/k(0) = −k″(0)/k(0) of a measure on one column that may be complex, a float for one in floats.

    None where k or one of its first two derivatives jumps, so that ω² is not integrable, or where it is not known.
    """
    import sympy

    try:
        found = even_moment(measure, 2, positive_definite=False)
    except NotClosed:
        return None
    if found is sympy.nan:
        return None
    return float(found) if found.has(sympy.Float) else found


def _vanishes(value: Any) -> bool:
    """Whether an expression is 0: by expansion where it has symbols, else in numbers."""
    import sympy

    if value == 0:
        return True
    if value.free_symbols:
        return bool(sympy.expand(value) == 0)
    return abs(complex(value.evalf(30))) < 1e-12


@second_moment_rule.register
def _(measure: Convolution) -> Any | None:
    return second_moment_on_line(measure)
