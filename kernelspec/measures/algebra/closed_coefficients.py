"""The algebra in numbers with a normal form: equal numbers are seen to be equal, and signs are never rounded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.special.closed_numbers import ClosedNumber, NotDecided, exponential

__all__ = ["ClosedCoefficients"]


@dataclass(frozen=True)
class ClosedCoefficients:
    """Coefficients alone. Their operations raise NotDecided where a normal form or a sign is not known."""

    def number(self, value: Any) -> ClosedNumber:
        return ClosedNumber.of(value)

    def root(self, value: ClosedNumber) -> ClosedNumber:
        return value.root(Fraction(1, 2))

    def pi(self) -> ClosedNumber:
        import sympy

        return ClosedNumber.of(sympy.pi)

    def exponential(self, value: ClosedNumber) -> ClosedNumber:
        return exponential(value)

    def is_zero(self, value: ClosedNumber, size: ClosedNumber) -> bool:
        return ClosedNumber.of(value).sign() == 0

    def less(self, left: ClosedNumber, right: ClosedNumber) -> bool | None:
        try:
            return (ClosedNumber.of(right) - left).sign() > 0
        except NotDecided:
            return None

    def smaller(self, left: ClosedNumber, right: ClosedNumber) -> ClosedNumber:
        return left if self._is_less(left, right) else right

    def larger(self, left: ClosedNumber, right: ClosedNumber) -> ClosedNumber:
        return right if self._is_less(left, right) else left

    def simplified(self, value: ClosedNumber) -> ClosedNumber:
        return value

    def _is_less(self, left: ClosedNumber, right: ClosedNumber) -> bool:
        found = self.less(left, right)
        if found is None:
            raise NotClosed("the order of two numbers is not known")
        return found
