"""Choosing a plan: every candidate is costed and its variance predicted; the least variance wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.data import Layout
from kernelspec.errors import PlanError
from kernelspec.features.phasor import Form
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.planning.allocation import allocate
from kernelspec.planning.plan import METHODS, Candidate, Method, Plan
from kernelspec.planning.reference import reference_pairs
from kernelspec.planning.strata import Stratum, strata
from kernelspec.planning.variance import estimate_variance, sample_variance
from kernelspec.rows import Rows

if TYPE_CHECKING:
    from kernelspec.spec import Spec

__all__ = ["make_plan"]


def make_plan(
    spec: Spec,
    kernel: Kernel,
    layout: Layout,
    *,
    n_features: int,
    seed: int,
    method: Method = "auto",
    buckets: int | None = 256,
    data: Rows | None = None,
) -> Plan:
    """The plan of least predicted variance among those of at most `n_features` stored entries a row.

    Candidates: cosine–sine pairs against random offsets (`method="auto"`), a share of the budget for every term
    of a sum against drawing terms at random. They are compared on rows of `data`, or on standard normal rows.
    Raises PlanError for an unknown method, a budget below one sample, or fewer than two buckets.
    """
    if method not in METHODS:
        raise PlanError(f"there is no method {method!r}: use one of {', '.join(METHODS)}")
    if buckets is not None and buckets < 2:
        raise PlanError(f"buckets must be at least 2, not {buckets}")
    pairs, reference = reference_pairs(layout, data)
    spine = strata(kernel)
    whole = [Stratum(1.0, kernel, tuple(range(layout.dim)))]
    forms: tuple[Form, ...] = ("paired", "phase") if method == "auto" else (method,)
    candidates = []
    for form in forms:
        for parts in [spine] if len(spine) < 2 else [spine, whole]:
            candidate = _candidate(parts, form, n_features, pairs, buckets, parts is whole)
            if candidate is not None:
                candidates.append((candidate, parts))
    if not candidates:
        raise PlanError(f"n_features={n_features} is too small: one sample of this kernel takes {_least(whole, forms)}")
    # ties go to the earlier: pairs have no variance at x = y, strata none from the choice of a term
    best, parts = min(candidates, key=lambda entry: entry[0].variance)
    others = tuple(candidate for candidate, _ in candidates if candidate is not best)
    reason = _reason(best, others, method, reference)
    return Plan(spec, layout, n_features, seed, buckets, tuple(parts), best, others, reference, reason)


def _candidate(
    parts: list[Stratum], form: Form, budget: int, pairs: NumericPairs, buckets: int | None, mixture: bool
) -> Candidate | None:
    costs = [_cost(stratum, form) for stratum in parts]
    if sum(costs) > budget:
        return None
    spreads = [
        abs(stratum.weight) * float(np.sqrt(sample_variance(stratum, pairs, form, buckets).mean())) for stratum in parts
    ]
    counts = allocate(budget, costs, spreads)
    variance = float(estimate_variance(list(zip(parts, counts, strict=True)), pairs, form, buckets).mean())
    return Candidate(form, mixture, tuple(counts), variance)


def _cost(stratum: Stratum, form: Form) -> int:
    """Stored entries of one sample; a complex entry is two real ones."""
    return 2 if stratum.sampler().has_phasor and form != "phase" else 1


def _least(whole: list[Stratum], forms: tuple[Form, ...]) -> int:
    return min(sum(_cost(stratum, form) for stratum in whole) for form in forms)


def _reason(best: Candidate, others: tuple[Candidate, ...], method: Method, reference: str) -> str:
    if not others:
        return "the only candidate" if method == "auto" else f"method={method!r} was asked for"
    runner_up = min(others, key=lambda other: other.variance)
    if runner_up.variance == best.variance:
        return f"{best.describe()}: no other plan has less variance on {reference}"
    ratio = runner_up.variance / best.variance if best.variance > 0 else float("inf")
    return f"{best.describe()}: {ratio:.3g} times less variance than {runner_up.describe()} on {reference}"
