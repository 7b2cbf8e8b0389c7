"""A plan made again from the text of its spec: what was decided is kept, what follows from the spec is derived."""

from __future__ import annotations

from dataclasses import replace

from kernelspec.elaboration.layout import layout_of
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.laws.joint import JointLaw
from kernelspec.planning.candidates import expanded
from kernelspec.planning.estimated_masses import with_weights
from kernelspec.planning.exact_atoms import counts_of_atoms, with_atoms
from kernelspec.planning.plan import Plan
from kernelspec.planning.strata import Stratum, Term, terms_of
from kernelspec.planning.zero_bit import with_zero_bit

__all__ = ["replanned"]


def replanned(plan: Plan) -> Plan:
    """The plan with the layout and the strata of its spec, whatever it has.

    Of its layout only the number of columns and their names are used.
    Raises SpecError for a text that is none; ValueError if the numbers of samples do not fit it.
    """
    names = plan.layout.names
    program = ValuedProgram.parsed(plan.text, plan.values)
    columns = program.columns(None if names is not None else plan.layout.dim, names)
    kernel = program.kernel(columns)
    whole = Term(1.0, kernel, tuple(range(columns.dim)), plan.categories)
    terms = [whole] if plan.chosen.mixture else terms_of(kernel, plan.categories)
    parts = tuple(expanded(terms, plan.chosen.schemes, mixture=plan.chosen.mixture))
    exact = counts_of_atoms(plan.strata)
    if len(exact) != len(counts_of_atoms(parts)):
        raise ValueError("the plan does not fit the spec")
    parts = tuple(with_atoms(parts, exact))
    if plan.zero_bit:
        parts = with_zero_bit(parts)
    if len(parts) != len(plan.chosen.counts):
        raise ValueError("the plan does not fit the spec")
    if any(plan.chosen.draws):
        parts = tuple(_drawn_alike(part, own) for part, own in zip(parts, plan.strata, strict=True))
    layout = replace(layout_of(kernel, columns), types=plan.layout.types, by_name=plan.layout.by_name)
    found = replace(plan, layout=layout, strata=parts)
    return found if plan.estimated is None else with_weights(found, plan.estimated)


def _drawn_alike(stratum: Stratum, saved: Stratum) -> Stratum:
    """The stratum with the joint draws of the one that was saved; how they vary was measured on data."""
    if not isinstance(saved.law, JointLaw):
        return stratum
    return replace(stratum, law=replace(saved.law, base=stratum.law))
