"""Masses, moments and transforms of the parts of a wave under the Gaussian."""

from __future__ import annotations

from functools import lru_cache
from math import asinh, ceil, exp, floor, inf, log2, pi, sqrt

import numpy as np

from kernelspec.loading import special
from kernelspec.random.streams import Stream
from kernelspec.special.exact_draws import draw_by_rejection
from kernelspec.special.wave_parts import LARGEST_INVERTED, SMALLEST_FREQUENCY, WavePart, arc_moment, wave_quantile

__all__ = [
    "doubled_phase",
    "draw_modulus",
    "modulus_mass",
    "wave_cosine",
    "wave_mass",
    "wave_second_moment",
    "wave_sine",
]

SERIES_FROM = 1.5
"""The smallest frequency for the series; below, its terms cancel and arcs are summed."""

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
    """E Z² w⁺(aZ), as in `wave_mass`.

    The same series with (1 − 4k²a²) e^{−2k²a²} for e^{−2k²a²} and (1 − a²) e^{−a²/2} for e^{−a²/2}, because E Z² cos bZ
    = (1 − b²) e^{−b²/2}.
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


_SERIES_COEFFICIENT = 2 / pi
"""|sin θ| = −(2/π) Σ_k e^{2ikθ} / (4k² − 1) and |cos θ| = −(2/π) Σ_k (−1)^k e^{2ikθ} / (4k² − 1), k ∈ Z."""

_REACH = 9.2  # P(|Z| > 9.2) and e^{−9.2²/2} are below 1e-18
_FLAT = pi / 2 / _REACH


def wave_cosine(part: WavePart, frequency: float, lag: np.ndarray) -> np.ndarray:
    """E w⁺(aZ) cos(τZ), Z ~ N(0, 1), w⁺ the `part` of the wave, a = `frequency` ≥ 0, at τ = `lag` of any shape.

    The Fourier series of the part makes it a sum of Gaussians e^{−(2ka + τ)²/2}, of which those with |2ka + τ| < 9.2
    count. Below a = 0.17 the wave has a single zero within reach of the Gaussian: then |sin aZ| is sin a|Z|,
    whose transform is Dawson's function. Absolute error below 1e-15.
    """
    tau = np.asarray(lag, dtype=float)
    a = frequency
    if part.odd:
        absolute = _absolute_sine(a, tau)
        return absolute if part.sign == 0 else absolute / 2
    turning = (np.exp(-((tau + a) ** 2) / 2) + np.exp(-((tau - a) ** 2) / 2)) / 2
    absolute = turning if a < _FLAT else _series(a, tau, alternating=True)
    return absolute if part.sign == 0 else np.asarray((absolute + part.sign * turning) / 2)


def wave_sine(part: WavePart, frequency: float, lag: np.ndarray) -> np.ndarray:
    """E w⁺(aZ) sin(τZ): ±½ E sin aZ sin τZ for max(±sin, 0), zero for even parts."""
    tau = np.asarray(lag, dtype=float)
    if part.symmetric:
        return np.zeros_like(tau)
    fall = np.exp(-((tau - frequency) ** 2) / 2) - np.exp(-((tau + frequency) ** 2) / 2)
    return np.asarray(part.sign * fall / 4)


def _absolute_sine(a: float, tau: np.ndarray) -> np.ndarray:
    if a >= _FLAT:
        return _series(a, tau, alternating=False)
    return np.asarray((special.dawsn((a + tau) / sqrt(2)) + special.dawsn((a - tau) / sqrt(2))) / sqrt(pi))


def _series(a: float, tau: np.ndarray, *, alternating: bool) -> np.ndarray:
    nearest = np.round(-tau / (2 * a))
    total = np.zeros_like(tau)
    reach = ceil(_REACH / (2 * a)) + 1
    for step in range(-reach, reach + 1):
        k = nearest + step
        sign = 1 - 2 * np.mod(k, 2) if alternating else 1.0
        total -= _SERIES_COEFFICIENT * sign / (4 * k**2 - 1) * np.exp(-((2 * a * k + tau) ** 2) / 2)
    return total


_NODES = 16
_PANELS = 32
_MODULUS_REACH = 9.6  # e^{−z²/2} beyond is less than 1e-20


def modulus_mass(frequency: float, amplitude: float) -> float:
    """E √(1 + c² sin² aZ), Z ~ N(0, 1), a = `frequency` ≥ 0, c = `amplitude` ≥ 0 finite, to a relative 1e-13.

    With p the density of aZ folded onto [0, π/2], this is ∫ √(1 + c² sin² θ) p(θ) dθ, by the 16-node Gauss–Legendre
    rule on panels between the points b sinh k, k = 0, 1, …, b = asinh(1/c), and finer. The branch points ±ib of the
    root lie on or outside the Bernstein ellipse of parameter 4 of every such panel, so the error of the rule is a
    multiple of 4^{−32} ≈ 5e-20 [Trefethen 2013, theorem 19.3]; only rounding remains.
    """
    a, c = frequency, amplitude
    if a < SMALLEST_FREQUENCY or c == 0:
        return 1.0
    top = min(pi / 2, _MODULUS_REACH * a)
    scale = asinh(1 / c) if c > 1e-300 else np.inf
    knots = scale * np.sinh(np.arange(1, 1 + floor(asinh(top / scale))))
    edges = np.unique(np.concatenate([top * np.arange(_PANELS + 1) / _PANELS, knots[knots < top]]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    angle = edges[:-1, None] + half * (nodes + 1)
    return float(np.sum(half * weights * np.hypot(1, c * np.sin(angle)) * _folded(angle, a)))


def _folded(angle: np.ndarray, a: float) -> np.ndarray:
    """The density at θ of aZ folded onto [0, π/2], by one of Jacobi's two series."""
    if a < SERIES_FROM:
        turns = pi * np.arange(floor(_MODULUS_REACH * a / pi) + 2)[:, None, None]
        z = np.concatenate([turns + angle, turns[1:] - angle]) / a
        return np.asarray(np.sum(np.exp(-(z**2) / 2), axis=0) * 2 / (a * sqrt(2 * pi)))
    total = np.ones_like(angle)
    for k in range(1, _TERMS):
        b = 2 * k * min(a, 100.0)
        total += 2 * np.exp(-(b**2) / 2) * np.cos(2 * k * angle)
    return total * 2 / pi


def draw_modulus(stream: Stream, frequency: float, amplitude: float, n: int) -> np.ndarray:
    """n independent draws (n,) of the law with density ∝ √(1 + c² sin² az) φ(z), by rejection.

    √(1 + c²s²) ≤ 1 + c|s| ≤ √2 √(1 + c²s²): the mixture of φ and |sin az| φ is accepted with probability at least 1/√2.
    Above a = 1000 the proposal is the Gaussian itself, accepted with probability at least 2/π.
    """
    many = frequency > LARGEST_INVERTED
    sine = amplitude * wave_mass(WavePart.ABSOLUTE_SINE, frequency) if not many else 0.0

    def propose(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = special.ndtri(u[:, 1])
        waved = np.flatnonzero(u[:, 0] * (1 + sine) < sine)
        if len(waved):
            z[waved] = wave_quantile(WavePart.ABSOLUTE_SINE, frequency, u[waved, 1])
        height = amplitude * np.abs(np.sin(frequency * z))
        return z, np.hypot(1, height) / (np.hypot(1, amplitude) if many else 1 + height)

    return draw_by_rejection(stream, n, 2, propose)


_DECAY = 36.0  # e^{−36} is below 1e-15
_LARGEST_RATE = 2**16


def doubled_phase(frequency: float, amplitude: float, lag: np.ndarray) -> np.ndarray:
    """E |h| cos(2 arg h + τZ), h = 1 + ic sin aZ, Z ~ N(0, 1), a = `frequency` ≥ 0, c = `amplitude` ≥ 0, τ = `lag`.

    With F_n the Fourier coefficients of h²/|h| (real, because h(−θ) = conj h(θ)), this is Σ_n F_n e^{−(na + τ)²/2}. The
    coefficients fall like e^{−n asinh(1/c)}, so at most 36/asinh(1/c) of them count, and only those with |na + τ| <
    9.2. Coefficients beyond the first 2¹⁵, below 1e-9 of c, are left out.
    """
    tau = np.asarray(lag, dtype=float)
    coefficients = _coefficients(amplitude)
    largest = len(coefficients) // 2
    if frequency == 0:
        return np.asarray(sum(coefficients) * np.exp(-(tau**2) / 2))
    table = np.asarray(coefficients)
    nearest = np.round(-tau / frequency)
    reach = min(ceil(_REACH / frequency) + 1, 2 * largest)
    total = np.zeros_like(tau)
    if reach == 2 * largest:
        for n in range(-largest, largest + 1):
            total += table[largest + n] * np.exp(-((n * frequency + tau) ** 2) / 2)
        return total
    for step in range(-reach, reach + 1):
        order = nearest + step
        known = np.abs(order) <= largest
        place = largest + np.where(known, order, 0).astype(np.intp)
        total += np.where(known, table[place], 0.0) * np.exp(-((order * frequency + tau) ** 2) / 2)
    return total


@lru_cache(maxsize=16)
def _coefficients(c: float) -> tuple[float, ...]:
    """F_n for n = −m, …, m."""
    width = asinh(1 / c) if c > 1e-300 else inf
    needed = min(_LARGEST_RATE, max(8.0, 2 * _DECAY / width))
    size = 2 ** ceil(log2(2 * needed))
    h = 1 + 1j * c * np.sin(2 * np.pi * np.arange(size) / size)
    found = np.fft.fft(h**2 / np.abs(h)).real / size
    m = size // 4
    return tuple(np.concatenate([found[-m:], found[: m + 1]]).tolist())
