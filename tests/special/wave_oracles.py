"""What the tests of waves compare with: mpmath over every arc, and plain sums over a fine grid."""

from __future__ import annotations

from itertools import count

import mpmath
import numpy as np

from kernelspec.special.wave_parts import WavePart

PARTS = list(WavePart)
NAMES = [part.name.lower() for part in PARTS]


def exact_arcs(part: WavePart, a: float) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    """Where the part is positive on z > 0 (any sign of the sine, whose arcs come in mirrored pairs)."""
    half = mpmath.pi / (2 * mpmath.mpf(a))
    arcs: list[tuple[mpmath.mpf, mpmath.mpf]] = []
    for j in count():
        low, high = (2 * j * half, (2 * j + 2) * half) if part.odd else ((2 * j - 1) * half, (2 * j + 1) * half)
        if arcs and low**2 - arcs[0][0] ** 2 > 110:  # e^{−55} = 1e-24
            break
        if part.odd or part.sign != (-1) ** (j + 1):
            arcs.append((max(low, mpmath.mpf(0)), high))
    return arcs


def exact_integral(
    part: WavePart, a: float, low: mpmath.mpf, high: mpmath.mpf, first: mpmath.mpf, power: int = 0
) -> mpmath.mpf:
    """∫ z^power w⁺ exp((first² − z²)/2) dz inside one arc; the factor keeps tiny integrals from looking like zero."""
    high = min(high, mpmath.sqrt(low**2 + 110))
    wave = mpmath.sin if part.odd else mpmath.cos

    def density(z: mpmath.mpf) -> mpmath.mpf:
        return abs(wave(a * z)) * z**power * mpmath.exp((first**2 - z**2) / 2)

    pieces = 1 + int(mpmath.ceil((high - low) * min(high, low + 10) / 20))
    return mpmath.quad(density, mpmath.linspace(low, high, pieces + 1))


def exact_moment(part: WavePart, frequency: float, power: int) -> mpmath.mpf:
    """E |Z|^power w⁺(aZ), to the working precision and 1e-22."""
    a = mpmath.mpf(frequency)
    arcs = exact_arcs(part, a)
    first = arcs[0][0]
    total = mpmath.fsum(exact_integral(part, a, low, high, first, power) for low, high in arcs)
    sides = 2 if part.symmetric else 1
    return sides * total * mpmath.exp(-(first**2) / 2) / mpmath.sqrt(2 * mpmath.pi)


def grid(part: WavePart, a: float, size: int = 60_001) -> tuple[np.ndarray, np.ndarray]:
    """Points on both sides of zero and weights w⁺(az) e^{−z²/2} dz with sum 1, by the trapezoidal rule."""
    first = np.pi / (2 * a) if part.sign < 0 and not part.odd else 0.0
    side = first + np.linspace(0, np.sqrt(first**2 + 90) - first, size)
    z = np.concatenate([-side[::-1], side])
    density = part.values(a * z) * np.exp((first - np.abs(z)) * (first + np.abs(z)) / 2)
    weights = density * np.gradient(side)[0]
    return z, weights / weights.sum()
