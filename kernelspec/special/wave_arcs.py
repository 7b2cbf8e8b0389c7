"""Parts of a wave times the Gaussian density, arc by arc: every term is positive, so nothing cancels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, exp, hypot, pi, sqrt
from sys import float_info

import numpy as np

from kernelspec.special.wave_part import WavePart

__all__ = ["SMALLEST_FREQUENCY", "WaveArcs", "arc_moment", "wave_arcs"]

SMALLEST_FREQUENCY = 1e-90
"""Frequencies below count as zero."""

_NODES = 8
_DEPTH = 45.0  # what lies beyond e^{−45} of the largest weight is left out: less than 1e-17 of any moment
_STEEPNESS = 1.0  # the most by which the exponent of the Gaussian changes within one panel
_LEAST_PANELS = 8


@dataclass(frozen=True)
class WaveArcs:
    """The density |w(az)| exp((s₀² − z²)/2) on those arcs of z > 0 where a part of w is positive, cut into panels.

    s₀ is where the first arc begins, so that the density is of ordinary size however small the mass. A panel
    is `width` long and begins `offset` after its arc, which begins at `start`; `level` is (s₀² − start²)/2.
    There |w(az)| = sin(a(z − start) + phase). Arrays (panels,); `sign` is the sign of w(az).
    """

    frequency: float
    start: np.ndarray
    offset: np.ndarray
    width: np.ndarray
    level: np.ndarray
    phase: np.ndarray
    sign: np.ndarray

    def at(self, panel: np.ndarray) -> WaveArcs:
        """The panels of those indices, which may repeat."""
        rows = (self.start, self.offset, self.width, self.level, self.phase, self.sign)
        return WaveArcs(self.frequency, *(values[panel] for values in rows))

    def places(self, share: np.ndarray | float) -> np.ndarray:
        """In every panel the point z that lies the `share` of the width after its beginning."""
        return np.asarray(self.start + (self.offset + self.width * share))

    def density(self, share: np.ndarray | float, power: int = 0) -> np.ndarray:
        """z^power times the density at those points."""
        t = self.offset + self.width * share
        values = np.sin(self.frequency * t + self.phase) * np.exp(self.level - t * (self.start + t / 2))
        return np.asarray(values * (self.start + t) ** power if power else values)

    def integral(self, share: np.ndarray | float = 1.0, power: int = 0) -> np.ndarray:
        """∫ z^power density dz from the beginning of every panel to those points, by Gauss and Legendre's rule.

        Node by node, so that a panel's value does not depend on how many others there are.
        """
        total = np.zeros(len(self.start))
        for node, weight in zip(*_rule(), strict=True):
            total += weight * self.density(share * node, power)
        return np.asarray(total * (share * self.width))


def wave_arcs(part: WavePart, frequency: float) -> WaveArcs:
    """The arcs at z > 0 for a = `frequency` ≥ 0: 46 to 180 panels, or about 25a where that is more.

    For the symmetric parts both half-lines are alike. For max(±sin, 0) these are the arcs of |sin|: the arc
    of z > 0 where the sine is negative stands for its mirror image, where it is positive.
    """
    a = max(frequency, SMALLEST_FREQUENCY)
    half = pi / (2 * a)
    first = half if part.sign < 0 and not part.odd else 0.0
    # z ≤ sqrt(s₀² + 2·depth), less s₀ and without the difference of two large numbers
    reach = 2 * _DEPTH / (first + hypot(first, sqrt(2 * _DEPTH)))
    stride = 2 if part.sign and not part.odd else 1
    index = np.arange(part.sign < 0 and not part.odd, 2 + reach / (2 * half), stride, dtype=float)
    start = 2 * half * index if part.odd else np.maximum((2 * index - 1) * half, 0.0)
    start = start[start - first <= reach]
    index = index[: len(start)]
    crest = (start == 0) & (not part.odd)
    tail = 2 * _DEPTH / (start + np.hypot(start, sqrt(2 * _DEPTH)))
    length = np.minimum(np.where(crest, half, 2 * half), tail)
    panels = max(_LEAST_PANELS, ceil(np.max(length * (start + length)) / _STEEPNESS))
    shares = np.arange(panels) / panels

    def each(values: np.ndarray) -> np.ndarray:
        return np.repeat(values, panels)

    return WaveArcs(
        frequency=a,
        start=each(start),
        offset=np.outer(length, shares).ravel(),
        width=each(length / panels),
        level=each((first - start) * (first + start) / 2),
        phase=each(np.where(crest, pi / 2, 0.0)),
        sign=each(1 - 2 * (index % 2)),
    )


def arc_moment(part: WavePart, frequency: float, power: int = 0) -> float:
    """E |Z|^power w⁺(aZ), Z standard normal, w⁺ the `part`, a = `frequency` ≥ 0; 0 below the smallest normal number.

    Relative error below 1e-12, most of it from the exponent π²/8a² of the negative cosine.
    """
    if frequency < SMALLEST_FREQUENCY and part.vanishes:
        return 0.0
    arcs = wave_arcs(part, frequency)
    sides = 2 if part.symmetric else 1
    height = exp(-(float(arcs.start[0]) ** 2) / 2) if arcs.start[0] < 1e3 else 0.0
    value = sides * height / sqrt(2 * pi) * float(np.sum(arcs.integral(1.0, power)))
    return value if value >= float_info.min else 0.0


@cache
def _rule() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return tuple(((nodes + 1) / 2).tolist()), tuple((weights / 2).tolist())
