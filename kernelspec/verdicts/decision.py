"""The verdict on a kernel: its normal form as a sum, and the rules asked in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns, uses_dimension
from kernelspec.errors import ParameterError, SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel, Verdict, Witness, all_parts
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.language import nodes
from kernelspec.loading import load_from, loaded

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram
    from kernelspec.verdicts.rules import Question, Rule

__all__ = ["RULES", "UNDECIDED", "by_dimension", "decide", "decided", "expanded", "rules"]

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
    if spec.mapped(columns) is not columns:
        verdict = replace(verdict, reasons=(*verdict.reasons, _OF_FUNCTIONS))
    return replace(verdict, reasons=tuple(dict.fromkeys(verdict.reasons)))


_OF_FUNCTIONS = (
    "functions of columns: k(g(x), g(y)) is positive definite when k is; all answers are about k at any values of g(x)"
)


def decided(question: Question) -> Verdict:
    """The verdict of the nodes, or what the first rule that decides proves."""
    verdict = question.kernel.verdict()
    if verdict.positive_definite != "unknown" or verdict.symmetric is False:
        return verdict
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


_MOST_TERMS = 400

Terms = list[tuple[Scalar, tuple[Kernel, ...]]]


def expanded(kernel: Kernel) -> Kernel:
    """The kernel as a weighted sum of products without sums, equal terms merged; itself where that is too long.

    Catalogue kernels whose product is one again are fused, also on some of the columns and stretched.
    """
    terms = _terms(kernel)
    if terms is None:
        return kernel
    products = [(weight, _product(factors, kernel)) for weight, factors in terms]
    return weighted_sum(products, Columns(kernel.dim), kernel.span)


def _terms(kernel: Kernel) -> Terms | None:
    match kernel:
        case Sum():
            found: Terms = []
            for weight, term in weighted_terms(kernel):
                inner = _terms(term)
                if inner is None:
                    return None
                found += [(weight * own, factors) for own, factors in inner]
            return found if len(found) <= _MOST_TERMS else None
        case Product():
            return _multiplied([_terms(factor) for factor in kernel.factors])
        case Power():
            return _multiplied([_terms(kernel.base)] * kernel.exponent)
        case Select():
            return _within(kernel, _terms(kernel.base))
        case Stretch():
            return _within(kernel, _terms(kernel.base))
    return [(1, (kernel.simplest() if isinstance(kernel, Leaf) else kernel,))]


def _multiplied(factors: list[Terms | None]) -> Terms | None:
    found: Terms = [(1, ())]
    for terms in factors:
        if terms is None or len(found) * len(terms) > _MOST_TERMS:
            return None
        found = [(v * w, (*left, *right)) for v, left in found for w, right in terms]
    return found


def _within(outer: Select | Stretch, terms: Terms | None) -> Terms | None:
    """The terms of a kernel on some columns, or of stretched columns, each factor so."""
    if terms is None:
        return None
    return [(w, tuple(_placed(outer, factor) for factor in factors)) for w, factors in terms]


def _placed(outer: Select | Stretch, factor: Kernel) -> Kernel:
    if isinstance(outer, Select):
        return Select(base=factor, positions=outer.positions, dim=outer.dim, span=outer.span)
    return Stretch(base=factor, matrix=outer.matrix, dim=outer.dim, span=outer.span)


def _product(factors: tuple[Kernel, ...], whole: Kernel) -> Kernel:
    fused: list[Kernel] = []
    for factor in factors:
        for i, other in enumerate(fused):
            joint = _fused(other, factor)
            if joint is not None:
                fused[i] = joint
                break
        else:
            fused.append(factor)
    return fused[0] if len(fused) == 1 else Product(factors=tuple(fused), dim=whole.dim, span=whole.span)


def _fused(left: Kernel, right: Kernel) -> Kernel | None:
    """The catalogue kernel equal to the product of two, where there is one."""
    if isinstance(left, Stationary) and isinstance(right, Stationary):
        return left.fuse(right)
    if isinstance(left, Leaf) and left == right and left.compares_categories:
        return left  # match() is its own square
    for kind in (Select, Stretch):
        if isinstance(left, kind) and isinstance(right, kind) and _place(left) == _place(right):
            joint = _fused(left.base, right.base)
            return None if joint is None else _placed(left, joint)
    return None


def _place(kernel: Select | Stretch) -> object:
    return kernel.positions if isinstance(kernel, Select) else kernel.matrix


UNDECIDED = "no rule decides it"
"""How a reason ends that says so."""

_LARGEST = 256


def by_dimension(spec: ValuedProgram, verdict: Verdict, decided: Callable[[Kernel], Verdict]) -> Verdict:
    """The verdict for an unknown number of columns, from those for 1, 2, 4, … columns, by halving.

    With constant columns added or left out, a kernel on d + 1 columns is that on d: what holds for d holds for fewer,
    and what fails fails for more. Not asked where d is part of the spec, or columns are selected.
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
    if low == high - 1 and low > 0:
        which = f"positive definite for d ≤ {low} columns, and not from d = {high} on"
    else:
        which = f"positive definite for d ≤ {low} columns, and not from d = {high} on: between, no rule decides it"
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
