"""A plan made again from the text of its spec: what was decided is kept, what follows from the spec is derived."""

from __future__ import annotations

from dataclasses import replace

from kernelspec.elaboration.layout import layout_of
from kernelspec.planning.candidates import expanded
from kernelspec.planning.estimated_masses import with_weights
from kernelspec.planning.plan import Plan
from kernelspec.planning.strata import Stratum, strata
from kernelspec.planning.zero_bit import with_zero_bit

__all__ = ["replanned"]


def replanned(plan: Plan) -> Plan:
    """The plan with the layout and the strata of its spec, whatever it has.

    Of its layout only the number of columns and their names are used.
    Raises SpecError for a text that is none; ValueError if the numbers of samples do not fit it.
    """
    names = plan.layout.names
    columns = plan.spec.columns(None if names is not None else plan.layout.dim, names)
    kernel = plan.spec.kernel(columns)
    if plan.zero_bit:
        kernel = with_zero_bit(kernel)
    terms = [Stratum(1.0, kernel, tuple(range(columns.dim)))] if plan.chosen.mixture else strata(kernel)
    parts = tuple(expanded(terms, plan.chosen.schemes, mixture=plan.chosen.mixture))
    if len(parts) != len(plan.chosen.counts):
        raise ValueError("the plan does not fit the spec")
    found = replace(plan, layout=layout_of(kernel, columns), strata=parts)
    return found if plan.estimated is None else with_weights(found, plan.estimated)
