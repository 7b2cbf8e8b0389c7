"""Exact draws of the laws whose density is a part of a wave times the Gaussian, at a cost free of the part's mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.special.rejection import draw_by_rejection
from kernelspec.special.wave_arcs import SMALLEST_FREQUENCY, WaveArcs, wave_arcs
from kernelspec.special.wave_part import WavePart

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["LARGEST_INVERTED", "draw_wave", "draw_wave_by_rejection", "wave_quantile"]

LARGEST_INVERTED = 1e3
"""Above this frequency there are too many arcs to list; then rejection accepts with probability 1/π or 2/π."""

_STEPS = 4


def draw_wave(stream: Stream, part: WavePart, frequency: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law with density ∝ w⁺(az) φ(z), w⁺ the `part`, a = `frequency` ≥ 0.

    One uniform number a draw, through `wave_quantile`, up to a = 1000. Raises PlanError where the law has no mass.
    """
    if frequency <= LARGEST_INVERTED:
        return wave_quantile(part, frequency, stream.uniforms("wave", (n,)))
    return draw_wave_by_rejection(stream, part, frequency, n)


def draw_wave_by_rejection(stream: Stream, part: WavePart, frequency: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law of `draw_wave`, as Gaussian ones accepted with probability w⁺(az).

    A draw takes 1/E w⁺(aZ) proposals in the mean; without an end where that is 0.
    """

    def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from scipy.special import ndtri

        z = ndtri(u[:, 0])
        return z, part.values(frequency * z)

    return draw_by_rejection(stream, n, 1, propose)


def wave_quantile(part: WavePart, frequency: float, u: np.ndarray) -> np.ndarray:
    """Points (n,) that follow the law with density ∝ w⁺(az) φ(z) when u (n,) is uniform on (0, 1).

    For the symmetric parts this is the quantile function. For max(±sin, 0) it is that of |z| under |sin|,
    which has the same law of |z|, with the sign that makes the part positive.
    The distribution function of a point differs from its u by less than 1e-12, also where the mass of the law
    underflows. Raises PlanError for a part that vanishes at zero if a < 1e-90.
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
    # panels are so short that this start is right to some percent, and Newton's steps square the error;
    # their number is fixed, so that no draw depends on the others
    for _ in range(_STEPS):
        slope = panels.width * panels.density(x)
        x = np.clip(x - (panels.integral(x) - rest) / np.where(slope > 0, slope, np.inf), 0.0, 1.0)
    return panels, panels.places(x)


def _straight(panels: WaveArcs, level: np.ndarray) -> np.ndarray:
    """The quantile of a density that is straight between its values at the ends of the panel."""
    left, right = np.maximum(panels.density(0.0), 0.0), np.maximum(panels.density(1.0), 0.0)
    low = np.maximum(left / (left + right), 1e-30)  # not zero, for the level zero
    return np.asarray(level / (low + np.sqrt(low**2 + level * (1 - 2 * low))))
