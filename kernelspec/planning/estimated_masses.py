"""Weights of the Jordan parts that were fitted to the kernel matrix of some rows, instead of the exact masses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan

__all__ = ["EstimatedMasses", "with_weights"]


@dataclass(frozen=True)
class EstimatedMasses:
    """The weights of the strata, fitted on the `rows` of the data with these indices."""

    weights: tuple[float, ...]
    rows: tuple[int, ...]


def with_weights(plan: Plan, estimated: EstimatedMasses) -> Plan:
    """The plan with these weights of its strata."""
    pairs = zip(plan.strata, estimated.weights, strict=True)
    return replace(plan, strata=tuple(replace(s, weight=weight) for s, weight in pairs), estimated=estimated)
