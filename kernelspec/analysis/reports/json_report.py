"""All facts about a kernel as JSON data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import text_of
from kernelspec.analysis.variances.dual_nodes import number
from kernelspec.analysis.variances.skeletons import skeleton_to_dict

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.kernels.verdict import Verdict
    from kernelspec.spectrum.masses import Masses

__all__ = ["facts_to_dict", "verdict_to_dict"]


def facts_to_dict(facts: Facts) -> dict[str, Any]:
    """All facts as JSON data; expressions as SymPy's text, what does not exist as null with the reason beside it."""
    measure, no_measure = answer_or_reason(lambda: text_of(facts.spectral_measure))
    density, no_density = answer_or_reason(lambda: text_of(facts.spectral_density))
    moment, _ = answer_or_reason(lambda: text_of(facts.second_moment))
    masses, no_masses = answer_or_reason(lambda: _masses_to_dict(facts.masses))
    norm, _ = answer_or_reason(lambda: number(facts.norm))
    composition, _ = answer_or_reason(lambda: facts.composition)
    nodes, _ = answer_or_reason(lambda: [node.to_dict() for node in facts.dual_nodes])
    skeletons, _ = answer_or_reason(lambda: [skeleton_to_dict(skeleton) for skeleton in facts.skeletons])
    atoms, _ = answer_or_reason(lambda: _atoms_to_dict(facts))
    return {
        "spec": str(facts.spec),
        "columns": facts.columns.names or facts.columns.count,
        "verdict": verdict_to_dict(facts.verdict),
        "kernel": text_of(facts.kernel),
        "k0": text_of(facts.k0),
        "spectral_measure": measure,
        "spectral_density": density,
        "no_spectral_measure": no_measure,
        "no_spectral_density": no_density,
        "atoms": atoms,
        "second_moment": {"oo": "infinite", "nan": None}.get(str(moment), moment),
        "masses": masses,
        "no_masses": no_masses,
        "mean": None if facts.mean is None else text_of(facts.mean),
        "polya": None if facts.polya is None else {name: text_of(value) for name, value in vars(facts.polya).items()},
        "norm": norm,
        "composition": None if composition is None else {key: number(size) for key, size in vars(composition).items()},
        "dual_nodes": nodes,
        "skeletons": skeletons,
        "variance": {name: text_of(value) for name, value in facts.variance.items()},
    }


def verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON data."""
    return {
        "positive_definite": verdict.positive_definite,
        "symmetric": verdict.symmetric,
        "stationary": verdict.stationary,
        "reasons": list(verdict.reasons),
    }


def _atoms_to_dict(facts: Facts) -> dict[str, Any] | None:
    atoms = facts.atoms
    if atoms is None:
        return None
    return {"points": atoms.points.tolist(), "weights": atoms.weights.tolist(), "omitted": atoms.omitted}


def _masses_to_dict(masses: Masses) -> dict[str, Any]:
    exact = {name: text_of(value) for name, value in vars(masses).items() if name not in ("error", "is_random")}
    return exact | {"error": masses.error, "is_random": masses.is_random}
