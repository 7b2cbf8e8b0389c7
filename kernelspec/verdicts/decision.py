"""The verdict on a spec, with as little machinery as the question allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.elaboration.scope import Columns, uses_dimension
from kernelspec.errors import ParameterError, SpecError
from kernelspec.kernels.kernel import Witness, all_parts
from kernelspec.language import nodes
from kernelspec.loading import load_from, loaded

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.kernels.kernel import Kernel, Verdict
    from kernelspec.verdicts.rules import Question, Rule

__all__ = ["RULES", "decide", "decided", "rules"]

RULES: Mapping[str, str] = MappingProxyType(
    {
        "expansion": "kernelspec.verdicts.rules:by_expansion",
        "parts": "kernelspec.verdicts.rules:by_parts",
        "common_factor": "kernelspec.verdicts.rules:by_common_factor",
        "densities": "kernelspec.verdicts.rules:by_densities",
        "exact_signs": "kernelspec.verdicts.exact_signs:by_exact_signs",
        "negative_frequency": "kernelspec.verdicts.rules:by_negative_frequency",
        "closed_densities": "kernelspec.verdicts.rules:by_closed_densities",
    }
)
"""Name → "module:function"."""


def rules() -> Iterator[Rule]:
    """The rules; a module is imported when its rule is first asked."""
    for name in RULES:
        yield load_from(RULES[name])


_TRIED = (1, 2, 3)

_OF_ANY_SIGN = ("sin", "cos", "log")

_MOVED = (
    "kernelspec.kernels.nodes.columns_and_lags:Shift",
    "kernelspec.kernels.nodes.columns_and_lags:Tilt",
    "kernelspec.kernels.leaves.gaussian_directions:GaussianDirection",
)
"""Kernels with a translation."""


def decide(spec: ValuedProgram, columns: Columns) -> Verdict:
    """Whether the kernel is positive definite on the columns given, and why.

    The verdicts of the nodes first; what they leave open is asked of the rules in the catalogue, with exact numbers,
    and then tried on rows of numbers, k(x, y) against k(y, x) too. Where the number of columns is not known, rules are
    asked for 1, 2, … columns, and 1, 2 and 3 columns are tried: a kernel that fails there is disproved. SymPy is
    needed where something is a symbol, and where an answer depends on exact numbers: signs, periods and directions.
    Raises SpecError.
    """
    verdict = _kernel(spec, columns).verdict()
    if verdict.positive_definite == "unknown" and verdict.symmetric is not False:
        verdict = _by_rules(verdict, spec, columns)
    for tried in [columns] if columns.count is not None else map(Columns, _TRIED):
        if verdict.positive_definite != "unknown" and verdict.symmetric is not None:
            break
        verdict = _tried(verdict, spec, tried, "" if tried is columns else f"with {tried.counted()}: ")
    if verdict.positive_definite == "unknown" and columns.count is not None:
        verdict = _with_evidence(verdict, spec, columns)
    return replace(verdict, reasons=tuple(dict.fromkeys(verdict.reasons)))


def decided(question: Question) -> Verdict:
    """The verdict of the nodes, or what the first rule that decides proves."""
    verdict = question.kernel.verdict()
    if verdict.positive_definite != "unknown" or verdict.symmetric is False:
        return verdict
    from kernelspec.verdicts.expansion import UNDECIDED

    for rule in rules():
        found = rule(question)
        if found is None:
            continue
        known = tuple(reason for reason in verdict.reasons if not reason.endswith(UNDECIDED))
        proved = found.positive_definite == "proved"
        return replace(
            verdict,
            positive_definite=found.positive_definite,
            reasons=(*known, *found.reasons),
            symmetric=True if proved else verdict.symmetric,
            witness=None if found.frequency is None else Witness(found.frequency),
        )
    return verdict


def _by_rules(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    from kernelspec.verdicts.expansion import by_dimension
    from kernelspec.verdicts.rules import Question

    found = decided(Question(spec.symbolic_kernel(columns)))
    if found.positive_definite == "unknown" and columns.count is None:
        return by_dimension(spec, verdict, lambda kernel: decided(Question(kernel)))
    if found.witness is None or found.witness.frequency is None:
        return verdict if found.positive_definite == "unknown" else found
    return _with_points(found, spec, columns, found.witness.frequency)


def _with_points(verdict: Verdict, spec: ValuedProgram, columns: Columns, frequency: tuple[float, ...]) -> Verdict:
    from kernelspec.verdicts.witness import points_against

    try:
        found = points_against(spec.numeric_kernel(columns), frequency)
    except SpecError:
        return verdict
    if found is None:
        reason = "no set of points that was tried shows it beyond rounding: the proof is that of the spectral measure"
        return replace(verdict, reasons=(*verdict.reasons, reason))
    reason = f"the kernel matrix of the rows {found.words} has the eigenvalue {found.eigenvalue:.3g} < 0"
    rows = tuple(tuple(map(float, row)) for row in found.rows)
    witness = Witness(frequency, rows, found.eigenvalue)
    return replace(verdict, reasons=(*verdict.reasons, reason), witness=witness)


def _with_evidence(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    """What was found in numbers that proves nothing."""
    from kernelspec.verdicts.witness import evidence

    try:
        found = evidence(spec.numeric_kernel(columns))
    except SpecError:
        return verdict
    return replace(verdict, reasons=(*verdict.reasons, found))


def _kernel(spec: ValuedProgram, columns: Columns) -> Kernel:
    """The kernel in numbers where there are only numbers, else in symbols."""
    if columns.count is not None or not uses_dimension(spec.program):
        try:
            kernel = spec.numeric_kernel(columns)
            return spec.symbolic_kernel(columns) if _needs_exact_numbers(spec, kernel) else kernel
        except ParameterError:
            pass
        except SpecError:
            if columns.count is not None:
                raise
    return spec.symbolic_kernel(columns)


def _needs_exact_numbers(spec: ValuedProgram, kernel: Kernel) -> bool:
    """Whether floats might be taken for the numbers they were rounded from.

    Where all numbers are positive none of them cancel, and without translations no answer depends on their values.
    """
    moved = any(isinstance(part, loaded(*_MOVED)) for part in all_parts(kernel))
    return moved or any(_may_cancel(part) for part in spec.program.parts()) or any(v < 0 for _, v in spec.values)


def _may_cancel(part: nodes.Node) -> bool:
    if isinstance(part, nodes.Call):
        return part.function in _OF_ANY_SIGN
    return isinstance(part, nodes.Negation) or (isinstance(part, nodes.Sum) and "-" in part.operators)


def _tried(verdict: Verdict, spec: ValuedProgram, columns: Columns, where: str) -> Verdict:
    """The verdict with what rows of numbers disprove, if the kernel has a meaning on these columns."""
    from kernelspec.verdicts.witness import asymmetry, find_witness

    try:
        kernel = spec.numeric_kernel(columns)
        turned = asymmetry(kernel) if verdict.symmetric is None else None
        witness = turned or (find_witness(kernel) if verdict.positive_definite == "unknown" else None)
    except SpecError:  # a free parameter, or a selection that has no meaning on so few columns
        return verdict
    if witness is None:
        return verdict
    symmetric = False if turned is not None else verdict.symmetric
    reasons = (*verdict.reasons, where + witness)
    return replace(verdict, positive_definite="disproved", reasons=reasons, symmetric=symmetric)
