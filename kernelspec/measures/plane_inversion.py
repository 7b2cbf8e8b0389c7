"""Numerical inversion of a characteristic function of two variables, in polar coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NoDensityError
from kernelspec.special.counted_work import spend

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure

__all__ = ["invert_plane"]

_RADIAL, _ANGULAR = (16, 11), (1.0, 0.7)
"""Nodes of a panel of the radius, and the share of the nodes of a quadrant, of the fine rule and of the coarse one."""

_MOST_NODES = 500_000
"""For one frequency."""

_OCTAVES = 12
"""Of the radius near zero."""

_BLOCK = 1 << 21
"""Phases that are held at a time."""

_OPERATIONS, _OPERATIONS_OF_A_PHASE = 100, 15
"""For a value of k, and for a cosine or a sine."""

_DIRECTIONS = 64
_SMALL = 1e-17
_ROUNDING = 4e-15


def invert_plane(measure: Measure, frequencies: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Density (2π)^{−2} ∬ k(Δ) e^{−iω·Δ} dΔ of a measure on R² at frequencies (n, 2), errors (n,), and ∬ |k|/(2π)².

    Gauss's rule in the radius, on octaves near zero and on panels that are short beside 1/‖ω‖, and in the angle, from
    axis to axis: between these a product of functions of ‖Δ‖ and of functions of the columns is smooth. The error is
    twenty times the difference from a rule with two thirds of the nodes in each, the rounding of the sums, and what
    lies beyond the last radius. Raises NoDensityError for a k that falls so slowly, or frequencies so far out, that
    one value would take more than 500,000 nodes, and where k is not finite.
    """
    frequencies = np.asarray(frequencies, dtype=float)
    scale, reach, beyond = _extent(measure)
    size = np.linalg.norm(frequencies, axis=1)
    values = np.zeros(len(frequencies), dtype=complex)
    errors, peak = np.zeros(len(frequencies)), 0.0
    level = np.ceil(np.log2(np.maximum(size * reach, 8)))  # frequencies of one octave share their rules
    for octave in np.unique(level)[::-1]:  # those that may be refused first
        here = level == octave
        turns = float(2.0**octave)
        fine, coarse = (_rule(measure, scale, reach, turns, i) for i in (0, 1))
        (found, rough), peak = (rule.transform(frequencies[here]) for rule in (fine, coarse)), max(peak, fine.size)
        values[here] = found
        errors[here] = 20 * np.abs(found - rough) + _ROUNDING * fine.size + beyond
    return values if measure.is_complex else values.real, errors, peak


@dataclass(frozen=True)
class _Rule:
    """Nodes (m, 2) with k times their weights (m,); of an even k those of a half-plane, counted twice."""

    nodes: NDArray[np.float64]
    weighted: NDArray[np.float64]
    is_even: bool

    @property
    def size(self) -> float:
        return float(np.abs(self.weighted).sum())

    def transform(self, frequencies: NDArray[np.float64]) -> NDArray[np.complex128]:
        spend((1 if self.is_even else 2) * _OPERATIONS_OF_A_PHASE * float(len(frequencies)) * len(self.nodes))
        total = np.zeros(len(frequencies), dtype=complex)
        step = max(_BLOCK // max(len(frequencies), 1), 1)
        for start in range(0, len(self.nodes), step):
            phases = frequencies @ self.nodes[start : start + step].T
            share = self.weighted[start : start + step]
            total += np.cos(phases) @ share
            if not self.is_even:
                total -= 1j * (np.sin(phases) @ share)
        return total


def _rule(measure: Measure, scale: float, reach: float, turns: float, accuracy: int) -> _Rule:
    """The rule for frequencies at which the phase is at most `turns` at the last radius."""
    even = not measure.is_complex
    width, quadrants = min(scale, 6 * reach / turns), 2 if even else 4
    panels, of_quadrant = max(ceil(reach / width), 2), int(_ANGULAR[accuracy] * (24 + 0.6 * turns))
    count = (panels + _OCTAVES) * _RADIAL[accuracy] * quadrants * of_quadrant
    if count > _MOST_NODES:
        raise NoDensityError(
            f"the density has no closed form; by quadrature in two columns one value would take {count:,} nodes, and "
            f"at most {_MOST_NODES:,} are taken"
        )
    octaves = width * 2.0 ** np.arange(-_OCTAVES, 0)
    cuts = np.concatenate([[0.0], octaves, np.linspace(width, reach, panels)])
    radii, radial = _gauss(cuts, _RADIAL[accuracy])
    angles, angular = _gauss(np.arange(quadrants + 1) * np.pi / 2, of_quadrant)
    spend(_OPERATIONS * float(count))
    nodes = (radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)).reshape(-1, 2)
    weights = np.multiply.outer(radii * radial, angular).ravel() * ((2 if even else 1) / (2 * np.pi) ** 2)
    return _Rule(nodes, weights * _values(measure, nodes), even)


def _extent(measure: Measure) -> tuple[float, float, float]:
    """The radius at which |k| has halved, one beyond which it is negligible, and a bound on what lies there."""
    angles = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def largest(radii: NDArray[Any]) -> NDArray[np.float64]:
        points = (radii[:, None, None] * directions).reshape(-1, 2)
        return np.asarray(np.abs(_values(measure, points)).reshape(len(radii), -1).max(axis=1))

    grid = 2.0 ** np.arange(-60, 60)
    sizes = largest(grid)
    low = np.flatnonzero(sizes < sizes.max() / 2)
    low = low[low > np.argmax(sizes)]
    if not len(low):
        raise NoDensityError("the density has no closed form, and k does not fall")
    scale = float(grid[low[0]])
    radii = scale * 2.0 ** np.arange(0, 10, 0.25)
    mass = np.square(radii / scale) * largest(radii)
    small = np.flatnonzero(mass <= _SMALL * sizes.max())
    end = int(small[0]) if len(small) else len(radii) - 1
    # an octave holds at most as much as the one before, times the ratio of the two last
    ratio = min(float(mass[end] / mass[end - 4]), 1.0) if mass[end - 4] > 0 else 0.0
    beyond = np.inf if ratio > 0.9 else float(mass[end]) * scale**2 / (1 - ratio)
    return scale, float(radii[end]), beyond


def _values(measure: Measure, points: NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.asarray(measure.characteristic_function(points), dtype=float)
    if not np.isfinite(values).all():
        raise NoDensityError("the density cannot be had from k, which is not finite somewhere")
    return values


def _gauss(cuts: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss's rule between consecutive cuts."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    middle, half = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts) / 2
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()
