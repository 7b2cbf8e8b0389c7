"""Masses and second moments of the parts of a wave under the Gaussian: the total masses of complex measures."""

from __future__ import annotations

from math import exp, pi

from kernelspec.special.wave_arcs import arc_moment
from kernelspec.special.wave_part import WavePart

__all__ = ["SERIES_FROM", "series_moment", "wave_mass", "wave_second_moment"]

SERIES_FROM = 1.5
"""The least frequency for which the series is used; below, its terms cancel and arcs are summed."""

_TERMS = 4
_LARGEST = 100.0  # beyond, every exponential is zero in floating point


def wave_mass(part: WavePart, frequency: float) -> float:
    """E w⁺(aZ), Z ~ N(0, 1), w⁺ the `part` of the wave, a = `frequency` ≥ 0, to a relative 1e-12.

    With q_k = e^{−2k²a²} / (4k² − 1):
    E max(±cos aZ, 0) = 1/π ± ½ e^{−a²/2} + (2/π) Σ_{k≥1} (−1)^{k+1} q_k;
    E max(±sin aZ, 0) = 1/π − (2/π) Σ_{k≥1} q_k; absolute values are twice that without the term ±½ e^{−a²/2}.
    These are the Fourier series of the parts under E cos 2kaZ = e^{−2k²a²}. Zero below the smallest normal number.
    """
    return series_moment(part, frequency, 0) if frequency >= SERIES_FROM else arc_moment(part, frequency, 0)


def wave_second_moment(part: WavePart, frequency: float) -> float:
    """E Z² w⁺(aZ), as `wave_mass`.

    The same series with (1 − 4k²a²) e^{−2k²a²} for e^{−2k²a²} and (1 − a²) e^{−a²/2} for e^{−a²/2}, because
    E Z² cos bZ = (1 − b²) e^{−b²/2}.
    """
    return series_moment(part, frequency, 2) if frequency >= SERIES_FROM else arc_moment(part, frequency, 2)


def series_moment(part: WavePart, frequency: float, power: int) -> float:
    """E Z^power w⁺(aZ), `power` 0 or 2, by the series: full accuracy for a ≥ 1.5 only."""
    a = min(frequency, _LARGEST)

    def cosine(b: float) -> float:
        """E Z^power cos bZ."""
        return exp(-(b**2) / 2) * (1 - b**2 if power else 1)

    total = 1 / pi
    for k in range(1, _TERMS):
        alternating = -1 if part.odd or k % 2 == 0 else 1
        total += alternating * 2 / pi * cosine(2 * k * a) / (4 * k**2 - 1)
    if part.sign == 0:
        return 2 * total
    return total if part.odd else total + part.sign * cosine(a) / 2
