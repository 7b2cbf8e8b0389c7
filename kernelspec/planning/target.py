"""An error that a plan is to reach with as few stored entries as possible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from kernelspec.errors import PlanError
from kernelspec.planning.tail_bound import half_width, tail_in_words
from kernelspec.planning.whole_number import whole_number

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan
    from kernelspec.planning.reference import Reference

__all__ = ["ASKED", "CONFIDENCE", "Target", "budget_or_target"]

CONFIDENCE = 0.99
"""Of a bound on single pairs, where none is given."""

ASKED = "asked for: "
"""With which the note of a plan begins that says its target."""


@dataclass(frozen=True)
class Target:
    """At most this relative error √E‖K̂ − K‖²_F / ‖K‖_F on the data; or pair by pair, where there is a `confidence`.

    Then |k̂(x, y) − k(x, y)| is at most `error` with a probability of `confidence`, for each single pair of rows.
    """

    error: float
    confidence: float | None = None

    @property
    def argument(self) -> str:
        """How it was asked for."""
        return f"error={self.error:g}" if self.confidence is None else f"pointwise={self.error:g}"

    def predicted(self, plan: Plan, reference: Reference) -> float:
        """What the plan promises of it; 0 for the zero kernel."""
        if self.confidence is None:
            return plan.chosen.error or 0.0
        return half_width(plan, reference, self.confidence)

    def note(self, plan: Plan, predicted: float) -> str:
        """What was asked for, and what is promised, for `explain`."""
        fewest = f"{plan.n_features:,} stored entries a row are the fewest found whose prediction is within it"
        if self.confidence is None:
            return (
                f"asked for: relative error of the kernel matrix of at most {self.error:g}; {fewest}: {predicted:.3g}"
            )
        bound = tail_in_words(plan)
        return (
            f"{ASKED}at each pair of rows an error of at most {self.error:g} with probability {self.confidence:g}; "
            f"{fewest}: {predicted:.3g} for the worst pair of 200 rows, by {bound}"
        )


def budget_or_target(
    n_features: Any, error: Any, pointwise: Any, confidence: Any, most: int, *, has_data: bool
) -> int | Target:
    """The number of stored entries, or what is to be reached with as few as possible.

    Raises PlanError for a number and a target together, "auto" without one, a target without data, and numbers that
    are none or out of range.
    """
    asked = [(name, value) for name, value in (("error", error), ("pointwise", pointwise)) if value is not None]
    if isinstance(n_features, str):
        if n_features != "auto":
            raise PlanError(f"n_features must be a whole number or 'auto', not {n_features!r}")
        if not asked:
            raise PlanError("n_features='auto' takes the fewest for an error: give error= or pointwise=")
    elif asked:
        name = asked[0][0]
        raise PlanError(
            f"{name}= asks how many features there must be: give n_features='auto' with it, not {n_features!r}"
        )
    else:
        return whole_number("n_features", n_features, 1, most)
    if len(asked) > 1:
        raise PlanError("either error= or pointwise=, not both")
    name, value = asked[0]
    if not has_data:
        raise PlanError(
            f"{name}= is for the rows of some data: give data= (on the command line DATA, or --plan-on FILE)"
        )
    reached = partial(Target, _positive(name, value))
    return reached() if name == "error" else reached(_probability(confidence))


def _positive(name: str, value: Any) -> float:
    number = _number(name, value)
    if not 0 < number < math.inf:
        raise PlanError(f"{name} must be positive and finite, not {value!r}")
    return number


def _probability(value: Any) -> float:
    number = _number("confidence", value)
    if not 0 < number < 1:
        raise PlanError(f"confidence must lie between 0 and 1, not {value!r}")
    return number


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise PlanError(f"{name} must be a number, not {value!r}") from None
