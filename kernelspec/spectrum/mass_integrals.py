"""Masses of signed and complex measures by numerical integration, with a bound or a standard error."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import gamma, pi

import numpy as np

from kernelspec.errors import NoDensityError, NotAvailableYet
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.envelope import envelope
from kernelspec.measures.marginals import is_radial
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.random.streams import Stream
from kernelspec.spectrum.masses import Masses

__all__ = ["integrate_masses", "sampled_ratio"]

_DRAWS = 2**16
_TERMS = 20_000
_FINE = (36, 10, 24, 12)
_COARSE = (18, 5, 4, 8)
"""Octaves, how many of them lie below the typical frequency, points in each to look for zeros at, and nodes between two
cuts: the coarse ones where the density at every point is an integral itself."""

_POOR = 1e-4
"""An integral with a larger relative error than this is given to random draws instead."""


def integrate_masses(measure: Measure, k0: float) -> Masses:
    """The masses of μ with ∫ dμ = k(0), `measure` in numbers.

    Sums over atoms; the Fourier series of |cos| and |sin| for a translated positive measure (r·ω has the characteristic
    function k(tr)); an integral over one variable on the line and for radial measures; else the mean over 2¹⁶ draws of
    the envelope, with its standard error. Raises NotAvailableYet where the density cannot be evaluated.
    """
    while isinstance(measure, Embedding) or (isinstance(measure, PushForward) and not measure.is_matrix):
        measure = measure.part
    atoms = measure.atoms()
    if atoms is not None:
        weights = atoms.weights
        sizes = (np.abs(weights.real).sum(), np.abs(weights.imag).sum(), np.abs(weights).sum())
        return _masses(k0, *sizes, error=abs(atoms.omitted))
    if isinstance(measure, Shifted) and not measure.part.is_complex and envelope(measure.part) is measure.part:
        return _translated(measure, k0)
    try:
        if measure.without_density() is None and (measure.dim == 1 or (is_radial(measure) and not measure.is_complex)):
            found = _over_radius(measure, k0)
            if found.error <= _POOR * float(found.total_variation):
                return found
        return _random(measure, k0)
    except NoDensityError as error:
        raise NotAvailableYet(f"the masses of this measure need its density: {error}") from None


def sampled_ratio(measure: Measure, n: int) -> tuple[np.ndarray, np.ndarray]:
    """n draws of the envelope, (n, d), and μ(ω)/envelope(ω) times the envelope's mass, (n,): its mean is k(0)."""
    outer = envelope(measure)
    frequencies = outer.sample(Stream(0), n)
    mass = float(outer.total_mass())
    if isinstance(measure, Shifted) and outer is measure.part:
        return frequencies, mass * np.exp(1j * (frequencies @ np.asarray(measure.by, dtype=float)))
    return frequencies, mass * measure.density(frequencies) / outer.density(frequencies)


def _masses(k0: float, real: float, imaginary: float, whole: float, *, error: float, is_random: bool = False) -> Masses:
    """From ∫|Re μ|, ∫|Im μ|, ∫|μ|, and what is known: ∫ Re μ = k(0), ∫ Im μ = 0."""
    real, half = max(float(real), abs(k0)), float(imaginary) / 2
    whole = max(float(whole), real)
    return Masses((real + k0) / 2, (real - k0) / 2, half, half, whole, float(error), is_random)


def _translated(measure: Shifted, k0: float) -> Masses:
    """E|cos r·ω| = 2/π − (4/π) Σ (−1)^k k(2kr)/(4k² − 1), E|sin r·ω| the same without the sign."""
    k = np.arange(1, _TERMS + 1)
    transform = measure.part.characteristic_function(2 * k[:, None] * np.asarray(measure.by, dtype=float))
    terms = transform / (4 * k**2 - 1)
    size = float(measure.part.total_mass())
    real = 2 / pi * size - 4 / pi * float(np.sum(np.where(k % 2, -1, 1) * terms))
    imaginary = 2 / pi * size - 4 / pi * float(np.sum(terms))
    left_out = float(np.abs(transform[_TERMS // 2 :]).max()) / (pi * _TERMS)
    return _masses(k0, real, imaginary, size, error=left_out)


def _over_radius(measure: Measure, k0: float) -> Masses:
    """Integrals over r = ‖ω‖, or ω > 0, between the zeros of each part; the error by two thirds of the nodes."""
    d = int(measure.dim)
    area = 2 * pi ** (d / 2) / gamma(d / 2)
    axis = np.eye(1, d)

    def density(radius: np.ndarray) -> np.ndarray:
        return np.asarray(area * radius ** (d - 1) * measure.density(radius[:, None] * axis))

    scale = _typical(envelope(measure))
    octaves, below, points, nodes = _COARSE if _is_inverted(measure) else _FINE
    knots = np.concatenate([[0.0], scale * 2.0 ** (np.arange(octaves) - below)])
    fine = np.concatenate([np.linspace(a, b, points, endpoint=False) for a, b in pairwise(knots)] + [knots[-1:]])
    values = density(np.maximum(fine, fine[1] / 2))
    parts: list[Callable[[np.ndarray], np.ndarray]] = [np.real, np.imag, np.abs]
    sizes, error = [], 0.0
    for part in parts if measure.is_complex else parts[:1]:
        cuts = np.unique(np.concatenate([knots, _zeros(lambda r, part=part: part(density(r)), fine, part(values))]))  # type: ignore[misc]
        coarse, better = (_absolute(lambda r, part=part: part(density(r)), cuts, n) for n in (nodes * 2 // 3, nodes))  # type: ignore[misc]
        sizes.append(better)
        error += abs(better - coarse)
    tail = abs(float(np.abs(values[-1]))) * knots[-1] * 2  # of a density that falls like r⁻² or faster
    if not measure.is_complex:
        sizes = [sizes[0], 0.0, sizes[0]]
    return _masses(k0, *sizes, error=error + tail + 1e-13 * sizes[2])


def _typical(outer: Measure) -> float:
    draws = np.linalg.norm(outer.sample(Stream(1), 401), axis=1)
    return float(np.median(draws)) or 1.0


def _zeros(function: Callable[[np.ndarray], np.ndarray], points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where the function changes its sign between neighbouring points, by bisection of all at once."""
    change = np.flatnonzero(np.sign(values[1:]) * np.sign(values[:-1]) < 0)
    low, high, sign = points[change], points[change + 1], np.sign(values[change])
    for _ in range(50 if len(change) else 0):
        middle = (low + high) / 2
        same = np.sign(function(middle)) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.asarray((low + high) / 2)


def _is_inverted(measure: Measure) -> bool:
    """Whether the density is an integral at every point."""
    match measure:
        case Convolution():
            return sum(part.atoms() is None for part in measure.parts) > 1
        case Mixture():
            return any(_is_inverted(part) for part in measure.parts)
        case Shifted() | Embedding() | PushForward():
            return _is_inverted(measure.part)
    return False


def _absolute(function: Callable[[np.ndarray], np.ndarray], cuts: np.ndarray, n_nodes: int) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    middle, reach = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
    points = middle[:, None] + reach[:, None] * nodes
    values = np.abs(function(points.ravel()).reshape(points.shape) @ weights)
    return float(np.sum(reach * values))


def _random(measure: Measure, k0: float) -> Masses:
    if measure.without_density() is not None and not isinstance(measure, Shifted):
        raise NoDensityError(str(measure.without_density()))
    if _is_inverted(measure):
        raise NoDensityError("every value of it is an integral, and thousands would be needed")
    _, ratio = sampled_ratio(measure, _DRAWS)
    sizes = [np.abs(ratio.real), np.abs(ratio.imag), np.abs(ratio)]
    error = max(float(size.std()) for size in sizes) / np.sqrt(_DRAWS)
    return _masses(k0, *(float(size.mean()) for size in sizes), error=error, is_random=True)
