"""Sums of products multiplied out, and the numbers of columns for which a kernel is positive definite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from kernelspec.elaboration.operators import weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns, uses_dimension
from kernelspec.errors import SpecError
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel, Verdict, Witness
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.sum import Sum

if TYPE_CHECKING:
    from kernelspec.elaboration.valued_program import ValuedProgram

__all__ = ["UNDECIDED", "by_dimension", "expanded"]

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
