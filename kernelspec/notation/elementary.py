"""Functions of one number that is a float in numeric trees and a SymPy expression in symbolic ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernelspec.notation.arguments import Scalar

__all__ = ["exponential", "inner_product", "known_number", "root", "vector_sum"]


def exponential(number: Scalar) -> Scalar:
    """e to the power of a number."""
    if isinstance(number, int | float):
        return math.exp(number)
    import sympy

    return sympy.exp(number)


def root(number: Scalar) -> Scalar:
    """The square root of a number that is not negative."""
    return number ** Fraction(1, 2)


def inner_product(left: Sequence[Scalar], right: Sequence[Scalar], dim: Scalar) -> Scalar:
    """Σ a_i b_i over `dim` coordinates; vectors of one entry are constant where `dim` is a symbol.

    With `dim` None, which is a number of columns not known yet, the sum over the entries that there are.
    """
    total = sum(a * b for a, b in zip(left, right, strict=True))
    return total if dim is None or isinstance(dim, int) else dim * total


def known_number(number: Scalar) -> float | None:
    """The number as a float, or None for an expression with symbols."""
    if isinstance(number, int | float):
        return float(number)
    try:
        return float(number)
    except TypeError:
        return None


def vector_sum(left: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """a + b entry by entry; a vector of one entry is constant, as it is where the number of columns is not known."""
    n = max(len(left), len(right))
    wide = [vector if len(vector) == n else tuple(vector) * n for vector in (left, right)]
    return tuple(a + b for a, b in zip(*wide, strict=True))
