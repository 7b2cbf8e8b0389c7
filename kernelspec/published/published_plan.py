"""Plans changed into those of published estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec.errors import PlanError
from kernelspec.planning.reference import reference_pairs
from kernelspec.planning.zero_bit import with_zero_bit
from kernelspec.published.fitted_masses import estimate_masses
from kernelspec.published.zero_bit import measured_bias

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan
    from kernelspec.published.published import Published
    from kernelspec.tables.rows import Rows

__all__ = ["published_plan"]


def published_plan(plan: Plan, published: Published, rows: Rows | None) -> Plan:
    """The plan with keys cut short and masses fitted to `rows`, as far as that is asked for; what it costs is measured.

    Raises PlanError for a kernel that has no such keys or parts, and for masses without rows.
    """
    if published.zero_bit:
        plan = replace(plan, strata=with_zero_bit(plan.strata), zero_bit=True)
        plan = replace(plan, bias=measured_bias(plan, reference_pairs(plan.layout, rows)[0]))
    if published.masses == "exact":
        return plan
    if rows is None:
        raise PlanError("masses='estimated' fits weights to rows of the data: give data=")
    return estimate_masses(plan, rows, published.n_rows_for_masses)
