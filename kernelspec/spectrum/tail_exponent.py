"""How fast a spectral density falls far out."""

from __future__ import annotations

import numpy as np

from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.multiprecision_numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.radial_profile import radial_terms
from kernelspec.measures.algebra.tail_series import tail_series
from kernelspec.measures.measure import Measure

__all__ = ["tail_exponent"]

_DIGITS = 60


def tail_exponent(measure: Measure) -> float:
    """α with |μ(ω)| = O(‖ω‖^−α) and no better, infinite where the density falls faster than any power.

    On a line α = j + 1 for the lowest derivative k^{(j)} that jumps at any point. A radial kernel with the term c r^j,
    j odd, at 0 has α = j + d [Wendland 2005, theorem 8.16]. `measure` in numbers. Raises NoDensityError; NotClosed for
    a kernel that is not known in pieces, or that is neither radial nor on one column.
    """
    measure.require_density()
    numbers, dim = MultiprecisionNumbers(_DIGITS), int(measure.dim)
    if dim == 1:
        return _power(line_members(measure, numbers), numbers)
    terms = radial_terms(measure, numbers)
    if any(term.tilt for term in terms):
        raise NotClosed("a tilted density in several columns")
    ends = {end for term in terms for piece in term.profile.pieces for end in (piece.low, piece.high)}
    if any(end is not None and end != 0 for end in ends):
        raise NotClosed("a function of the distance with breakpoints")
    return _power(tuple(Member(term.profile) for term in terms), numbers) + dim - 1


def _power(members: tuple[Member, ...], numbers: MultiprecisionNumbers) -> float:
    series = tail_series(members, numbers)
    return np.inf if series is None else series.power
