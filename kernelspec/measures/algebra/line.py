"""Measures on the line as sums of products: a piecewise function of the lag times one of the frequency."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.frequency_convolution import convolved
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.members import pieces_of
from kernelspec.measures.algebra.piece import NotClosed, Piece
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral

__all__ = ["line_members"]

_MOST_TERMS = 16


def line_members(measure: Measure, numbers: Coefficients) -> tuple[Member, ...]:
    """The members whose sum is the kernel of a measure on one column, each a product of what it has of the two.

    Raises NotClosed where a factor is neither.
    """
    match measure:
        case Spectral() | Directional():
            return (pieces_of(measure.kernel, numbers),)
        case ComplexFrequency():
            member = pieces_of(measure.kernel, numbers)
            if member.lag is None:
                raise NotClosed("a density that is tilted")
            return (Member(member.lag.tilted(numbers.number(measure.by[0]))),)
        case Shifted():
            by = numbers.number(measure.by[0])
            return tuple(_shifted(member, by, numbers) for member in line_members(measure.part, numbers))
        case PushForward():
            scale = measure.matrix
            while isinstance(scale, tuple):
                (scale,) = scale
            factor = numbers.number(scale)
            return tuple(_stretched(member, factor) for member in line_members(measure.part, numbers))
        case Embedding():
            return line_members(measure.part, numbers)
        case Mixture():
            parts = zip(measure.parts, measure.weights, strict=True)
            terms = [
                _scaled(member, numbers.number(weight))
                for part, weight in parts
                for member in line_members(part, numbers)
            ]
            return _collected(terms)
        case Convolution():
            return reduce(_product, (line_members(part, numbers) for part in measure.parts))
    raise NotClosed(f"{measure.describe()} has no pieces")


def _product(left: tuple[Member, ...], right: tuple[Member, ...]) -> tuple[Member, ...]:
    found = [
        Member(
            a.lag * b.lag if a.lag and b.lag else a.lag or b.lag,
            convolved(a.frequency, b.frequency) if a.frequency and b.frequency else a.frequency or b.frequency,
        )
        for a in left
        for b in right
    ]
    return _collected(found)


def _collected(terms: Iterable[Member]) -> tuple[Member, ...]:
    """The terms with those added that are pieces of one kind."""
    lags = frequencies = None
    mixed = []
    for term in terms:
        if term.frequency is None and term.lag is not None:
            lags = term.lag if lags is None else lags + term.lag
        elif term.lag is None and term.frequency is not None:
            frequencies = term.frequency if frequencies is None else frequencies + term.frequency
        else:
            mixed.append(term)
    found = tuple(
        member for member in (Member(lags), Member(None, frequencies), *mixed) if member.lag or member.frequency
    )
    if len(found) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return found


def _scaled(member: Member, weight: Any) -> Member:
    if member.lag is not None:
        return Member(member.lag.scaled(weight), member.frequency)
    return Member(None, None if member.frequency is None else member.frequency.scaled(weight))


def _shifted(member: Member, by: Any, numbers: Coefficients) -> Member:
    """k(t + r): the density times e^{irω}."""
    frequency = member.frequency
    if frequency is not None:
        zero = 0 * by
        wave = Piecewise.of([Piece(None, None, (zero + 1,), zero, zero, zero, zero, by)], numbers)
        frequency = frequency * wave
    return Member(None if member.lag is None else member.lag.shifted(by), frequency)


def _stretched(member: Member, factor: Any) -> Member:
    """k(at): the density at ω/a, over |a|."""
    frequency = member.frequency
    if frequency is not None:
        frequency = frequency.stretched(1 / factor).scaled(1 / abs(factor))
    return Member(None if member.lag is None else member.lag.stretched(factor), frequency)
