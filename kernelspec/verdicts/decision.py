"""The verdict on a kernel: its normal form as a sum, and the rules in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from kernelspec.elaboration.operators import weighted_terms
from kernelspec.elaboration.scope import Columns, range_of, uses_dimension
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import ParameterError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.elementary import holds, known_sign
from kernelspec.expressions.interval import Interval
from kernelspec.kernels.kernel import Kernel, Verdict, Witness, all_parts
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.language import nodes
from kernelspec.loading import load_from, loaded
from kernelspec.tables.cells import ColumnFunction

if TYPE_CHECKING:
    from kernelspec.verdicts.rules import Question, Rule
    from kernelspec.verdicts.witness import Points

__all__ = ["RULES", "UNDECIDED", "by_dimension", "decide", "decided", "rules"]

RULES: Mapping[str, str] = MappingProxyType(
    {
        "expansion": "kernelspec.verdicts.rules:by_expansion",
        "indicators": "kernelspec.verdicts.terms_apart:by_indicators",
        "monomials": "kernelspec.verdicts.inner_products:by_monomials",
        "powers": "kernelspec.verdicts.inner_products:by_powers",
        "waves": "kernelspec.verdicts.terms_apart:by_waves",
        "harmonics": "kernelspec.verdicts.rules:by_harmonics",
        "negative_atoms": "kernelspec.verdicts.rules:by_negative_atoms",
        "parts": "kernelspec.verdicts.rules:by_parts",
        "common_factor": "kernelspec.verdicts.rules:by_common_factor",
        "densities": "kernelspec.verdicts.rules:by_densities",
        "exact_signs": "kernelspec.verdicts.exact_signs:by_exact_signs",
        "quotient": "kernelspec.verdicts.bounds:by_quotient",
        "edges": "kernelspec.verdicts.bounds:by_edges",
        "more_digits": "kernelspec.verdicts.rules:by_more_digits",
        "formula": "kernelspec.verdicts.terms_apart:by_formula",
        "negative_frequency": "kernelspec.verdicts.rules:by_negative_frequency",
        "closed_densities": "kernelspec.verdicts.rules:by_closed_densities",
        "bounds": "kernelspec.verdicts.bounds:by_bounds",
    }
)
"""Name → "module:function"."""


def rules() -> Iterator[Rule]:
    """The rules; a module is imported when its rule is first needed."""
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
    """Whether the kernel is positive definite on the given columns, and why.

    The verdicts of the nodes come first; then the rules of the catalogue, with exact numbers; then rows of numbers,
    including a comparison of k(x, y) with k(y, x). If the number of columns is unknown, rules are applied for 1, 2, …
    columns, and rows of 1, 2 and 3 columns are tried: a kernel that fails on any is disproved. SymPy is needed for
    symbols, and if an answer depends on exact numbers: signs, periods and directions. Raises SpecError.
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
    is_mapped = spec.mapped(columns) is not columns
    if is_mapped:  # points are values of the functions so far, not rows of the table
        witness = None if verdict.witness is None else replace(verdict.witness, points=None, eigenvalue=None)
        verdict = replace(verdict, reasons=(*verdict.reasons, _OF_FUNCTIONS), witness=witness)
        if verdict.positive_definite == "disproved" and verdict.symmetric is not False:
            verdict = _of_rows(verdict, spec, columns)
    is_shown = verdict.witness is not None and not is_mapped
    if verdict.positive_definite == "disproved" and verdict.symmetric is not False and not is_shown:
        verdict = _with_few_rows(verdict, spec, columns)
    if verdict.positive_definite == "proved" and None in spec.params.values():
        verdict = _with_noise(verdict, spec.symbolic(columns).noise, _ranges(spec))
    return replace(verdict, reasons=tuple(dict.fromkeys(verdict.reasons)))


def _with_noise(verdict: Verdict, variance: Scalar, ranges: Mapping[str, _Ends]) -> Verdict:
    """The verdict beside observation noise, or unknown if its variance may be negative."""
    if holds(variance >= 0) or enclosed(variance, ranges)[0] >= 0:
        return verdict
    reason = f"the variance {variance} of noise() may be negative: give its parameters a range, as in param v >= 0"
    return replace(verdict, positive_definite="unknown", reasons=(*verdict.reasons, reason), steps=())


_OF_FUNCTIONS = (
    "functions of columns: k(g(x), g(y)) is positive definite when k is; all answers are about k at any values of g(x)"
)


def _of_rows(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    """The verdict, or unknown if it uses values that no row has: several functions of one column
    depend on each other.
    """
    sources = spec.symbolic(columns).sources
    reads = [own.reads() | own.compares() if isinstance(own, ColumnFunction) else frozenset({own}) for own in sources]
    if sum(map(len, reads)) == len(frozenset().union(*reads)):
        return verdict
    from kernelspec.verdicts.witness import negative_on_table

    try:
        found = negative_on_table(spec, columns)
    except SpecError:  # a free parameter, or a number learned from data
        found = None
    if found is not None:
        return replace(verdict, reasons=(*verdict.reasons, found), witness=None)
    reason = (
        "several functions of one column are dependent: the kernel is not positive definite at all combinations of "
        "their values, and no rows were found that disprove it"
    )
    return replace(verdict, positive_definite="unknown", reasons=(*verdict.reasons, reason), witness=None, steps=())


def decided(question: Question) -> Verdict:
    """The verdict of the nodes, or the proof of the first rule that decides."""
    verdict = question.kernel.verdict()
    if verdict.positive_definite != "unknown" or verdict.symmetric is False:
        return verdict
    for rule in rules():
        found = rule(question)
        if found is None or found.positive_definite == "unknown":
            verdict = verdict if found is None else replace(verdict, reasons=(*verdict.reasons, *found.reasons))
            continue
        known = tuple(reason for reason in verdict.reasons if not reason.endswith(UNDECIDED))
        proved = found.positive_definite == "proved"
        return replace(
            verdict,
            positive_definite=found.positive_definite,
            reasons=(*known, *found.reasons),
            symmetric=True if proved else verdict.symmetric,
            witness=None if found.frequency is None else Witness(found.frequency),
            steps=found.steps,
        )
    return verdict


def _by_rules(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    from kernelspec.verdicts.rules import Question

    question = Question(spec.symbolic_kernel(columns))
    found = decided(question)
    if found.positive_definite == "unknown" and None in spec.params.values():
        found = _in_ranges(found, spec, question.expanded)
    if found.positive_definite == "unknown" and columns.count is None:
        return by_dimension(spec, verdict, lambda kernel: decided(Question(kernel)))
    if found.witness is None or found.witness.frequency is None:
        return replace(verdict, reasons=found.reasons) if found.positive_definite == "unknown" else found
    return _with_points(found, spec, columns, found.witness.frequency)


def _in_ranges(verdict: Verdict, spec: ValuedProgram, kernel: Kernel) -> Verdict:
    """The verdict, proved if all terms are kernels and no weight is negative for free parameters in their ranges."""
    terms, ranges = weighted_terms(kernel), _ranges(spec)
    parts = [term.verdict() for _, term in terms]
    if any(own.positive_definite != "proved" for own in parts):
        return verdict
    if not all(known_sign(w) in (0, 1) or enclosed(w, ranges)[0] >= 0 for w, _ in terms):
        return verdict
    reasons = (*(reason for own in parts for reason in own.reasons), _IN_RANGES)
    return replace(verdict, positive_definite="proved", reasons=reasons)


def _ranges(spec: ValuedProgram) -> dict[str, _Ends]:
    """The ranges of the parameters, but vectors."""
    lines = [line for line in spec.program.statements if isinstance(line, nodes.Param) and line.length is None]
    return {line.name: range_of(line) for line in lines}


_IN_RANGES = (
    "sum with weights that are nonnegative on the ranges of its parameters: positive definite when every term is"
)


_Ends: TypeAlias = tuple[Fraction | float, Fraction | float]  # the ends of an interval, exact or infinite

_ANY: _Ends = (-math.inf, math.inf)


def enclosed(number: Any, ranges: Mapping[str, _Ends]) -> _Ends:
    """An interval that holds an expression in SymPy, for symbols in their ranges; all numbers if none is known.

    Sums, products and whole powers are exact, so that 1 − w ≥ 0 for w in [0, 1]; other functions are rounded outwards.
    """
    if isinstance(number, int | float | Fraction):
        return (Fraction(number), Fraction(number)) if math.isfinite(number) else _ANY
    if number.is_Rational:
        value = Fraction(int(number.p), int(number.q))
        return value, value
    if number.is_Symbol:
        return ranges.get(number.name, _ANY)
    parts = [enclosed(own, ranges) for own in number.args]
    if number.is_Add:
        return sum(low for low, _ in parts), sum(high for _, high in parts)
    if number.is_Mul:
        return reduce(_product, parts)
    if number.is_Pow and number.exp.is_Integer and number.exp > 0:
        low, high = reduce(_product, [parts[0]] * min(int(number.exp), _LARGEST_POWER))
        even = number.exp % 2 == 0 or parts[0][0] >= 0
        return (max(low, Fraction(0)) if even else low, high) if number.exp <= _LARGEST_POWER else _ANY
    name = number.func.__name__
    if name in ("exp", "log", "Pow") and parts and (name == "exp" or parts[0][0] >= 0):
        x, *exponent = (Interval(_down(low), -_down(-high)) for low, high in parts)
        own = x.exp() if name == "exp" else x.power(*exponent) if exponent else x.log()
        low, high = (Fraction(end) if math.isfinite(end) else end for end in (own.low, own.high))
        return low, high
    return _ANY


_LARGEST_POWER = 20


def _product(one: _Ends, other: _Ends) -> _Ends:
    ends = [a * b if a and b else Fraction(0) for a in one for b in other]  # an infinite end is not attained
    return min(ends), max(ends)


def _down(end: Fraction | float) -> float:
    """A float at or below an end."""
    return Interval.of(end).low if isinstance(end, Fraction) else end


def _with_points(verdict: Verdict, spec: ValuedProgram, columns: Columns, frequency: tuple[float, ...]) -> Verdict:
    from kernelspec.verdicts.witness import points_against

    try:
        found = points_against(spec.numeric_kernel(columns), frequency)
    except SpecError:
        return verdict
    if found is None:
        reason = "no set of points that was tried shows it beyond rounding: the proof is that of the spectral measure"
        return replace(verdict, reasons=(*verdict.reasons, reason))
    return _shown(verdict, found, frequency)


def _shown(verdict: Verdict, found: Points, frequency: tuple[float, ...] | None) -> Verdict:
    reason = f"the kernel matrix of the rows {found.words} has the eigenvalue {found.eigenvalue:.3g} < 0"
    witness = Witness(frequency, found.rows, found.eigenvalue)
    steps = verdict.steps + found.steps
    return replace(verdict, reasons=(*verdict.reasons, reason), witness=witness, steps=steps)


def _with_few_rows(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    from kernelspec.verdicts.witness import few_rows_against

    try:
        found = few_rows_against(spec, columns) if columns.count is not None else None
    except SpecError:  # a free parameter, or a number learned from data
        return verdict
    frequency = None if verdict.witness is None else verdict.witness.frequency
    return verdict if found is None else _shown(verdict, found, frequency)


def _with_evidence(verdict: Verdict, spec: ValuedProgram, columns: Columns) -> Verdict:
    """Numerical evidence that proves nothing."""
    from kernelspec.verdicts.witness import evidence

    try:
        found = evidence(spec.numeric_kernel(columns))
    except SpecError:
        return verdict
    return replace(verdict, reasons=(*verdict.reasons, found))


def _kernel(spec: ValuedProgram, columns: Columns) -> Kernel:
    """The kernel in numbers if there are only numbers, else in symbols."""
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
    """Whether rounded floats might give a wrong answer.

    If all numbers are positive none of them cancel, and without translations no answer depends on their values.
    """
    moved = any(isinstance(part, loaded(*_MOVED)) for part in all_parts(kernel))
    return moved or any(_may_cancel(part) for part in spec.program.parts()) or any(v < 0 for _, v in spec.numbers)


def _may_cancel(part: nodes.Node) -> bool:
    if isinstance(part, nodes.Call):
        return part.function in _OF_ANY_SIGN
    return isinstance(part, nodes.Negation) or (isinstance(part, nodes.Sum) and "-" in part.operators)


def _tried(verdict: Verdict, spec: ValuedProgram, columns: Columns, where: str) -> Verdict:
    """The verdict, disproved if rows of numbers do so, provided that the kernel is defined on these columns."""
    from kernelspec.verdicts.witness import asymmetry, negative_density, negative_eigenvalue

    try:
        kernel = spec.numeric_kernel(columns)
        turned = asymmetry(kernel) if verdict.symmetric is None else None
        is_open = turned is None and verdict.positive_definite == "unknown"
        witness = negative_eigenvalue(kernel) or negative_density(kernel) if is_open else turned
    except SpecError:  # a free parameter, or a selection undefined on so few columns
        return verdict
    if witness is None:
        return verdict
    symmetric = False if turned is not None else verdict.symmetric
    reasons = (*verdict.reasons, where + witness)
    return replace(verdict, positive_definite="disproved", reasons=reasons, symmetric=symmetric)


UNDECIDED = "no rule decides it"
"""The end of a reason that says so."""

_LARGEST = 256


def by_dimension(spec: ValuedProgram, verdict: Verdict, decided: Callable[[Kernel], Verdict]) -> Verdict:
    """The verdict for an unknown number of columns, from those for 1, 2, 4, … columns, by bisection.

    With constant columns added or removed, a kernel on d + 1 columns is the one on d: proofs for d hold for fewer, and
    failures for more. Not used if d is part of the spec, or columns are selected.
    """
    if uses_dimension(spec.program):
        return verdict
    low, high, failed = 0, 1, None
    while high <= _LARGEST and failed is None:
        found = _on(spec, high, decided)
        if found is None or found.positive_definite == "unknown":
            return verdict
        if found.positive_definite == "disproved":
            failed = found
        else:
            low, high = high, 2 * high
    if failed is None:
        reason = f"proved for d = 1, …, {low}: {'; '.join(_new(_on(spec, low, decided), verdict))}"
        return replace(verdict, reasons=(*_known(verdict), reason))
    while high - low > 1:
        middle = (low + high) // 2
        found = _on(spec, middle, decided)
        if found is None or found.positive_definite == "unknown":
            break
        if found.positive_definite == "disproved":
            high, failed = middle, found
        else:
            low = middle
    return _stated(verdict, low, high, failed)


def _stated(verdict: Verdict, low: int, high: int, failed: Verdict) -> Verdict:
    why = f"with {Columns(high).counted()}: {'; '.join(_new(failed, verdict))}"
    which = f"positive definite for d ≤ {low} columns, and not from d = {high} on"
    which += "" if low == high - 1 else ": between, no rule decides it"
    stated = (*_known(verdict), which, why) if low > 0 else (*_known(verdict), why)
    frequency = None if failed.witness is None else failed.witness.frequency
    return replace(
        verdict,
        positive_definite="disproved",
        reasons=stated,
        witness=None if frequency is None else Witness(frequency),
        most_columns=low or None,
    )


def _on(spec: ValuedProgram, dim: int, decided: Callable[[Kernel], Verdict]) -> Verdict | None:
    try:
        kernel = spec.symbolic_kernel(Columns(dim))
    except SpecError:
        return None
    if any(isinstance(part, Select | Stretch) for part in kernel.parts()):
        return None
    return decided(kernel)


def _new(found: Verdict | None, verdict: Verdict) -> list[str]:
    return [] if found is None else [reason for reason in found.reasons if reason not in verdict.reasons]


def _known(verdict: Verdict) -> tuple[str, ...]:
    return tuple(reason for reason in verdict.reasons if not reason.endswith(UNDECIDED))
