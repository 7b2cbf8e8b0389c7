"""Plans as JSON and back: what was decided is kept, what follows from the spec is derived again."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from kernelspec.elaboration.layout import layout_of
from kernelspec.laws.catalogue import SCHEMES
from kernelspec.planning.candidates import expanded
from kernelspec.planning.estimated_masses import EstimatedMasses, with_weights
from kernelspec.planning.methods import FORMS
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.strata import Term, terms_of
from kernelspec.planning.zero_bit import with_zero_bit
from kernelspec.spec import Spec, parse
from kernelspec.tables.column_types import ColumnTypes

__all__ = ["plan_from_dict", "plan_to_dict"]


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Everything `plan_from_dict` needs."""
    return {
        "spec": str(plan.spec),
        "params": {name: str(value) for name, value in plan.spec.values},
        "dim": plan.layout.dim,
        "names": plan.layout.names,
        "types": _types_to_dict(plan.layout.types),
        "n_features": plan.n_features,
        "seed": plan.seed,
        "buckets": plan.buckets,
        "bits": plan.bits,
        "normalized": plan.normalized,
        "estimated": None if plan.estimated is None else vars(plan.estimated),
        "zero_bit": plan.zero_bit,
        "bias": plan.bias,
        "notes": list(plan.notes),
        "chosen": _candidate_to_dict(plan.chosen),
        "alternatives": [_candidate_to_dict(other) for other in plan.alternatives],
        "reference": plan.reference,
        "reason": plan.reason,
    }


def plan_from_dict(saved: dict[str, Any]) -> Plan:
    """The plan that `plan_to_dict` described. Raises KeyError, TypeError, ValueError or SpecError if it is damaged."""
    spec = parse(saved["spec"])
    spec = Spec(spec.program, tuple((name, Fraction(value)) for name, value in sorted(saved["params"].items())))
    names = saved["names"]
    columns = spec.columns(None if names is not None else int(saved["dim"]), names)
    kernel = spec.kernel(columns)
    chosen = _candidate_from_dict(saved["chosen"])
    terms = [Term(1.0, kernel, tuple(range(columns.dim)))] if chosen.mixture else terms_of(kernel)
    parts = tuple(expanded(terms, chosen.schemes, mixture=chosen.mixture))
    if saved["zero_bit"]:
        parts = with_zero_bit(parts)
    if len(parts) != len(chosen.counts):
        raise ValueError("the plan does not fit the spec")
    plan = Plan(
        spec,
        replace(layout_of(kernel, columns), types=_types_from_dict(saved.get("types"))),
        int(saved["n_features"]),
        int(saved["seed"]),
        saved["buckets"],
        saved["bits"],
        parts,
        chosen,
        tuple(_candidate_from_dict(other) for other in saved["alternatives"]),
        str(saved["reference"]),
        str(saved["reason"]),
        bool(saved["normalized"]),
        bool(saved["zero_bit"]),
        str(saved["bias"]),
        tuple(map(str, saved["notes"])),
    )
    if saved["estimated"] is None:
        return plan
    weights, rows = (tuple(saved["estimated"][name]) for name in ("weights", "rows"))
    return with_weights(plan, EstimatedMasses(tuple(map(float, weights)), tuple(map(int, rows))))


def _types_to_dict(types: ColumnTypes | None) -> dict[str, Any] | None:
    return None if types is None else {field.name: getattr(types, field.name) for field in fields(types)}


def _types_from_dict(saved: dict[str, Any] | None) -> ColumnTypes | None:
    """The types that were recorded; None in a map of version 0.1, which has none."""
    if saved is None:
        return None
    whole, boolean, text, category, unknown = (
        tuple(map(int, saved[name])) for name in ("whole", "boolean", "text", "category", "unknown")
    )
    return ColumnTypes(whole, boolean, text, category, unknown, saved["missing"])


def _candidate_to_dict(candidate: Candidate) -> dict[str, Any]:
    return {
        "form": candidate.form,
        "mixture": candidate.mixture,
        "counts": list(candidate.counts),
        "variance": candidate.variance,
        "schemes": list(candidate.schemes),
        "is_sparse": candidate.is_sparse,
        "is_complex": candidate.is_complex,
        "work": candidate.work,
        "error": candidate.error,
    }


def _candidate_from_dict(saved: dict[str, Any]) -> Candidate:
    if saved["form"] not in FORMS or not {*saved["schemes"]} <= {None, *SCHEMES}:
        raise ValueError(f"there is no form {saved['form']!r}, or no scheme in {saved['schemes']!r}")
    return Candidate(
        saved["form"],
        bool(saved["mixture"]),
        tuple(map(int, saved["counts"])),
        float(saved["variance"]),
        tuple(saved["schemes"]),
        bool(saved["is_sparse"]),
        bool(saved["is_complex"]),
        float(saved["work"]),
        None if saved["error"] is None else float(saved["error"]),
    )
