"""A plan in words."""

from __future__ import annotations

from kernelspec.planning.plan import Candidate, Plan

__all__ = ["explain_plan"]

_FORMS = {
    "paired": "cosine and sine of every frequency",
    "phase": "√2 cos(ω·x + b) with a random offset b",
    "complex": "exp(i ω·x), complex columns",
}


def explain_plan(plan: Plan, n_columns: int) -> str:
    """Strata with their samples, predicted variance, alternatives and the reason, as text."""
    lines = [
        f"plan: {plan.chosen.describe()} ({_FORMS[plan.form]})",
        f"  {n_columns} columns, at most {plan.n_features} stored entries a row, seed {plan.seed}",
    ]
    if not plan.strata:
        lines.append("  the zero kernel: one column of zeros")
    for stratum, n in plan.parts:
        lines.append(f"  {n} samples, weight {stratum.weight:.6g}:")
        lines += ["    " + line for line in stratum.sampler().lines()]
    if plan.buckets is not None and any(stratum.sampler().has_key for stratum in plan.strata):
        lines.append(f"  keys: hashed into {plan.buckets} buckets a sample, with random signs (unbiased)")
    lines.append(f"  predicted standard error of an inner product: {_deviation(plan.chosen)} on {plan.reference}")
    lines += [f"  considered: {other.describe()}: {_deviation(other)}" for other in plan.alternatives]
    lines.append(f"  why: {plan.reason}")
    lines.append("  unbiased: every leaf is sampled exactly from its law, and products use independent draws")
    return "\n".join(lines)


def _deviation(candidate: Candidate) -> str:
    return f"{candidate.variance**0.5:.3g}"
