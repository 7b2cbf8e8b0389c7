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

_STEPS = 24
"""The most budgets tried, whatever the predictions are like."""


def plan_for(target: Target, request: PlanRequest, most: int) -> Plan:
    """The plan of the smallest budget, to 1 %, whose predicted error is at most the target, among all it may take.

    The error falls with the budget, about as a power of it, which leads from one budget to the next; the last two
    enclose the smallest. The plan is the one that `n_features` of its budget gives. For single pairs independent
    samples, of which more can be said, are tried by themselves, too.
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
    search = _Search(target, planner, most, low=planner.least - 1)
    search.reach()
    while search.high - search.low > max(1, search.high // 100) and search.steps < _STEPS:
        search.judge(search.between())
    plan, predicted = search.met[search.high]
    return replace(plan, notes=(*plan.notes, target.note(plan, predicted)))


@dataclass(eq=False)
class _Search:
    """Budgets that were tried: the largest one that does not reach the target, and the smallest that does."""

    target: Target
    planner: Planner
    most: int
    low: int
    high: int = 0
    steps: int = 0
    met: dict[int, tuple[Plan, float]] = field(default_factory=dict)

    def reach(self) -> None:
        """Find a budget that reaches the target. Raises PlanError if `most` does not."""
        budget = min(max(_FIRST, self.planner.least), self.most)
        while not self.judge(budget):
            if budget == self.most:
                self._refuse()
            budget = min(max(self._root(budget), budget + 1), self.most)

    def judge(self, budget: int) -> bool:
        """Whether the plan of a budget reaches the target; one that does not pay for every term does not."""
        self.steps += 1
        try:
            plan = self.planner.plan(budget)
        except PlanError:
            if budget == self.most:
                raise
            self.low = budget
            return False
        predicted = self.target.predicted(plan, self.planner.reference)
        self.met[budget] = plan, predicted
        if predicted <= self.target.error:
            self.high = budget
        else:
            self.low = budget
        return predicted <= self.target.error

    def between(self) -> int:
        """A budget inside the bracket: where the target would be met, or just below the smallest that meets it."""
        low, high = self.low, self.high
        if self.steps % 5 == 0 or not self.met[high][1]:  # whatever the predictions are like
            return max(low + 1, math.isqrt(max(low, 1) * high))
        least, most = low + 1, high - max(1, high // 100)
        return max(least, min(self._root(low if low in self.met else high), most))

    def _root(self, budget: int) -> int:
        """Where the target would be met if the error were a power of the budget, met at both ends or 1/√budget."""
        if budget not in self.met or not math.isfinite(self.met[budget][1]):
            return self.most
        predicted, power = self.met[budget][1], 0.5
        ends = [self.met[end][1] for end in (self.low, self.high) if end in self.met]
        if len(ends) == 2 and 0 < ends[1] < ends[0] < math.inf:
            power = math.log(ends[0] / ends[1]) / math.log(self.high / self.low)
        steps = math.log(predicted / self.target.error) / power
        if steps > math.log(self.most):
            return self.most
        return min(math.ceil(1.002 * budget * math.exp(steps)), self.most)  # a little above, so that it is met

    def _refuse(self) -> None:
        plan, predicted = self.met[self.most]
        raise PlanError(
            f"{self.target.argument} is not reached with {self.most:,} stored entries a row, the most that are tried: "
            f"{plan.chosen.describe()} is expected to reach {predicted:.3g}. Give a larger error, or n_features="
        )
