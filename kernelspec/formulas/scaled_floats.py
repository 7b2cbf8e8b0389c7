"""Formulas on arrays of numbers m·e^s: values that are too small or too large for floats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelspec.formulas.floats import FLOATS, values
from kernelspec.formulas.formula import Formula
from kernelspec.formulas.operations import evaluate
from kernelspec.special.scaled import Scaled

__all__ = ["scaled_values"]

_SMALLEST, _LARGEST = 1e-290, 1e290
_FAR = 600.0


def scaled_values(formula: Formula, x: ArrayLike) -> Scaled:
    """The formula at an array of floats, in its shape, as m·e^s; of floats as they are wherever those suffice."""
    points = np.asarray(x, dtype=float)
    found = Scaled.of(values(formula, points))
    size = np.abs(values(formula, points))
    beyond = ~((size > _SMALLEST) & (size < _LARGEST))
    if not beyond.any():
        return found
    mantissa, exponent = np.array(found.mantissa), np.array(found.exponent)
    with np.errstate(all="ignore"):
        walked = evaluate(formula, Scaled.of(points[beyond]), _ScaledFloats())
        far = Scaled(*(np.broadcast_to(part, beyond.sum()) for part in walked))
    good = np.isfinite(far.mantissa) & np.isfinite(far.exponent)
    mantissa[beyond] = np.where(good, far.mantissa, mantissa[beyond])
    exponent[beyond] = np.where(good, far.exponent, exponent[beyond])
    return Scaled(mantissa, exponent)


class _ScaledFloats:
    """Exponents are added before anything is raised to them."""

    def constant(self, value: Any) -> Scaled:
        return Scaled.of(FLOATS.constant(value))

    def pi(self) -> Scaled:
        return Scaled.of(FLOATS.pi())

    def sum(self, terms: Sequence[Scaled]) -> Scaled:
        return reduce(lambda a, b: a.plus(b, 1.0), terms)

    def negation(self, operand: Scaled) -> Scaled:
        return Scaled(-operand.mantissa, operand.exponent)

    def product(self, factors: Sequence[Scaled]) -> Scaled:
        return reduce(Scaled.times, factors)

    def quotient(self, numerator: Scaled, denominator: Scaled) -> Scaled:
        return numerator.times(Scaled(1 / denominator.mantissa, -denominator.exponent))

    def power(self, base: Scaled, exponent: Scaled) -> Scaled:
        return self.constant_power(base, exponent)

    def constant_power(self, base: Scaled, exponent: Scaled) -> Scaled:
        p = exponent.value()
        size = p * np.log(np.abs(base.mantissa))
        far = (base.mantissa > 0) & (np.abs(size) > _FAR)
        return Scaled(np.where(far, 1.0, np.power(base.mantissa, p)), base.exponent * p + np.where(far, size, 0.0))

    def function(self, name: str, arguments: Sequence[Scaled]) -> Scaled:
        x = arguments[0]
        match name:
            case "exp":
                size = x.value()
                return Scaled(np.ones(size.shape), size)
            case "log":
                return Scaled.of(np.log(x.mantissa) + x.exponent)
            case "sqrt":
                return Scaled(np.sqrt(x.mantissa), x.exponent / 2)
            case "abs":
                return Scaled(np.abs(x.mantissa), x.exponent)
            case "max" | "min":
                other = arguments[1]
                first = (x.plus(other, -1.0).mantissa >= 0) == (name == "max")
                return Scaled(*(np.where(first, a, b) for a, b in zip(x, other, strict=True)))
        return Scaled.of(FLOATS.function(name, [part.value() for part in arguments]))
