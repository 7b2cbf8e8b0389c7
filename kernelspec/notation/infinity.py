"""Infinity and the undefined, as a float in numeric trees and as SymPy's in symbolic ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar

__all__ = ["infinity", "undefined"]


def infinity(*parameters: Scalar) -> Scalar:
    """∞ of the same kind as the parameters it comes from."""
    if all(isinstance(parameter, int | float) for parameter in parameters):
        return math.inf
    import sympy

    return sympy.oo


def undefined(*parameters: Scalar) -> Scalar:
    """Not a number, of the same kind as the parameters it comes from."""
    if all(isinstance(parameter, int | float) for parameter in parameters):
        return math.nan
    import sympy

    return sympy.nan
