"""The smallest budget whose plan reaches an error."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from kernelspec.errors import PlanError
from kernelspec.planning.methods import ANCHORED
from kernelspec.planning.plan import Plan
from kernelspec.planning.planner import Planner
from kernelspec.planning.request import PlanRequest
from kernelspec.planning.target import Target

__all__ = ["plan_for"]

_FIRST = 256
"""Stored entries that are tried first."""

_ATTEMPTS, _CLOSE, _MORE = 5, 0.01, 1.005
"""Plans that are measured, at most; rough predictions are then too small or large by a factor known to 1 %."""

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
    if target.confidence is not None and request.draws == "auto" and request.method not in ANCHORED:
        requests.insert(0, replace(request, draws="independent", anchors="never"))
    found: list[Plan] = []
    for place, own in enumerate(requests, start=1):
        try:
            found.append(_fewest(target, Planner.of(own), found[0].n_features if found else most))
        except PlanError:
            if place == len(requests) and not found:
                raise
    return min(found, key=lambda plan: plan.n_features)


def _fewest(target: Target, planner: Planner, most: int) -> Plan:
    if planner.reference.sample is None:
        raise PlanError(f"{target.argument} is judged on pairs of rows, and the data have fewer than two")
    search, best = _Search(target, planner, most, too_small=planner.least - 1), dict[int, tuple[Plan, float]]()
    factor = 1.0
    for _ in range(_ATTEMPTS):
        budget = search.find(target.error / factor)
        if budget in best:
            break
        plan = planner.plan(budget)
        best[budget] = plan, target.predicted(plan, planner.reference)
        before, rough = factor, search.met[budget]
        factor = best[budget][1] / rough if rough else 1.0
        if factor > before and best[budget][1] > target.error:
            factor = max(factor, _MORE * before)
        if best[budget][1] <= target.error and abs(factor / before - 1) <= _CLOSE:
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
        budget = min(max(_FIRST, self.planner.least), self.most)
        if self.low in self.met:
            budget = min(max(self._root(self.low), self.low + 1), self.most)
        while not self.judge(budget):
            if budget == self.most:
                self.refuse(self.planner.plan(budget, rough=True), self.met[budget])
            budget = min(max(self._root(budget), budget + 1), self.most)

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
