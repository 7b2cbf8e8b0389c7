"""Enclosures of a formula, its derivatives and its logarithmic derivatives on a whole interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from kernelspec.formulas.interval import ZERO, Interval

__all__ = ["EVERYTHING", "NOT_NEGATIVE", "Enclosure", "Undecided", "finished"]

EVERYTHING = Interval(-math.inf, math.inf)
NOT_NEGATIVE = Interval(0.0, math.inf)


class Undecided(Exception):
    """A part of the formula is not known to be defined, or to have derivatives, on the whole interval."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What is known about f on an interval: f is continuous there, and its values, f′ and f″ lie in the intervals.

    The derivatives are those between the kinks, and one-sided at them; at a kink f′ may `rise` or `fall`. Where f is
    known to be positive (an interval that begins at 0 is open there), `log_slope` and `log_curvature` have (log f)′ and
    (log f)″. They make products, quotients, powers and exponentials sharp: (∏ f_i)″ = f (Σ ℓ_i″ + (Σ ℓ_i′)²).
    """

    value: Interval
    slope: Interval
    curvature: Interval
    is_positive: bool = False
    log_slope: Interval = ZERO
    log_curvature: Interval = ZERO
    may_rise: bool = False
    may_fall: bool = False

    @property
    def is_convex(self) -> bool:
        """Whether f is proved convex on the interval."""
        return self.curvature.low >= 0 and not self.may_fall

    @property
    def is_convex_in_octaves(self) -> bool:
        """The same of an enclosure with derivatives in s = log t, where t² f″/f = ℓ_ss + ℓ_s² − ℓ_s, ℓ = log f."""
        if self.may_fall or not self.is_positive:
            return False
        slope = self.log_slope
        return (self.log_curvature + slope.square() - slope).low >= 0


def finished(found: Enclosure) -> Enclosure:
    """With all that value, derivatives and logarithmic derivatives say about each other."""
    for part in (found.value, found.slope, found.curvature):
        if math.isnan(part.low) or math.isnan(part.high):
            raise Undecided
    if found.value.is_positive and not found.is_positive:
        found = replace(found, is_positive=True, log_slope=EVERYTHING, log_curvature=EVERYTHING)
    if not found.is_positive:
        return found
    value = found.value.meet(NOT_NEGATIVE)
    inverse = value.reciprocal()
    log_slope = found.log_slope.meet(found.slope * inverse)
    log_curvature = found.log_curvature.meet(found.curvature * inverse - log_slope.square())
    return replace(
        found,
        value=value,
        slope=found.slope.meet(value * log_slope),
        curvature=found.curvature.meet(value * (log_curvature + log_slope.square())),
        log_slope=log_slope,
        log_curvature=log_curvature,
    )
