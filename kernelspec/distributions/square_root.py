"""Square roots of parameters, as floats in numeric trees and exactly in symbolic ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["square_root"]


def square_root(value: Scalar, *parameters: Scalar) -> Scalar:
    """√value ≥ 0, of the same kind as the value and the parameters it goes with."""
    if all(isinstance(each, int | float) for each in (value, *parameters)):
        return math.sqrt(value)
    import sympy

    return sympy.sqrt(value)
