"""Measures that reduce to the line: independent coordinates, or a function of the radius."""

from __future__ import annotations

from functools import reduce

from kernelspec.measures.composed import Composed
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.spectral import Spectral

__all__ = ["common_marginal", "is_radial", "marginals"]


def common_marginal(measure: Measure) -> Measure | None:
    """The law on the line that all coordinates have independently; None if they differ or depend on each other."""
    if isinstance(measure, Spectral) and measure.kernel.has_independent_coordinates:
        return Spectral(measure.kernel.on_line())
    if isinstance(measure, PushForward) and not isinstance(measure.matrix, tuple):
        part = common_marginal(measure.part)
        return None if part is None else PushForward(part, measure.matrix, 1)
    if isinstance(measure, Convolution):
        parts = [common_marginal(part) for part in measure.parts]
        known = tuple(part for part in parts if part is not None)
        return convolve(known) if len(known) == len(parts) else None
    return None


def marginals(measure: Measure) -> tuple[Measure, ...] | None:
    """The laws of the coordinates, if they are independent and none of them is the constant zero; else None."""
    found = _marginals(measure)
    if found is None:
        return None
    known = tuple(part for part in found if part is not None)
    return known if len(known) == len(found) else None


def is_radial(measure: Measure) -> bool:
    """Whether the measure is invariant under rotations of all its coordinates."""
    match measure:
        case Spectral():
            return measure.kernel.is_radial
        case PushForward():
            return not isinstance(measure.matrix, tuple) and is_radial(measure.part)
        case Composed():
            return is_radial(measure.part)
        case Convolution() | Mixture():
            return all(is_radial(part) for part in measure.parts)
    return False


def _marginals(measure: Measure) -> list[Measure | None] | None:
    """One law for every coordinate, None standing for the constant zero; None for all if they are dependent."""
    if not isinstance(measure.dim, int):
        return None
    match measure:
        case PushForward() if isinstance(measure.matrix, tuple) and not measure.is_matrix:
            found = _marginals(measure.part)
            scales = measure.matrix
            return found and [p and PushForward(p, s, 1) for p, s in zip(found, scales, strict=True)]
        case Embedding():
            found = _marginals(measure.part)
            if found is None:
                return None
            place = dict(zip(measure.positions, found, strict=True))
            return [place.get(column) for column in range(measure.dim)]
        case Convolution():
            return reduce(_added, (_marginals(part) for part in measure.parts))
    common = common_marginal(measure)
    return None if common is None else [common] * int(measure.dim)


def _added(left: list[Measure | None] | None, right: list[Measure | None] | None) -> list[Measure | None] | None:
    if left is None or right is None:
        return None
    return [convolve((a, b)) if a and b else a or b for a, b in zip(left, right, strict=True)]
