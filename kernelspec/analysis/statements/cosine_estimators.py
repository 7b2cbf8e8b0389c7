"""The variances of the estimators of rbf_cosine()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.reports.expression_text import latex_of, shown, text_of, variance_of

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["cosine_estimators"]


def cosine_estimators(facts: Facts) -> Fact:
    """By estimator, in the cosine ρ; null for other kernels."""
    found = facts.cosine_estimators
    if not found:
        return Fact(name="cosine_estimators", value=None)
    first = "variance of one column (or key) at the cosine rho [Li 2017]:"
    return Fact(
        name="cosine_estimators",
        value={name: text_of(variance) for name, variance in found.items()},
        lines=(first, *(f"  {name}: {shown(variance)}" for name, variance in found.items())),
        latex=tuple((variance_of([name]), latex_of(variance)) for name, variance in found.items()),
    )
