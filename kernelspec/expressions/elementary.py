"""Functions of a number that is a float in numeric trees and a SymPy expression in symbolic ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal

from kernelspec.errors import DimensionError
from kernelspec.expressions.arguments import Scalar
from kernelspec.loading import sympy

__all__ = [
    "Height",
    "exponential",
    "height_of_answers",
    "height_of_turns",
    "height_off_zero",
    "holds",
    "infinity",
    "inner_product",
    "is_integral",
    "is_known_equal",
    "is_known_whole",
    "is_known_zero",
    "known_number",
    "known_sign",
    "of_one_length",
    "root",
    "undefined",
    "vector_sum",
    "whole_power",
]


def infinity(*parameters: Scalar) -> Scalar:
    """∞, of the same kind as the parameters."""
    return math.inf if _are_floats(parameters) else sympy.oo


def undefined(*parameters: Scalar) -> Scalar:
    """Not a number, of the same kind as the parameters."""
    return math.nan if _are_floats(parameters) else sympy.nan


def _are_floats(numbers: Iterable[Scalar]) -> bool:
    return all(isinstance(number, int | float) for number in numbers)


_ROUNDING = 1e-9
"""A float further from an integer than this, relative to its size, is not an integer, despite rounding."""

_DIGITS = 40

_LARGEST_ROOT = 10**100
"""Bound on numerators and denominators: SymPy 1.14 factors them, and mistakes some composites for primes."""


def exponential(number: Scalar) -> Scalar:
    """e to the power of a number."""
    return math.exp(number) if _are_floats([number]) else sympy.exp(number)


def root(number: Scalar) -> Scalar:
    """The square root of a nonnegative number; a decimal where SymPy's exact root may fail."""
    if getattr(number, "is_Rational", False) and max(abs(number.p), number.q) > _LARGEST_ROOT:
        return sympy.sqrt(sympy.Float(number, 17))
    return number ** Fraction(1, 2)


def whole_power(value: Any, exponent: Scalar) -> Any:
    """valueⁿ for a number or an array; overflow gives infinity."""
    import numpy as np

    try:
        with np.errstate(over="ignore"):
            return value**exponent
    except OverflowError:
        return -math.inf if value < 0 and exponent % 2 else math.inf


def inner_product(left: Sequence[Scalar], right: Sequence[Scalar], dim: Scalar) -> Scalar:
    """Σ a_i b_i over `dim` coordinates; vectors of one entry are constant if `dim` is a symbol.

    If `dim` is None (unknown), sums over the given entries.
    """
    total = sum(a * b for a, b in zip(left, right, strict=True))
    return total if dim is None or isinstance(dim, int) else dim * total


def is_integral(number: Scalar | Fraction) -> bool:
    """Whether a number is only known as an integral, whose digits SymPy may compute forever."""
    if isinstance(number, int | float | Fraction):
        return False
    return bool(sympy.S(number).has(sympy.Integral))


def known_number(number: Scalar) -> float | None:
    """The number as a float, or None for an expression with symbols or integrals."""
    if isinstance(number, int | float):
        return float(number)
    if is_integral(number):
        return None
    try:
        return float(number)
    except TypeError:
        return None


def known_sign(number: Scalar) -> int | None:
    """1, 0 or −1 if the sign is known (symbols may be declared positive), else None.

    SymPy decides exactly, or with as many digits as needed; the sign of an integral is unknown.
    """
    if isinstance(number, int | float | Fraction):
        return None if math.isnan(number) else (number > 0) - (number < 0)
    if is_integral(number):
        return None
    for sign, holds in ((1, number.is_positive), (-1, number.is_negative), (0, number.is_zero)):
        if holds:
            return sign
    return None


def holds(comparison: object) -> bool:
    """Whether a comparison is known to be true: neither false nor open because of symbols."""
    return comparison in (True,)  # SymPy's true equals Python's, and an open relation has no truth value


def is_known_zero(number: Scalar) -> bool | None:
    """Whether a number is zero, or None if unknown."""
    sign = known_sign(number)
    if sign is not None:
        return sign == 0
    zero = None if isinstance(number, float) or is_integral(number) else number.is_zero
    return None if zero is None else bool(zero)


def is_known_equal(left: Scalar, right: Scalar) -> bool | None:
    """Whether two numbers are equal, or None if unknown: floats may differ by rounding."""
    if isinstance(left, float) or isinstance(right, float):
        size = max(abs(left), abs(right)) if known_number(left) is not None and known_number(right) is not None else 0
        return False if abs(left - right) > _ROUNDING * size else None
    return is_known_zero(left - right)


def is_known_whole(number: Scalar) -> bool | None:
    """Whether a number is an integer, or None if unknown.

    Exact numbers decide: rationals, and expressions that SymPy can tell or that are not integers to 40 digits. A float
    is rounded, so it is never known to be an integer, and known not to be one if it is far from all integers.
    """
    if isinstance(number, int | Fraction):
        return number == int(number)
    if isinstance(number, float):
        return _is_far_from_whole(number)
    number = sympy.S(number)
    if is_integral(number):
        return None
    number = sympy.expand(number)
    if number.is_integer is not None:
        return bool(number.is_integer)
    if not number.is_number or not number.is_extended_real or not number.is_finite:
        return None
    if number.has(sympy.Float):
        return _is_far_from_whole(float(number))
    size = max(0, int(sympy.log(abs(number.evalf(5)) + 1, 10).evalf(5)))
    found = number.evalf(size + _DIGITS)
    distance = abs(found - sympy.floor(found + sympy.S.Half))
    return False if distance > sympy.Float(10) ** (-_DIGITS // 2) else None


def _is_far_from_whole(number: float) -> bool | None:
    if not math.isfinite(number):
        return None
    return False if abs(number - round(number)) > _ROUNDING * max(1.0, abs(number)) else None


def vector_sum(left: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """a + b entry by entry; a vector of one entry is constant. Raises DimensionError for different lengths."""
    n = max(len(left), len(right))
    if any(len(vector) not in (1, n) for vector in (left, right)):
        raise DimensionError(f"vectors of {len(left)} and {len(right)} entries: each needs one entry for every column")
    return tuple(a + b for a, b in zip(*of_one_length(left, right), strict=True))


Height = Literal[1, 0, -1] | None
"""1 if k(r) = k(0), −1 if k(r) = −k(0), 0 if |k(r)| < k(0), None if unknown."""


def height_off_zero(lag: Sequence[Scalar]) -> Height:
    """1 only at lag 0, for k that decreases in every direction."""
    return height_of_answers(is_known_zero(entry) for entry in lag)


def height_of_turns(angle: Scalar) -> Height:
    """cos of an angle: 1 for whole turns, −1 for odd halves."""
    turns: Scalar = angle / (2 * (math.pi if isinstance(angle, float) else sympy.pi))
    if is_known_whole(turns):
        return 1
    halves = is_known_whole(2 * turns)
    return 0 if halves is False else -1 if halves and is_known_whole(turns) is False else None


def height_of_answers(answers: Iterable[bool | None]) -> Height:
    """1 if all are true, 0 if one is false."""
    found = set(answers)
    return 0 if False in found else None if None in found else 1


def of_one_length(left: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """Two vectors of one length; a single entry stands for the constant vector."""
    n = max(len(left), len(right))
    return (left if len(left) == n else [*left] * n), (right if len(right) == n else [*right] * n)
