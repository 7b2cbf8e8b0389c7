"""Measures on several columns as sums of products of measures on one column each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

from kernelspec.kernels.families.gaussian_direction import GaussianDirection
from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral

__all__ = ["column_terms", "mirrored"]

_MOST_TERMS = 64

_Term = tuple[Any, list[tuple[Measure, ...]]]
"""A weight, and for every column the measures whose convolution its law is."""


def column_terms(measure: Measure) -> list[tuple[Any, tuple[Measure, ...]]]:
    """Weights and measures, one for every column (one for all where their number is a symbol), that add to the measure.

    Raises NotClosed where a part has dependent columns, or a column has no frequency but zero.
    """
    found = []
    for weight, columns in _terms(measure):
        if not all(columns):
            raise NotClosed("a column has no frequency but zero")
        found.append((weight, tuple(convolve(parts) for parts in columns)))
    return found


def mirrored(measure: Measure) -> Measure | None:
    """The measure at −ω, whose density is the conjugate; None where it is not seen at once."""
    match measure:
        case Spectral():
            return measure
        case Directional():
            return Directional(replace(measure.kernel, by=tuple(-entry for entry in measure.kernel.by)))
        case Convolution():
            parts = [mirrored(part) for part in measure.parts]
            known = tuple(part for part in parts if part is not None)
            return Convolution(known) if len(known) == len(parts) else None
    return None


def _terms(measure: Measure) -> list[_Term]:
    n = measure.dim if isinstance(measure.dim, int) else 1
    match measure:
        case Spectral() if measure.kernel.has_independent_coordinates:
            return [(1, [(Spectral(measure.kernel.on_line()),)] * n)]
        case Directional():
            return [
                (weight, [(Directional(replace(kernel, by=(entry,), dim=1)),) for entry in _entries(kernel.by, n)])
                for weight, kernel in _without_sine(measure.kernel)
            ]
        case ComplexFrequency() if measure.kernel.has_independent_coordinates:
            line = measure.kernel.on_line()
            return [(1, [(replace(measure, kernel=line, by=(entry,)),) for entry in _entries(measure.by, n)])]
        case Shifted():
            by = _entries(measure.by, n)
            return [
                (
                    weight,
                    [tuple(Shifted(part, (r,), 1) for part in parts) for r, parts in zip(by, columns, strict=True)],
                )
                for weight, columns in _terms(measure.part)
            ]
        case PushForward() if not measure.is_matrix:
            scales = _entries(measure.matrix if isinstance(measure.matrix, tuple) else (measure.matrix,), n)
            return [
                (weight, [tuple(PushForward(p, s, 1) for p in parts) for s, parts in zip(scales, columns, strict=True)])
                for weight, columns in _terms(measure.part)
            ]
        case Embedding() if isinstance(measure.dim, int):
            return [
                (weight, [dict(zip(measure.positions, columns, strict=True)).get(i, ()) for i in range(n)])
                for weight, columns in _terms(measure.part)
            ]
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return _bounded([(w * v, columns) for w, part in parts for v, columns in _terms(part)])
        case Convolution():
            return reduce(_product, (_terms(part) for part in measure.parts))
    raise NotClosed(f"{measure.describe()} has dependent columns")


def _product(left: list[_Term], right: list[_Term]) -> list[_Term]:
    return _bounded(
        [(v * w, [a + b for a, b in zip(first, second, strict=True)]) for v, first in left for w, second in right]
    )


def _bounded(terms: list[_Term]) -> list[_Term]:
    if len(terms) > _MOST_TERMS:
        raise NotClosed(f"more than {_MOST_TERMS} terms")
    return terms


def _entries(vector: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    return tuple(vector) * n if len(vector) == 1 else tuple(vector)


def _without_sine(kernel: GaussianDirection) -> list[tuple[Any, GaussianDirection]]:
    """The kernel as a sum of Gaussians that are shifted or tilted: 1 + sinh x = 1 + e^x/2 − e^{−x}/2."""
    if isinstance(kernel, ShiftGaussian | CoshGaussian):
        return [(1, kernel)]
    terms: list[tuple[Any, GaussianDirection]] = []
    for weight, factor in ((1, 0), (Fraction(1, 2), 1), (Fraction(-1, 2), -1)):
        by = tuple(factor * entry for entry in kernel.by)
        number = (
            weight if all(isinstance(entry, int) or not isinstance(entry, float) for entry in by) else float(weight)
        )
        terms.append((number, CoshGaussian(scale=kernel.scale, by=by, dim=kernel.dim, span=kernel.span)))
    return terms
