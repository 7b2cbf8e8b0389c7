"""The non-negative parts of a wave times the Gaussian density, arc by arc, and exact draws from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import ceil, exp, hypot, pi, sqrt
from sys import float_info

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.loading import special
from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import draw_by_rejection

__all__ = [
    "LARGEST_INVERTED",
    "SMALLEST_FREQUENCY",
    "WavePart",
    "arc_moment",
    "draw_wave",
    "draw_wave_by_rejection",
    "wave_quantile",
]


class WavePart(Enum):
    """A function of an angle: max(±w, 0) or |w|, w the cosine or the sine.

    `odd` means that w is the sine; `sign` is +1 or −1 for max(±w, 0) and 0 for |w|.
    """

    POSITIVE_COSINE = (False, 1)
    NEGATIVE_COSINE = (False, -1)
    ABSOLUTE_COSINE = (False, 0)
    POSITIVE_SINE = (True, 1)
    NEGATIVE_SINE = (True, -1)
    ABSOLUTE_SINE = (True, 0)

    def __init__(self, odd: bool, sign: int) -> None:
        self.odd = odd
        self.sign = sign

    @property
    def symmetric(self) -> bool:
        """Whether the part is an even function: all but max(±sin, 0)."""
        return not self.odd or self.sign == 0

    @property
    def vanishes(self) -> bool:
        """Whether the part is zero at the angle zero."""
        return self.odd or self.sign < 0

    def values(self, angle: np.ndarray) -> np.ndarray:
        """The part at angles of any shape."""
        wave = np.sin(angle) if self.odd else np.cos(angle)
        return np.asarray(np.abs(wave) if self.sign == 0 else np.maximum(self.sign * wave, 0.0))


SMALLEST_FREQUENCY = 1e-90
"""Frequencies below this count as zero."""

_NODES = 8
_DEPTH = 45.0  # what lies beyond e^{−45} of the largest weight is left out: less than 1e-17 of any moment
_STEEPNESS = 1.0  # the most by which the exponent of the Gaussian changes within one panel
_LEAST_PANELS = 8


@dataclass(frozen=True)
class WaveArcs:
    """The density |w(az)| exp((s₀² − z²)/2) on the arcs of z > 0 on which a part of w is positive, cut into panels.

    s₀ is the start of the first arc, so the density has ordinary size however small the mass. A panel is `width` long
    and starts `offset` after the `start` of its arc; `level` is (s₀² − start²)/2. There |w(az)| = sin(a(z − start) +
    phase). Arrays (panels,); `sign` is the sign of w(az).
    """

    frequency: float
    start: np.ndarray
    offset: np.ndarray
    width: np.ndarray
    level: np.ndarray
    phase: np.ndarray
    sign: np.ndarray

    def at(self, panel: np.ndarray) -> WaveArcs:
        """The panels with these indices, which may repeat."""
        rows = (self.start, self.offset, self.width, self.level, self.phase, self.sign)
        return WaveArcs(self.frequency, *(values[panel] for values in rows))

    def places(self, share: np.ndarray | float) -> np.ndarray:
        """In every panel, the point z at this `share` of its width."""
        return np.asarray(self.start + (self.offset + self.width * share))

    def density(self, share: np.ndarray | float, power: int = 0) -> np.ndarray:
        """z^power times the density at those points."""
        t = self.offset + self.width * share
        values = np.sin(self.frequency * t + self.phase) * np.exp(self.level - t * (self.start + t / 2))
        return np.asarray(values * (self.start + t) ** power if power else values)

    def integral(self, share: np.ndarray | float = 1.0, power: int = 0) -> np.ndarray:
        """∫ z^power density dz from the start of every panel to those points, by the Gauss–Legendre rule.

        Node by node, so that a panel's value does not depend on how many others there are.
        """
        total = np.zeros(len(self.start))
        for node, weight in zip(*_rule(), strict=True):
            total += weight * self.density(share * node, power)
        return np.asarray(total * (share * self.width))


def wave_arcs(part: WavePart, frequency: float) -> WaveArcs:
    """The arcs at z > 0 for a = `frequency` ≥ 0: 46 to 180 panels, or about 25a if that is more.

    For symmetric parts both half-lines agree. For max(±sin, 0) these are the arcs of |sin|: an arc of z > 0 on which
    the sine is negative stands for its mirror image, where it is positive.
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

    Relative error below 1e-12, mostly from the exponent π²/8a² of the negative cosine.
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


LARGEST_INVERTED = 1e3
"""Above this frequency there are too many arcs to list; rejection then accepts with probability 1/π or 2/π."""

_STEPS = 4


def draw_wave(stream: Stream, part: WavePart, frequency: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law with density ∝ w⁺(az) φ(z), w⁺ the `part`, a = `frequency` ≥ 0.

    One uniform number per draw, through `wave_quantile`, up to a = 1000. Raises PlanError if the law has no mass.
    """
    if frequency <= LARGEST_INVERTED:
        return wave_quantile(part, frequency, stream.uniforms("wave", (n,)))
    return draw_wave_by_rejection(stream, part, frequency, n)


def draw_wave_by_rejection(stream: Stream, part: WavePart, frequency: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law of `draw_wave`: Gaussian draws accepted with probability w⁺(az).

    A draw takes 1/E w⁺(aZ) proposals on average; it never ends if E w⁺(aZ) = 0.
    """

    def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = special.ndtri(u[:, 0])
        return z, part.values(frequency * z)

    return draw_by_rejection(stream, n, 1, propose)


def wave_quantile(part: WavePart, frequency: float, u: np.ndarray) -> np.ndarray:
    """Points (n,) that follow the law with density ∝ w⁺(az) φ(z) if u (n,) is uniform on (0, 1).

    For symmetric parts this is the quantile function. For max(±sin, 0) it is the quantile of |z| under |sin|, which has
    the same law of |z|, with the sign that makes the part positive. The distribution function at a point differs from
    its u by less than 1e-12, even if the mass of the law underflows. Raises PlanError for a part that vanishes at zero
    if a < 1e-90.
    """
    if frequency < SMALLEST_FREQUENCY and part.vanishes:
        raise PlanError(
            f"the law with density proportional to the {part.name.lower().replace('_', ' ')} of a·z times the "
            f"Gaussian density has no mass at a = {frequency:g}; it needs a > {SMALLEST_FREQUENCY:g}"
        )
    panels, z = _invert(wave_arcs(part, frequency), np.abs(2 * u - 1) if part.symmetric else u)
    side = np.sign(2 * u - 1) if part.symmetric else part.sign * panels.sign
    return np.asarray(side * z)


def _invert(arcs: WaveArcs, share: np.ndarray) -> tuple[WaveArcs, np.ndarray]:
    """The panel and the point z > 0 below which each `share` of all the mass lies."""
    masses = arcs.integral()
    cumulative = np.cumsum(masses)
    wanted = share * cumulative[-1]
    index = np.minimum(np.searchsorted(cumulative, wanted, side="right"), len(masses) - 1)
    panels, mass = arcs.at(index), masses[index]
    rest = np.clip(wanted - (cumulative[index] - mass), 0.0, mass)
    x = _straight(panels, rest / mass)
    # panels are short enough for this start to be within a few percent, and Newton steps square the error;
    # the number of steps is fixed, so that no draw depends on the others
    for _ in range(_STEPS):
        slope = panels.width * panels.density(x)
        x = np.clip(x - (panels.integral(x) - rest) / np.where(slope > 0, slope, np.inf), 0.0, 1.0)
    return panels, panels.places(x)


def _straight(panels: WaveArcs, level: np.ndarray) -> np.ndarray:
    """The quantile of a density that is linear between the ends of the panel."""
    left, right = np.maximum(panels.density(0.0), 0.0), np.maximum(panels.density(1.0), 0.0)
    low = np.maximum(left / (left + right), 1e-30)  # not zero, for the level zero
    return np.asarray(level / (low + np.sqrt(low**2 + level * (1 - 2 * low))))
