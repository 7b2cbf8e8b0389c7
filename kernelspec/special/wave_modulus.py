"""The modulus √(1 + c² sin² aZ) of 1 − ic sin aZ under the Gaussian: the total variation of a sinh kernel's measure."""

from __future__ import annotations

from math import asinh, floor, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.special.rejection import draw_by_rejection
from kernelspec.special.wave_arcs import SMALLEST_FREQUENCY
from kernelspec.special.wave_draws import LARGEST_INVERTED, wave_quantile
from kernelspec.special.wave_moments import SERIES_FROM, wave_mass
from kernelspec.special.wave_part import WavePart

if TYPE_CHECKING:
    from kernelspec.random.streams import Stream

__all__ = ["draw_modulus", "modulus_mass", "modulus_second_moment"]

_NODES = 16
_PANELS = 32
_REACH = 9.6  # e^{−z²/2} beyond is less than 1e-20
_TERMS = 4


def modulus_mass(frequency: float, amplitude: float) -> float:
    """E √(1 + c² sin² aZ), Z ~ N(0, 1), a = `frequency` ≥ 0, c = `amplitude` ≥ 0 finite, to a relative 1e-13.

    With p the density of aZ folded onto [0, π/2] it is ∫ √(1 + c² sin² θ) p(θ) dθ, by Gauss and Legendre's rule
    of 16 nodes on panels between the points b sinh k, k = 0, 1, …, b = asinh(1/c), and finer. The branch
    points ±ib of the root lie on or outside the Bernstein ellipse of parameter 4 of every such panel, so the rule
    errs by a multiple of 4^{−32} ≈ 5e-20 [Trefethen 2013, theorem 19.3]; what remains is rounding.
    """
    return _modulus_moment(frequency, amplitude, 0)


def modulus_second_moment(frequency: float, amplitude: float) -> float:
    """E Z² √(1 + c² sin² aZ), as `modulus_mass`."""
    return _modulus_moment(frequency, amplitude, 2)


def draw_modulus(stream: Stream, frequency: float, amplitude: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law with density ∝ √(1 + c² sin² az) φ(z), by rejection.

    √(1 + c²s²) ≤ 1 + c|s| ≤ √2 √(1 + c²s²): the mixture of φ and |sin az| φ is accepted with probability 1/√2
    at least. Above a = 1000 the Gaussian itself is, with probability 2/π or more.
    """
    many = frequency > LARGEST_INVERTED
    sine = amplitude * wave_mass(WavePart.ABSOLUTE_SINE, frequency) if not many else 0.0

    def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from scipy.special import ndtri

        z = ndtri(u[:, 1])
        waved = np.flatnonzero(u[:, 0] * (1 + sine) < sine)
        if len(waved):
            z[waved] = wave_quantile(WavePart.ABSOLUTE_SINE, frequency, u[waved, 1])
        height = amplitude * np.abs(np.sin(frequency * z))
        return z, np.hypot(1, height) / (np.hypot(1, amplitude) if many else 1 + height)

    return draw_by_rejection(stream, n, 2, propose)


def _modulus_moment(a: float, c: float, power: int) -> float:
    if a < SMALLEST_FREQUENCY or c == 0:
        return 1.0
    top = min(pi / 2, _REACH * a)
    scale = asinh(1 / c) if c > 1e-300 else np.inf
    knots = scale * np.sinh(np.arange(1, 1 + floor(asinh(top / scale))))
    edges = np.unique(np.concatenate([top * np.arange(_PANELS + 1) / _PANELS, knots[knots < top]]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    angle = edges[:-1, None] + half * (nodes + 1)
    return float(np.sum(half * weights * np.hypot(1, c * np.sin(angle)) * _folded(angle, a, power)))


def _folded(angle: np.ndarray, a: float, power: int) -> np.ndarray:
    """The density at θ of aZ folded onto [0, π/2], each Z counted Z^power times; one of Jacobi's two series."""
    if a < SERIES_FROM:
        turns = pi * np.arange(floor(_REACH * a / pi) + 2)[:, None, None]
        z = np.concatenate([turns + angle, turns[1:] - angle]) / a
        return np.asarray(np.sum(z**power * np.exp(-(z**2) / 2), axis=0) * 2 / (a * sqrt(2 * pi)))
    total = np.ones_like(angle)
    for k in range(1, _TERMS):
        b = 2 * k * min(a, 100.0)
        total += 2 * (1 - b**2 if power else 1) * np.exp(-(b**2) / 2) * np.cos(2 * k * angle)
    return total * 2 / pi
