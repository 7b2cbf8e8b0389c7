"""An error to reach with the fewest features."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.options import LANDMARK_METHODS, ROUNDING, MapOptions
from kernelspec.planning.plan import Plan
from kernelspec.planning.planner import Planner
from kernelspec.planning.request import PlanRequest
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.planning.reference import Reference
    from kernelspec.planning.strata import Stratum

__all__ = [
    "ASKED",
    "Target",
    "bernstein",
    "budget_or_target",
    "chebyshev",
    "half_width",
    "plan_for",
    "tail_in_words",
]


def half_width(plan: Plan, reference: Reference, confidence: float) -> float:
    """The least t with P(|k̂(x, y) − k(x, y)| > t) ≤ 1 − confidence for each single pair of the sample of the data.

    By the predicted variance and bias, and Bernstein's inequality where all samples are independent and bounded, else
    Chebyshev's, which holds for any law. Infinite where the variance is.
    """
    assert reference.sample is not None
    grid, rest = NumericPairs(reference.sample, reference.sample), 1 - confidence
    variance = plan.variance(grid, plan.collisions)
    squares = variance + np.square(plan.bias_on(grid))
    widest = chebyshev(squares, rest)
    bound = _bound(plan)
    width = widest if bound is None else min(widest, bernstein(variance, bound, rest))
    return width if plan.exactness else max(width, ROUNDING * float(np.abs(kernel_value(plan.strata, grid)).max()))


def chebyshev(squares: NDArray[np.float64], rest: float) -> float:
    """√(E e² / rest) of the largest mean square error: P(|e| ≥ t) ≤ E e² / t²."""
    largest = float(squares.max(initial=0.0))
    return math.sqrt(largest / rest) if math.isfinite(largest) else math.inf


def bernstein(variance: NDArray[np.float64], bound: float, rest: float) -> float:
    """The t for which 2 exp(−t² / (2 (V + b t / 3))) is `rest`, V the largest variance, |X_i − E X_i| ≤ b.

    For sums of independent X_i [Boucheron, Lugosi and Massart 2013, corollary 2.11].
    """
    logarithm = math.log(2 / rest)
    half = bound * logarithm / 3
    return half + math.sqrt(half**2 + 2 * float(variance.max(initial=0.0)) * logarithm)


def tail_in_words(plan: Plan) -> str:
    """The inequality that `half_width` has used."""
    if _bound(plan) is None:
        return "its predicted variance and Chebyshev's inequality"
    return "its predicted variance and Bernstein's inequality, or Chebyshev's where that says more"


def _bound(plan: Plan) -> float | None:
    """The most that one sample can move the estimate from its mean; None where there is none, or samples depend."""
    if plan.landmarks is not None or plan.normalized or not plan.unbiased:
        return None
    bounds = [_bound_of(stratum, n, plan) for stratum, n in plan.parts]
    known = [bound for bound in bounds if bound is not None]
    return max(known, default=0.0) if len(known) == len(bounds) else None


def _bound_of(stratum: Stratum, n: int, plan: Plan) -> float | None:
    """2 |w| m / n for samples of size m at most: frequencies of unit amplitude, and keys that agree or do not."""
    law = stratum.law
    if stratum.draws is not None or (law.fourier_kernel() is None and (law.has_amplitude or not law.has_key)):
        return None
    largest = 2.0 if law.has_phasor and plan.form == "phase" else 1.0  # √2 cos · √2 cos
    return 2 * abs(stratum.weight) * largest * float(law.magnitude()) / n


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


def budget_or_target(options: MapOptions, *, has_data: bool) -> int | Target:
    """The number of stored entries, or the error to reach with as few as possible.

    Raises PlanError for a number and a target together, "auto" without one, and a target without data.
    """
    errors = {"error": options.error, "pointwise": options.pointwise}
    asked = [(name, error) for name, error in errors.items() if error is not None]
    n_features = options.n_features
    if n_features != "auto":
        if asked:
            raise PlanError(
                f"{asked[0][0]}= asks how many features there must be: give n_features='auto' with it, not {n_features}"
            )
        return n_features
    if not asked:
        raise PlanError("n_features='auto' takes the fewest for an error: give error= or pointwise=")
    if len(asked) > 1:
        raise PlanError("either error= or pointwise=, not both")
    name, error = asked[0]
    if not has_data:
        raise PlanError(
            f"{name}= is for the rows of some data: give data= (on the command line DATA, or --plan-on FILE)"
        )
    return Target(error, None if name == "error" else options.confidence)


_FIRST, _LEAP = 128, 4
"""Stored entries that are tried first, of one term, and twice as many of several; and by what factor at most the next
ones are more: with landmarks the error falls faster than 1/√budget."""

_ATTEMPTS, _NEAR, _CLOSE, _MORE = 5, 0.93, 0.01, 1.005
"""Plans that are measured, at most, until one predicts the target to 7 %, or as much as it was expected to."""

_MARGIN = 0.96
"""Of the target: what rough estimates by samples must predict for the first plan that is measured."""

_FURTHER = 1.02
"""Of the budget that would reach the target if the error fell as 1/√budget: what is tried after these plans."""

_STEPS = 24
"""The most budgets tried, whatever the predictions are like."""


def plan_for(target: Target, request: PlanRequest, most: int) -> Plan:
    """The plan of the smallest budget found whose predicted error is at most the target.

    By the rough estimates that compare candidates, the smallest budget is found to 1 %: the error falls about as a
    power of the budget, which leads from one budget to the next. The plan of that budget is measured, and the search
    goes on for what is then rough by a known factor; of up to five measured plans, or more if none of these reaches
    the target, the smallest that does is taken. It is the one that `n_features` of its budget gives. For single pairs
    independent samples, of which more can be said, are tried by themselves, too.
    Raises PlanError where `most` stored entries are too few, with what these reach; what `Planner.plan` raises.
    """
    requests = [request]
    if (
        target.confidence is not None
        and request.options.draws == "auto"
        and request.options.method not in LANDMARK_METHODS
    ):
        requests.insert(0, replace(request, options=replace(request.options, draws="independent", landmarks="never")))
    plans: list[Plan] = []
    for place, one_request in enumerate(requests, start=1):
        try:
            plans.append(_fewest(target, Planner.of(one_request), plans[0].n_features if plans else most))
        except PlanError:
            if place == len(requests) and not plans:
                raise
    return min(plans, key=lambda plan: plan.n_features)


def _fewest(target: Target, planner: Planner, most: int) -> Plan:
    if planner.reference.sample is None:
        raise PlanError(f"{target.argument} is judged on pairs of rows, and the data have fewer than two")
    search, best = _Search(target, planner, most, too_small=planner.least - 1), dict[int, tuple[Plan, float]]()
    factor = 1.0
    for _ in range(_ATTEMPTS):
        budget = search.find(target.error / factor)
        if not best and budget in search.estimated:  # the best of many estimates is most often too good
            budget = search.find(_MARGIN * target.error)
        if budget in best:
            break
        plan = planner.plan(budget)
        best[budget] = plan, target.predicted(plan, planner.reference)
        before, rough = factor, search.met[budget]
        factor = best[budget][1] / rough if rough else 1.0
        if factor > before and best[budget][1] > target.error:
            factor = max(factor, _MORE * before)
        predicted = best[budget][1]
        if predicted <= target.error and (predicted >= _NEAR * target.error or abs(factor / before - 1) <= _CLOSE):
            break
    while not (reached := [budget for budget, (_, predicted) in best.items() if predicted <= target.error]):
        largest = max(best)
        predicted = best[largest][1]
        if largest >= most:
            search.refuse(*best[largest])
        needed = largest * (predicted / target.error) ** 2
        budget = min(most, max(largest + 1, math.ceil(_FURTHER * needed))) if needed < most else most
        plan = planner.plan(budget)
        best[budget] = plan, target.predicted(plan, planner.reference)
    plan, predicted = best[min(reached)]
    return replace(plan, notes=(*plan.notes, target.note(plan, predicted)))


@dataclass(eq=False)
class _Search:
    """Budgets that were tried, with rough predictions of their plans, to find the smallest that reaches an error."""

    target: Target
    planner: Planner
    most: int
    too_small: int
    sought: float = 0.0
    low: int = 0
    high: int = 0
    steps: int = 0
    met: dict[int, float] = field(default_factory=dict)
    estimated: set[int] = field(default_factory=set)

    def find(self, sought: float) -> int:
        """The smallest budget, to 1 %, with a rough prediction of at most this. Raises PlanError if `most` has more."""
        self.sought, self.steps = sought, 0
        reached = [budget for budget, predicted in self.met.items() if predicted <= sought]
        self.high = min(reached, default=0)
        failed = [budget for budget in self.met if budget not in reached and budget < (self.high or budget + 1)]
        self.low = max([self.too_small, *failed])
        if not self.high:
            self._reach()
        while self.high - self.low > max(1, self.high // 100) and self.steps < _STEPS:
            self.judge(self._between())
        return self.high

    def _reach(self) -> None:
        first = _FIRST if self.planner.n_terms == 1 else 2 * _FIRST
        budget = min(max(first, self.planner.least), self.most)
        if self.low in self.met:
            budget = min(max(self._root(self.low), self.low + 1), self.most)
        while not self.judge(budget):
            if budget == self.most:
                self.refuse(self.planner.plan(budget, rough=True), self.met[budget])
            budget = min(max(self._root(budget), budget + 1), _LEAP * budget, self.most)

    def judge(self, budget: int) -> bool:
        """Whether the plan of a budget reaches the target; one that does not pay for every term does not."""
        self.steps += 1
        try:
            plan = self.planner.plan(budget, rough=True)
        except PlanError:
            if budget == self.most:
                raise
            self.low = self.too_small = budget
            return False
        predicted = self.target.predicted(plan, self.planner.reference)
        self.met[budget] = predicted
        if plan.chosen.landmarks or any(plan.chosen.draws):
            self.estimated.add(budget)
        if predicted <= self.sought:
            self.high = budget
        else:
            self.low = budget
        return predicted <= self.sought

    def _between(self) -> int:
        """A budget inside the bracket: where the target would be met, or just below the smallest that meets it."""
        low, high = self.low, self.high
        if self.steps % 5 == 0 or not self.met[high]:  # whatever the predictions are like
            return max(low + 1, math.isqrt(max(low, 1) * high))
        least, most = low + 1, high - max(1, high // 100)
        return max(least, min(self._root(low if low in self.met else high), most))

    def _root(self, budget: int) -> int:
        """Where the target would be met if the error were a power of the budget, met at both ends or 1/√budget."""
        if budget not in self.met or not math.isfinite(self.met[budget]):
            return self.most
        predicted, power = self.met[budget], 0.5
        ends = [self.met[end] for end in (self.low, self.high) if end in self.met]
        if len(ends) == 2 and 0 < ends[1] < ends[0] < math.inf:
            power = math.log(ends[0] / ends[1]) / math.log(self.high / self.low)
        steps = math.log(predicted / self.sought) / power
        if steps > math.log(self.most):
            return self.most
        return min(math.ceil(1.002 * budget * math.exp(steps)), self.most)  # a little above, so that it is met

    def refuse(self, plan: Plan, predicted: float) -> None:
        """Raise PlanError, with what the plan of a budget reaches."""
        raise PlanError(
            f"{self.target.argument} is not reached with {plan.n_features:,} stored entries a row, the most that are "
            f"tried: {plan.chosen.describe()} is expected to reach {predicted:.3g}. Give a larger error, or n_features="
        )
