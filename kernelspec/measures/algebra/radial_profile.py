"""Functions of the distance, times an exponential of the lag: what products of radial kernels are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.measures.algebra.arithmetic import Coefficients
from kernelspec.measures.algebra.members import pieces_of
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piecewise import Piecewise
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.directional import Directional
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.spectral import Spectral
from kernelspec.measures.tilted import Tilted

__all__ = ["RadialTerm", "radial_terms"]

_MOST_TERMS = 16


@dataclass(frozen=True)
class RadialTerm:
    """f(‖Δ‖) e^{β·Δ}: `profile` is the even function f on the line, `tilt` is β, empty for none."""

    profile: Piecewise
    tilt: tuple[Any, ...] = ()


def radial_terms(measure: Measure, numbers: Coefficients) -> tuple[RadialTerm, ...]:
    """The terms whose sum is the kernel of a measure. Raises NotClosed where one is not of this kind."""
    match measure:
        case Spectral() if measure.kernel.is_radial:
            return (_profile(measure.kernel.on_line(), numbers),)
        case Tilted() if measure.kernel.is_radial:
            term = _profile(measure.kernel.on_line(), numbers)
            return (RadialTerm(term.profile, tuple(map(numbers.number, measure.by))),)
        case Directional():
            return _directional(measure, numbers)
        case PushForward() if not isinstance(measure.matrix, tuple):
            factor = numbers.number(measure.matrix)
            terms = radial_terms(measure.part, numbers)
            return tuple(
                RadialTerm(term.profile.stretched(factor), tuple(factor * b for b in term.tilt)) for term in terms
            )
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return _collected(
                RadialTerm(term.profile.scaled(numbers.number(weight)), term.tilt)
                for weight, part in parts
                for term in radial_terms(part, numbers)
            )
        case Convolution():
            return reduce(_product, (radial_terms(part, numbers) for part in measure.parts))
    raise NotClosed(f"{measure.describe()} is not radial")


def _profile(kernel: Any, numbers: Coefficients) -> RadialTerm:
    lag = pieces_of(kernel, numbers).lag
    if lag is None:
        raise NotClosed(f"{kernel} has no pieces in the distance")
    return RadialTerm(lag)


def _directional(measure: Directional, numbers: Coefficients) -> tuple[RadialTerm, ...]:
    kernel = measure.kernel
    bell = _profile(kernel.gaussian.on_line(), numbers).profile
    by, half = tuple(map(numbers.number, kernel.by)), numbers.number(1) / 2
    match kernel:
        case CoshGaussian():
            return (RadialTerm(bell, by),)
        case SinhGaussian():
            back = tuple(-entry for entry in by)
            return (RadialTerm(bell), RadialTerm(bell.scaled(half), by), RadialTerm(bell.scaled(-half), back))
        case ShiftGaussian() if isinstance(kernel.dim, int):
            square = numbers.number(kernel.scale) ** 2
            size = numbers.exponential(-sum(entry**2 for entry in by) / (2 * square))
            return (RadialTerm(bell.scaled(size), tuple(numbers.simplified(-entry / square) for entry in by)),)
    raise NotClosed(f"{kernel} in an unknown number of columns")


def _product(left: tuple[RadialTerm, ...], right: tuple[RadialTerm, ...]) -> tuple[RadialTerm, ...]:
    return _collected(
        RadialTerm(
            a.profile * b.profile,
            tuple(x + y for x, y in zip(a.tilt, b.tilt, strict=True)) if a.tilt and b.tilt else a.tilt or b.tilt,
        )
        for a in left
        for b in right
    )


def _collected(terms: Iterable[RadialTerm]) -> tuple[RadialTerm, ...]:
    """The terms, those of one tilt added."""
    found: dict[tuple[Any, ...], Piecewise] = {}
    for term in terms:
        tilt = () if all(entry == 0 for entry in term.tilt) else term.tilt
        found[tilt] = found[tilt] + term.profile if tilt in found else term.profile
    if len(found) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return tuple(RadialTerm(profile, tilt) for tilt, profile in found.items())
