"""How fast a spectral density falls far out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.leaves.periodic import Periodic
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.closed_coefficients import ClosedCoefficients, vanishing_jumps
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.radial_profile import radial_terms
from kernelspec.measures.algebra.tail_series import tail_series
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.elementary import known_sign
from kernelspec.special.closed_numbers import NotDecided

__all__ = ["tail_exponent"]

_DIGITS = 60
_FEW, _MANY = 12, 64
"""Derivatives that are looked at: a few first, for speed."""


def tail_exponent(measure: Measure) -> float:
    """α with |μ(ω)| = O(‖ω‖^−α) and no better, infinite where the density falls faster than any power.

    On a line α = j + 1 for the lowest derivative k^{(j)} that jumps at any point. A radial kernel with the term c r^j,
    j odd, at 0 has α = j + d [Wendland 2005, theorem 8.16]. A periodic factor, which is analytic and positive, moves
    the density by its atoms and changes no exponent; of a sum the least exponent counts. `measure` has no symbols; its
    numbers are taken as they are, so exact ones are needed where jumps may cancel. Raises NoDensityError; NotClosed for
    a kernel that is not known in pieces, that is neither radial nor on one column, or of which a jump may be 0.
    """
    measure.require_density()
    try:
        return _known_in_pieces(measure)
    except NotClosed as error:
        match measure:
            case Convolution() if any(map(_is_positive_lattice, measure.parts)):
                return tail_exponent(convolve(tuple(p for p in measure.parts if not _is_positive_lattice(p))))
            case Shifted() | Embedding() if _has_lattice(measure.part):  # the modulus is the same
                return tail_exponent(measure.part)
            case Mixture() if any(map(_has_lattice, measure.parts)):
                return _of_sum(measure)
        raise error


def _known_in_pieces(measure: Measure) -> float:
    dim = int(measure.dim)
    return _power(partial(line_members if dim == 1 else _radial_members, measure)) + dim - 1


def _radial_members(measure: Measure, numbers: Coefficients) -> tuple[Member, ...]:
    terms = radial_terms(measure, numbers)
    if any(term.tilt for term in terms):
        raise NotClosed("a tilted density in several columns")
    ends = {end for term in terms for piece in term.profile.pieces for end in (piece.low, piece.high)}
    if any(end is not None and end != 0 for end in ends):
        raise NotClosed("a function of the distance with breakpoints")
    return tuple(Member(term.profile) for term in terms)


def _of_sum(measure: Mixture) -> float:
    """The least exponent of the terms. Raises NotClosed where terms of that exponent might cancel."""
    found = [tail_exponent(part) for part in measure.parts]
    least = min(found)
    if found.count(least) > 1 and np.isfinite(least) and not _is_positive(measure):
        raise NotClosed("the tails of several terms may cancel")
    return least


def _is_positive_lattice(measure: Measure) -> bool:
    """Whether the measure is atoms alone, and its kernel analytic and positive everywhere."""
    match measure:
        case Spectral():
            return isinstance(measure.kernel, Periodic | Constant)
        case PushForward() | Shifted() | Embedding():
            return _is_positive_lattice(measure.part)
        case Mixture():
            return bool(measure.parts) and _is_positive(measure) and all(map(_is_positive_lattice, measure.parts))
        case Convolution():
            return all(map(_is_positive_lattice, measure.parts))
    return False


def _has_lattice(measure: Measure) -> bool:
    parts: tuple[Measure, ...] = ()
    match measure:
        case Convolution() | Mixture():
            parts = measure.parts
        case Shifted() | Embedding():
            parts = (measure.part,)
    return _is_positive_lattice(measure) or any(map(_has_lattice, parts))


def _is_positive(measure: Measure) -> bool:
    """Whether the measure is seen to have no negative part."""
    match measure:
        case Spectral():
            return True
        case PushForward() | Embedding():
            return _is_positive(measure.part)
        case Mixture():
            return all(known_sign(w) in (0, 1) for w in measure.weights) and all(map(_is_positive, measure.parts))
        case Convolution():
            return all(map(_is_positive, measure.parts))
    return False


def _power(parts: Callable[[Coefficients], tuple[Member, ...]]) -> float:
    """α = j + 1 for the lowest order j that jumps. Raises NotClosed where a jump cannot be told from 0."""
    numbers = MultiprecisionNumbers(_DIGITS)
    members = parts(numbers)
    for count in (_FEW, _MANY):
        series = tail_series(members, numbers, count)
        if series is None:
            return np.inf
        seen = series.leading
        first = seen if seen == 0 else _first_jump(parts, min(seen + 1, count), count if seen == count else seen)
        if first < count:
            return first + 1.0
    return np.inf


def _first_jump(parts: Callable[[Coefficients], tuple[Member, ...]], count: int, seen: int) -> int:
    """The lowest order with a jump, `seen` if none of those before it is: exactly, in numbers with a normal form."""
    try:
        members = parts(ClosedCoefficients())
        proved = vanishing_jumps(members, count)
    except NotDecided as error:
        raise NotClosed(f"whether a derivative jumps is not known: {error}") from None
    first = min((row.index(False) if False in row else seen for row in proved.values()), default=seen)
    if first < seen and any(member.frequency is not None for member in members):
        raise NotClosed("jumps of several terms that may cancel")
    return min(first, seen)
