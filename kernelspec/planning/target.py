"""Find the fewest features that reach an error."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.options import LANDMARK_METHODS, ROUNDING, MapOptions
from kernelspec.planning.plan import Plan
from kernelspec.planning.planner import Planner
from kernelspec.planning.reference import Reference
from kernelspec.planning.request import PlanRequest
from kernelspec.planning.strata import Stratum, kernel_value

__all__ = ["ASKED", "Target", "budget_or_target", "chebyshev", "half_width", "plan_for"]


def half_width(plan: Plan, reference: Reference, confidence: float) -> float:
    """The least t with P(|k̂(x, y) − k(x, y)| > t) ≤ 1 − confidence for each single pair of the data sample.

    Uses the predicted variance and bias, and Bernstein's inequality if all samples are independent and bounded, else
    Chebyshev's, which always holds. Infinite if the variance is.
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
    """√(E e² / rest) for the largest mean squared error: P(|e| ≥ t) ≤ E e² / t²."""
    largest = float(squares.max(initial=0.0))
    return math.sqrt(largest / rest) if math.isfinite(largest) else math.inf


def bernstein(variance: NDArray[np.float64], bound: float, rest: float) -> float:
    """The t for which 2 exp(−t² / (2 (V + b t / 3))) is `rest`, V the largest variance, |X_i − E X_i| ≤ b.

    For sums of independent X_i [Boucheron, Lugosi and Massart 2013, corollary 2.11].
    """
    logarithm = math.log(2 / rest)
    half = bound * logarithm / 3
    return half + math.sqrt(half**2 + 2 * float(variance.max(initial=0.0)) * logarithm)


def _bound(plan: Plan) -> float | None:
    """The most by which one sample moves the estimate from its mean; None if unbounded, or for coupled samples."""
    if plan.landmarks is not None or plan.normalized or not plan.unbiased:
        return None
    bounds = [_bound_of(stratum, n, plan) for stratum, n in plan.parts]
    known = [bound for bound in bounds if bound is not None]
    return max(known, default=0.0) if len(known) == len(bounds) else None


def _bound_of(stratum: Stratum, n: int, plan: Plan) -> float | None:
    """2 |w| m / n for samples of size at most m: frequencies of unit amplitude, and keys that agree or not."""
    law = stratum.law
    if stratum.draws is not None or (law.fourier_kernel() is None and (law.has_amplitude or not law.has_key)):
        return None
    largest = 2.0 if law.has_phasor and plan.form == "phase" else 1.0  # √2 cos · √2 cos
    return 2 * abs(stratum.weight) * largest * float(law.magnitude()) / n


ASKED = "asked for: "
"""How the note of a plan that states its target begins."""


@dataclass(frozen=True)
class Target:
    """An upper bound for the relative error √E‖K̂ − K‖²_F / ‖K‖_F on the data or, with a `confidence`, for each pair.

    In the latter case |k̂(x, y) − k(x, y)| is at most `error` with probability `confidence`, for each single pair of
    rows.
    """

    error: float
    confidence: float | None = None

    @property
    def argument(self) -> str:
        """How it was requested."""
        return f"error={self.error:g}" if self.confidence is None else f"pointwise={self.error:g}"

    def predicted(self, plan: Plan, reference: Reference) -> float:
        """The prediction of the plan; 0 for the zero kernel."""
        if self.confidence is None:
            return plan.chosen.error or 0.0
        return half_width(plan, reference, self.confidence)

    def note(self, plan: Plan, predicted: float) -> str:
        """The request and the prediction, for `explain`."""
        fewest = f"{plan.n_features:,} nonzeros per row are the fewest found whose prediction is within it"
        if self.confidence is None:
            return f"{ASKED}relative error of the kernel matrix of at most {self.error:g}; {fewest}: {predicted:.3g}"
        sharper = "" if _bound(plan) is None else "Bernstein's inequality, or "
        bound = f"{sharper}Chebyshev's {'where that says more' if sharper else 'inequality'}"
        return (
            f"{ASKED}at each pair of rows an error of at most {self.error:g} with probability {self.confidence:g}; "
            f"{fewest}: {predicted:.3g} for the worst pair of 200 rows, by its predicted variance and {bound}"
        )


def budget_or_target(options: MapOptions, *, has_data: bool) -> int | Target:
    """The number of nonzeros per row, or the error to reach with the fewest.

    Raises PlanError for both a number and a target, "auto" without a target, and a target without data.
    """
    errors = {"error": options.error, "pointwise": options.pointwise}
    asked = [(name, error) for name, error in errors.items() if error is not None]
    n_features = options.n_features
    if n_features != "auto":
        if asked:
            raise PlanError(f"{asked[0][0]}= needs n_features='auto', not {n_features}")
        return n_features
    if not asked:
        raise PlanError("n_features='auto' needs an error: set error= or pointwise=")
    if len(asked) > 1:
        raise PlanError("use either error= or pointwise=, not both")
    name, error = asked[0]
    if not has_data:
        raise PlanError(f"{name}= needs rows of data: set data= (on the command line DATA or --plan-on)")
    return Target(error, None if name == "error" else options.confidence)


_FIRST, _LEAP = 128, 4
"""The first number of nonzeros tried for one term, and twice as many for several; and the largest factor to the next
number, because with landmarks the error decreases faster than 1/√budget.
"""

_FASTEST = 2
"""The largest number is next if even an error that falls like budget⁻² would not reach the target before it; Sobol'
points of smooth functions reach budget^(−3/2).
"""

_ATTEMPTS, _NEAR, _CLOSE, _MORE = 5, 0.93, 0.01, 1.005
"""Most plans to measure until one predicts the target to 7 %, or as closely as expected."""

_MARGIN = 0.96
"""The share of the target that rough estimates must predict for the first measured plan."""

_FURTHER = 1.02
"""The share of the budget that would reach the target if the error were proportional to 1/√budget, tried after these
plans.
"""

_STEPS = 24
"""Most budgets to try."""


def plan_for(target: Target, request: PlanRequest, most: int) -> Plan:
    """The plan with the smallest budget found whose predicted error is at most the target.

    First finds the smallest budget, to 1 %, by the rough estimates that compare candidates, assuming that the error is
    about a power of the budget. The plan of that budget is measured, which gives a factor for the rough estimates, and
    the search continues. Of up to five measured plans (more if none reaches the target), the smallest that reaches it
    is used, which is the plan for `n_features` equal to its budget. For single pairs, independent samples are also
    tried alone, because their bounds are sharper. Raises PlanError if `most` nonzeros per row are too few, with the
    error that they reach; and the errors of `Planner.plan`.
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
        raise PlanError(f"{target.argument} is judged on pairs of rows, but the data have fewer than two rows")
    search, best = _Search(target, planner, most, too_small=planner.least - 1), dict[int, tuple[Plan, float]]()
    factor = 1.0
    for _ in range(_ATTEMPTS):
        budget = search.find(target.error / factor)
        if not best and budget in search.estimated:  # the best of many estimates is usually too optimistic
            budget = search.find(_MARGIN * target.error)
        if budget in best:
            break
        plan = planner.plan(budget)
        best[budget] = plan, target.predicted(plan, planner.reference)
        if best[budget][1] == math.inf:
            search.refuse(*best[budget])
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
    """The budgets tried, with rough predictions, to find the smallest that reaches an error."""

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
        """The smallest budget, to 1 %, with a rough prediction of at most `sought`. Raises PlanError beyond `most`."""
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
            least = self.met.get(budget, 0.0) * (budget / self.most) ** _FASTEST
            following = min(max(self._root(budget), budget + 1), _LEAP * budget, self.most)
            budget = self.most if least > self.sought else following

    def judge(self, budget: int) -> bool:
        """Whether the plan of a budget reaches the target; a plan that does not cover every term does not."""
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
        """A budget inside the bracket: where the target would be reached, or just below its upper end."""
        low, high = self.low, self.high
        if self.steps % 5 == 0 or not self.met[high]:  # bisect, whatever the predictions
            return max(low + 1, math.isqrt(max(low, 1) * high))
        least, most = low + 1, high - max(1, high // 100)
        return max(least, min(self._root(low if low in self.met else high), most))

    def _root(self, budget: int) -> int:
        """The budget for the target if the error were a power of the budget through both ends, or 1/√budget."""
        if budget not in self.met or not math.isfinite(self.met[budget]):
            return self.most
        predicted, power = self.met[budget], 0.5
        ends = [self.met[end] for end in (self.low, self.high) if end in self.met]
        if len(ends) == 2 and 0 < ends[1] < ends[0] < math.inf:
            power = math.log(ends[0] / ends[1]) / math.log(self.high / self.low)
        steps = math.log(predicted / self.sought) / power
        if steps > math.log(self.most):
            return self.most
        return min(math.ceil(1.002 * budget * math.exp(steps)), self.most)  # slightly above, to reach it

    def _is_zero(self, plan: Plan) -> bool:
        rows = self.planner.reference.sample
        return rows is not None and not np.any(kernel_value(plan.strata, NumericPairs(rows, rows)))

    def refuse(self, plan: Plan, predicted: float) -> None:
        """Raise PlanError with the error that a budget reaches."""
        if predicted == math.inf and self.target.confidence is None and self._is_zero(plan):
            raise PlanError(
                f"{self.target.argument} cannot be promised: the kernel is 0 between all rows of the data, and "
                "relative to 0 no error is finite. Set n_features=, or scale the columns"
            )
        if predicted == math.inf:
            raise PlanError(
                f"{self.target.argument} cannot be promised: samples of {plan.chosen.describe()} have no finite "
                "variance. Set n_features=, or max_degree= (biased)"
            )
        raise PlanError(
            f"{self.target.argument} is not reached with {plan.n_features:,} nonzeros per row, the most that are "
            f"tried: {plan.chosen.describe()} is expected to reach {predicted:.3g}. Use a larger error, or n_features="
        )
