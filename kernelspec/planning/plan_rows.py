"""A plan for notebooks: what was chosen, what it promises, what else there was."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.planning.plan import Candidate, Plan

__all__ = ["plan_rows"]


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Labels, and what the plan says about each."""
    rows = [
        ("method", plan.chosen.describe()),
        ("size", f"at most {plan.n_features} stored entries a row"),
        ("seed", str(plan.seed)),
        ("promised", f"standard error {_promised(plan.chosen)}"),
        ("compared on", plan.reference),
        ("why", plan.reason),
        ("considered", "\n".join(f"{other.describe()}: {_promised(other)}" for other in plan.alternatives)),
        ("unbiased", "yes" if plan.unbiased else "no"),
    ]
    return [(label, text) for label, text in rows if text]


def _promised(candidate: Candidate) -> str:
    error = "" if candidate.error is None else f", relative error of the kernel matrix {candidate.error:.3g}"
    return f"{candidate.variance**0.5:.3g}{error}"
