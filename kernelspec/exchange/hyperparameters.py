"""The parameters of a spec as hyperparameters: which there are, their bounds, and on what scale they are searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.elaboration.written_numbers import with_written_values
from kernelspec.errors import ParameterError
from kernelspec.language.nodes import Number, Param, Program
from kernelspec.suggestion import suggest

__all__ = ["Bounds", "Hyperparameter", "free_program", "hyperparameters_of"]

Bounds = tuple[float, float] | Literal["fixed"]

_LOW, _HIGH = 1e-5, 1e5
"""The bounds that scikit-learn's kernels have."""


@dataclass(frozen=True)
class Hyperparameter:
    """A parameter with its value, its bounds, and whether its logarithm is what is searched."""

    name: str
    value: float
    bounds: tuple[float, float]
    is_logarithmic: bool

    @property
    def coordinate(self) -> float:
        """The logarithm, or the value itself."""
        return math.log(self.value) if self.is_logarithmic else self.value

    @property
    def coordinate_bounds(self) -> tuple[float, float]:
        """The bounds of that."""
        low, high = self.bounds
        return (math.log(low), math.log(high)) if self.is_logarithmic else (low, high)

    def within(self, value: float) -> float:
        """The value, or the bound that it exceeds by rounding: exp(log(b)) may lie beyond b."""
        low, high = self.bounds
        slack = 1e-9 * max(abs(low), abs(high))
        return low if low - slack <= value < low else high if high < value <= high + slack else value


def hyperparameters_of(spec: ValuedProgram, bounds: Mapping[str, Bounds]) -> list[Hyperparameter]:
    """Those of a spec, in the order of its lines, but for the fixed ones and those with a formula as default.

    One that is positive, by its line, its bounds or its value, is searched on a logarithmic scale. Raises
    ParameterError for a parameter without a value, bounds of no parameter, and bounds that the value is not between.
    """
    known = spec.params
    for name in bounds:
        if name not in known:
            hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
            raise ParameterError(f"bounds are given for '{name}', and the spec has no such parameter{hint}")
    found = []
    for line in spec.program.statements:
        if not isinstance(line, Param) or bounds.get(line.name) == "fixed":
            continue
        value = known[line.name]
        if value is None and line.default is None:
            raise ParameterError(
                f"parameter '{line.name}' has no value to start from: give one, as in "
                f"spec.with_params({{'{line.name}': 1}})"
            )
        if value is not None:
            found.append(_hyperparameter(line, value, bounds.get(line.name)))
    return found


def _hyperparameter(line: Param, value: float, given: Bounds | None) -> Hyperparameter:
    low, high = -_HIGH, _HIGH
    limit = float(line.bound.value) if isinstance(line.bound, Number) else None
    if limit is not None and line.relation in (">", ">="):
        low = limit
    if limit is not None and line.relation in ("<", "<="):
        high = limit
    positive = value > 0 and (limit is None or low >= 0)
    if given is not None and given != "fixed":
        low, high = map(float, given)
        positive = low > 0
    elif positive:
        low = max(low, _LOW)
    if not low <= value <= high:
        raise ParameterError(f"parameter '{line.name}' is {value:g}, and its bounds are {low:g} and {high:g}")
    return Hyperparameter(line.name, value, (low, high), positive)


def free_program(spec: ValuedProgram, found: list[Hyperparameter]) -> Program:
    """The program whose hyperparameters are free symbols, positive where they are; the others have their values."""
    logarithmic = {each.name: each.is_logarithmic for each in found}
    written = with_written_values(spec.program, dict(spec.values))
    return replace(
        written,
        statements=tuple(
            _freed(line, logarithmic[line.name]) if isinstance(line, Param) and line.name in logarithmic else line
            for line in written.statements
        ),
    )


def _freed(line: Param, positive: bool) -> Param:
    bound = Number(Fraction(0), span=line.span) if positive else None
    return replace(line, relation=">" if positive else None, bound=bound, default=None)
