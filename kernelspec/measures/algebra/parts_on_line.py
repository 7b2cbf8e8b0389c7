"""Kernels on a line as sums of products of what the algebra has in pieces and of what is analytic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from kernelspec.measures.algebra.analytic_series import is_analytic
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral

__all__ = ["Parts", "breakpoints", "parts_of"]

_NUMBERS = ExactNumbers()


@dataclass(frozen=True)
class Parts:
    """A kernel on a line as Σ w ∏ of what the algebra knows in pieces, and of leaves that are analytic everywhere.

    `terms` are pairs of a weight and factors; a factor is a `Member`, or a leaf with the places it is seen at:
    (kernel, scale, shift) for kernel(scale·t + shift).
    """

    terms: tuple[tuple[Any, tuple[Any, ...]], ...]


def parts_of(measure: Measure) -> Parts:
    """The parts of a measure on one column. Raises NotClosed for a kernel that is neither in pieces nor analytic."""
    return Parts(tuple(_terms(measure)))


def breakpoints(parts: Parts) -> set[Any]:
    """The points at which some piece begins or ends."""
    return {
        end
        for _, factors in parts.terms
        for factor in factors
        if isinstance(factor, Member) and factor.lag is not None
        for piece in factor.lag.pieces
        for end in (piece.low, piece.high)
        if end is not None
    }


def _terms(measure: Measure) -> list[tuple[Any, tuple[Any, ...]]]:
    import sympy

    try:
        return [(sympy.S.One, (member,)) for member in line_members(measure, _NUMBERS)]
    except NotClosed as error:
        match measure:
            case Spectral() if is_analytic(measure.kernel):
                return [(sympy.S.One, ((measure.kernel, sympy.S.One, sympy.S.Zero),))]
            case Embedding():
                return _terms(measure.part)
            case Mixture():
                pairs = zip(measure.weights, measure.parts, strict=True)
                return [(sympy.S(w) * v, factors) for w, part in pairs for v, factors in _terms(part)]
            case Convolution():
                return reduce(_products, (_terms(part) for part in _grouped(measure)))
            case Shifted():
                return [(w, tuple(_moved(f, 1, measure.by[0]) for f in factors)) for w, factors in _terms(measure.part)]
            case PushForward():
                scale = measure.matrix
                while isinstance(scale, tuple):
                    (scale,) = scale
                return [(w, tuple(_moved(f, scale, 0) for f in factors)) for w, factors in _terms(measure.part)]
        raise error


def _grouped(measure: Convolution) -> list[Measure]:
    """The factors, those in pieces together: their kinks may meet and cancel."""
    known: list[Measure] = []
    others: list[Measure] = []
    for part in measure.parts:
        try:
            line_members(part, _NUMBERS)
        except NotClosed:
            others.append(part)
        else:
            known.append(part)
    try:
        line_members(Convolution(tuple(known)), _NUMBERS) if known else None
    except NotClosed:
        return [*known, *others]
    return [*([Convolution(tuple(known))] if known else []), *others]


def _products(left: list[Any], right: list[Any]) -> list[Any]:
    return [(v * w, (*p, *q)) for v, p in left for w, q in right]


def _moved(factor: Any, scale: Any, by: Any) -> Any:
    """The factor at scale·t + by."""
    import sympy

    scale, by = sympy.S(scale), sympy.S(by)
    if not isinstance(factor, Member):
        kernel, own, shift = factor
        return (kernel, own * scale, shift + own * by)
    if factor.frequency is not None:
        raise NotClosed("a kernel known by its density, moved beside one that is not in pieces")
    lag = factor.lag
    return Member(None if lag is None else (lag.shifted(by) if scale == 1 else lag.stretched(scale)))
