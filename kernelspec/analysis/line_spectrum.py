"""The law of one column's frequency, taken apart into a density and atoms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.kernels.atoms import Atoms
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.composed import Composed
from kernelspec.measures.convolution import Convolution, convolve, factors_of
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.marginals import is_radial, marginals
from kernelspec.measures.measure_of import measure_of
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.spectral import Spectral

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.measures.measure import Measure

__all__ = ["LineSpectrum", "line_spectrum"]

_MOST_TERMS = 64

_Terms = list[tuple[float, "Measure | None"]]
"""Weights and measures on the line; None is δ₀."""


@dataclass(frozen=True)
class LineSpectrum:
    """A measure on the line: ∫ … density(ω) dω + Σ weights[i] δ(points[i]).

    `density` takes frequencies (n,) and is None where no part has one; it and the weights may be complex where k(−t)
    differs from k(t). `unknown` says why a part is left out; `is_costly` whether every value of the density is a
    numerical integral.
    """

    density: Callable[[NDArray[np.float64]], NDArray[Any]] | None
    points: NDArray[np.float64]
    weights: NDArray[Any]
    unknown: str | None = None
    is_costly: bool = False


def line_spectrum(facts: Facts, axis: int = 0) -> LineSpectrum:
    """The law of ω_axis under the spectral measure of the kernel. Raises NotStationaryError."""
    none = np.zeros(0)
    measure = measure_of(facts.spec.kernel(facts.columns))
    if facts.columns.count == 1:
        try:
            facts.spectral_density_at([[1.0]])
            return LineSpectrum(partial(_density_at, facts), none, none, is_costly=is_inverted(measure))
        except NoDensityError:
            if facts.atoms is not None:
                return LineSpectrum(None, facts.atoms.points[:, 0], facts.atoms.weights)
    try:
        terms = _coordinate(measure, axis)
    except NoDensityError as error:
        return LineSpectrum(None, none, none, str(error))
    diffuse, points, weights, unknown = [], [none], [none], None
    for weight, law in terms:
        atoms = None if law is None else law.atoms()
        if law is None:
            points.append(np.zeros(1))
            weights.append(np.array([weight]))
        elif atoms is not None:
            points.append(atoms.points[:, 0])
            weights.append(weight * atoms.weights)
        elif law.without_density() is None:
            diffuse.append((weight, law))
        else:
            unknown = law.without_density()
    found = partial(_mixed_density, tuple(diffuse)) if diffuse else None
    costly = any(is_inverted(law) for _, law in diffuse)
    return LineSpectrum(found, *_merged(np.concatenate(points), np.concatenate(weights)), unknown, costly)


def _coordinate(measure: Measure, axis: int) -> _Terms:
    """The law of ω_axis as a sum of measures on the line. Raises NoDensityError where that is not known."""
    if measure.dim == 1 and (measure.without_density() is None or measure.atoms() is not None):
        return [(1.0, measure)]
    match measure:
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return [(float(w) * v, law) for w, part in parts for v, law in _coordinate(part, axis)]
        case Composed() if measure.at_zero > 0:
            return [(measure.at_zero, None), (1.0, measure)]  # the second says why the rest has no density
        case Embedding() if axis not in measure.positions:
            return [(float(measure.total_mass()), None)]
        case Embedding():
            return _coordinate(measure.part, measure.positions.index(axis))
        case Convolution():
            return _sum(measure, axis)
        case PushForward() if not measure.is_matrix:
            scale = measure.matrix[axis] if isinstance(measure.matrix, tuple) else measure.matrix
            return _scaled(_coordinate(measure.part, axis), float(scale))
        case PushForward() if is_radial(measure.part):
            length = float(np.linalg.norm(np.asarray(measure.matrix, dtype=float)[:, axis]))
            return _scaled(_coordinate(measure.part, 0), length)
        case Spectral() if measure.kernel.is_radial:
            return [(1.0, Spectral(measure.kernel.on_line()))]
    independent = marginals(measure)
    if independent is None and measure.atoms() is not None:
        unit = tuple((int(row == axis),) for row in range(int(measure.dim)))
        return [(1.0, PushForward(measure, unit, 1))]
    if independent is None:
        raise NoDensityError("the law of one column's frequency has no form that can be evaluated")
    return [(1.0, independent[axis])]


def _sum(measure: Convolution, axis: int) -> _Terms:
    """The law of a sum of independent frequencies: every term of one with every term of the other."""
    found: list[tuple[float, tuple[Measure, ...]]] = [(1.0, ())]
    for part in measure.parts:
        others = [(w, () if law is None else factors_of(law)) for w, law in _coordinate(part, axis)]
        found = [(v * w, (*laws, *more)) for v, laws in found for w, more in others]
        if len(found) > _MOST_TERMS:
            raise NoDensityError(f"the law of one column's frequency has more than {_MOST_TERMS} terms")
    return [(weight, convolve(laws) if laws else None) for weight, laws in found]


def _scaled(terms: _Terms, scale: float) -> _Terms:
    return [(weight, None if law is None or scale == 0 else PushForward(law, scale, 1)) for weight, law in terms]


def _density_at(facts: Facts, frequencies: NDArray[np.float64]) -> NDArray[Any]:
    return facts.spectral_density_at(frequencies[:, None])


def _mixed_density(terms: tuple[tuple[float, Measure], ...], frequencies: NDArray[np.float64]) -> NDArray[Any]:
    return np.asarray(sum(weight * law.density(frequencies[:, None]) for weight, law in terms))


def _merged(points: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    if not len(points):
        return points, weights
    atoms = Atoms.merged(points[:, None], weights, 0.0)
    return atoms.points[:, 0], atoms.weights
