"""Moments of the frequency on a line from k near zero, for products of pieces of the lag and of the frequency."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.lag_moments import beside, vanishes
from kernelspec.measures.algebra.lag_transform import transform
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.moments import series_product
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.measures.measure import Measure

__all__ = ["even_moment"]


def even_moment(measure: Measure, order: int, *, positive_definite: bool) -> Any:
    """∫ ωⁿ μ(dω)/k(0) = (−1)^{n/2} k⁽ⁿ⁾(0)/k(0) of a measure on one column, n = `order` even, in SymPy.

    Where one of the first n derivatives jumps, oo for a positive definite kernel, which is as smooth everywhere as at
    0, and nan for others. Raises NotClosed for a kernel that the algebra does not know.
    """
    import sympy

    members = line_members(measure, ExactNumbers())
    right, left = (_taylor(members, order + 1, right=side) for side in (True, False))
    if vanishes(right[0]):
        return sympy.nan
    if not all(vanishes(a - b) for a, b in zip(right, left, strict=True)):
        return sympy.oo if positive_definite else sympy.nan
    if not positive_definite and not all(_is_smooth(member.lag, order) for member in members):
        return sympy.nan
    sign = (-1) ** (order // 2) * sympy.factorial(order)
    found = sympy.factor_terms(sympy.expand(sign * right[order]) / sympy.expand(right[0]))
    return sympy.Float(sympy.re(found)) if found.has(sympy.Float) else found


def _taylor(members: tuple[Member, ...], count: int, *, right: bool) -> list[Any]:
    """The coefficients of tⁿ, n < count, of k on one side of 0."""
    import sympy

    total = [sympy.S.Zero] * count
    for member in members:
        series = [sympy.S.One] + [sympy.S.Zero] * (count - 1)
        if member.lag is not None:
            t = sympy.Symbol("t", real=True)
            k = beside(member.lag, sympy.S.Zero, t, right)
            series = [k.diff(t, n).subs(t, 0) / sympy.factorial(n) for n in range(count)]
        if member.frequency is not None:
            series = series_product(series, _of_density(member.frequency, count))
        total = [a + b for a, b in zip(total, series, strict=True)]
    return total


def _of_density(density: Piecewise, count: int) -> list[Any]:
    """The coefficients iⁿ/n! ∫ νⁿ f(ν) dν of the transform of a density."""
    import sympy

    numbers = ExactNumbers()
    found = []
    for n in range(count):
        raised = [replace(piece, weights=(sympy.S.Zero,) * n + piece.weights) for piece in density.pieces]
        value = transform(raised, numbers.frequency(0), numbers, numbers)
        found.append(sympy.I**n * (value.re + sympy.I * value.im) / sympy.factorial(n))
    return found


def _is_smooth(lag: Piecewise | None, order: int) -> bool:
    """Whether no derivative up to the order jumps at an end of a piece."""
    import sympy

    if lag is None:
        return True
    t = sympy.Symbol("t", real=True)
    ends = {end for piece in lag.pieces for end in (piece.low, piece.high) if end is not None}
    return all(
        vanishes((beside(lag, end, t, True) - beside(lag, end, t, False)).diff(t, n).subs(t, end))
        for end in ends
        for n in range(order + 1)
    )
