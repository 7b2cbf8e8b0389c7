"""Arithmetic on the numbers of a spec, within the range of floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from kernelspec.errors import RangeError
from kernelspec.limits import MAX_EXPONENT
from kernelspec.notation.arguments import Scalar

if TYPE_CHECKING:
    from kernelspec.elaboration.arithmetic import Arithmetic
    from kernelspec.language.nodes import Expression

__all__ = ["compute"]

_LARGEST = 10.0**MAX_EXPONENT


def compute(arithmetic: Arithmetic, operation: Callable[[], Scalar], node: Expression) -> Scalar:
    """The result of an operation. Raises RangeError, at the node, where it has none that is a float too."""
    try:
        result = operation()
        known = arithmetic.known(result)
    except ZeroDivisionError:
        raise RangeError("division by zero", node.span) from None
    except ValueError:
        raise RangeError("this is not a real number", node.span) from None
    except OverflowError:
        known, result = math.inf, math.inf
    except FloatingPointError:
        known, result = 0.0, math.nan
    if known is None or result == 0:
        return result
    if abs(known) > _LARGEST:
        raise RangeError(f"this number is too large: it must lie below 1e{MAX_EXPONENT}", node.span)
    if abs(known) < 1 / _LARGEST:
        raise RangeError(f"this number is too small: it must lie above 1e-{MAX_EXPONENT}, or be 0", node.span)
    return arithmetic.rounded(result)
