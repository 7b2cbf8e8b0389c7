"""Exact samplers: batched rejection, Fejér, inverse gamma, positive stable mixtures and Poisson numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, lgamma, log, pi, sqrt

import numpy as np

from kernelspec.limits import spend
from kernelspec.loading import special
from kernelspec.random.streams import Stream
from kernelspec.special.elementary import sinc

__all__ = [
    "LARGEST_VARIANCE",
    "draw_by_rejection",
    "draw_fejer",
    "draw_inverse_gamma",
    "fejer_density",
    "log_stable_mixture",
    "poisson_shares",
]


def draw_by_rejection(
    stream: Stream, n: int, uniforms: int, propose: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """n independent draws (n,) from `propose`, accepted with the probability that it states.

    `propose` maps (m, uniforms) numbers uniform on (0, 1) to m candidates and m probabilities, row by row. Every round
    proposes, in order, for the entries still missing.
    """
    draws = np.empty(n)
    waiting, attempt = np.arange(n), 0
    while len(waiting):
        u = stream.uniforms(f"proposals of round {attempt}", (len(waiting), uniforms + 1))
        candidates, probabilities = propose(u[:, 1:])
        accepted = u[:, 0] < probabilities
        draws[waiting[accepted]] = candidates[accepted]
        waiting, attempt = waiting[~accepted], attempt + 1
    return draws


def fejer_density(x: np.ndarray) -> np.ndarray:
    """(1 − cos x) / πx² = sin²(x/2) / 2π(x/2)², which is 1/2π at zero."""
    return np.asarray(np.square(sinc(np.asarray(x) / 2)) / (2 * np.pi))


def draw_fejer(stream: Stream, shape: tuple[int, ...]) -> np.ndarray:
    """Independent draws by rejection under min(1/2π, 2/πx²), accepted with probability π/4 [Devroye 1984].

    Proposals are 2V or 2/V, V uniform on (−1, 1), with equal probability. Every round draws, in order, for the entries
    still missing, so the first entries do not depend on how many follow.
    """
    draws = np.empty(int(np.prod(shape)))
    waiting, attempt = np.arange(len(draws)), 0
    while len(waiting):
        coin, v, u = stream.generator(f"fejér round {attempt}").random((len(waiting), 3)).T
        v = 2 * v - 1
        inside = coin < 0.5
        with np.errstate(divide="ignore"):
            x = np.where(inside, 2 * v, 2 / v)
        half = np.where(np.isfinite(x) & (x != 0), x / 2, 1.0)
        bound = np.square(np.sin(half) / np.where(inside, half, 1.0))
        accepted = (u < bound) & np.isfinite(x)
        draws[waiting[accepted]] = x[accepted]
        waiting, attempt = waiting[~accepted], attempt + 1
    return draws.reshape(shape)


LARGEST_VARIANCE = 1e60
"""Cap on the variances of frequencies (in units of 1/scale²), so that phases stay finite.

The kernel changes by E[exp(−10⁶⁰ Δ²/2)], which is zero in floating point for every lag above 1e-28 scales.
"""


def draw_inverse_gamma(stream: Stream, purpose: str, shape: float, size: int | tuple[int, ...]) -> np.ndarray:
    """Draws of a/G with G ~ Gamma(a, 1), a = `shape` > 0: the variance of a Student law of 2a degrees of freedom."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.minimum(shape / stream.gamma(purpose, shape, size), LARGEST_VARIANCE)


_NODES = 32
_MOST_BLOCKS = 400
_MOST_POLES = 45
_OPERATIONS = 250_000


def log_stable_mixture(index: float, c: np.ndarray, dim: int) -> np.ndarray:
    """ln E[A^{−dim/2} exp(−c/A)], A positive stable with E e^{−sA} = e^{−s^a}, a = `index` in (0, 1), c ≥ 0.

    A Mellin–Barnes integral, since E A^w = Γ(1 − w/a) / Γ(1 − w) for w < a: (1/2πi) ∫ Γ(z) c^{−z} E A^{z − dim/2} dz
    over a vertical line in 0 < Re z < a + dim/2, by the trapezoidal rule, which converges exponentially. The line
    passes through the saddle point, where nothing cancels, or beyond poles whose residues are then added: E A^{−dim/2}
    on the left, the power tail on the right. Relative error about 1e-13 (times the logarithm itself if dim is in the
    hundreds).
    """
    c = np.asarray(c, dtype=float)
    values = np.full(c.shape, lgamma(1 + dim / (2 * index)) - lgamma(1 + dim / 2))
    positive = c > 0
    if positive.any():
        values[positive] = _integrate(index, np.log(c[positive]), dim)
    return values


def _integrate(a: float, log_c: np.ndarray, dim: int) -> np.ndarray:
    spend(_OPERATIONS * len(log_c))
    end = a + dim / 2
    poles = 1 + min(_MOST_POLES, max(0, ceil(np.exp(min(log_c.max(), 5.0)) - dim / 2)))
    inner = np.minimum(_saddle(a, log_c, dim, 0, end), end - a / 8)
    beyond = end + a * (np.arange(poles) + 0.5)
    lines = np.column_stack([_saddle(a, log_c, dim, -1, 0), inner, np.tile(beyond, (len(log_c), 1))])
    sizes = _exponent(a, lines + 0.5j * a, log_c[:, None], dim).real
    scales, sums = _residues(a, log_c, dim, poles)
    levels = np.maximum(sizes, scales)
    chosen = (np.arange(len(log_c)), np.argmin(levels, axis=1))  # least cancellation
    level = levels[chosen]
    integral = _trapezoid(a, lines[chosen], log_c, dim, level)
    return np.asarray(level + np.log(sums[chosen] * np.exp(scales[chosen] - level) + integral))


def _residues(a: float, log_c: np.ndarray, dim: int, poles: int) -> tuple[np.ndarray, np.ndarray]:
    """The residues for each candidate line: sums · exp(scales)."""
    k = np.arange(1, poles + 1)
    factor = np.sin(pi * k * (1 - a))  # (−1)^{k−1} sin πka without cancellation as a → 1
    with np.errstate(divide="ignore"):
        constant = (
            np.log(np.abs(factor) * a / pi)
            + special.gammaln(dim / 2 + k * a)
            + special.gammaln(k * a)
            - special.gammaln(k)
        )
    terms = constant - (dim / 2 + k * a) * log_c[:, None]
    top = np.maximum.accumulate(terms, axis=1)
    sums = [np.exp(terms[:, :j] - top[:, j - 1 : j]) @ np.sign(factor[:j]) for j in k]
    at_zero = lgamma(1 + dim / (2 * a)) - lgamma(1 + dim / 2)
    column = np.ones(len(log_c))
    return np.column_stack([column * at_zero, -np.inf * column, top]), np.column_stack([column, 0 * column, *sums])


def _exponent(a: float, z: np.ndarray, log_c: np.ndarray, dim: int) -> np.ndarray:
    w = z - dim / 2
    return np.asarray(special.loggamma(z) - z * log_c + special.loggamma(1 - w / a) - special.loggamma(1 - w))


def _saddle(a: float, log_c: np.ndarray, dim: int, low: float, high: float) -> np.ndarray:
    """The minimum of the integrand on (low, high), by bisection: its logarithm is convex there."""
    below, above = np.full_like(log_c, low), np.full_like(log_c, high)
    for _ in range(30):
        middle = (below + above) / 2
        w = middle - dim / 2
        falling = special.psi(middle) - log_c - special.psi(1 - w / a) / a + special.psi(1 - w) < 0
        below, above = np.where(falling, middle, below), np.where(falling, above, middle)
    return np.asarray((below + above) / 2)


def _trapezoid(a: float, line: np.ndarray, log_c: np.ndarray, dim: int, level: np.ndarray) -> np.ndarray:
    """(1/2πi) ∫ exp(exponent − level) along each line; the step follows the nearest pole and the curvature."""
    w = line - dim / 2
    to_right = np.where(w < a, a - w, a / 2)
    gap = np.minimum(np.minimum(np.abs(line), np.abs(line + 1)), to_right)
    curvature = special.polygamma(1, line) + special.polygamma(1, 1 - w / a) / a**2 - special.polygamma(1, 1 - w)
    step = 2 * pi / (42 / gap + 9 * np.sqrt(np.maximum(curvature, 0)))
    at_line = np.exp(_exponent(a, line.astype(complex), log_c, dim) - level).real
    total, largest = 0.5 * np.nan_to_num(at_line), np.ones(len(line))
    for block in range(_MOST_BLOCKS):
        y = step[:, None] * np.arange(block * _NODES + 1, (block + 1) * _NODES + 1)
        terms = np.exp(_exponent(a, line[:, None] + 1j * y, log_c[:, None], dim) - level[:, None])
        total += terms.real.sum(axis=1)
        sizes = np.abs(terms)
        largest = np.maximum(largest, sizes.max(axis=1))
        if (sizes[:, -4:].max(axis=1) < 1e-18 * largest).all():
            return np.asarray(total * step / pi)
    raise ArithmeticError("the integral for the density of powered_exponential() did not converge")


_LOG_SMALLEST = 750.0


@lru_cache(maxsize=32)
def poisson_shares(rate: float, first: int = 0, step: int = 1) -> tuple[int, np.ndarray]:
    """P(N = n) for N ~ Poisson(rate) given that N is `first`, `first` + `step`, …, and the lowest n that matters.

    Computed outwards from the mode by ratios until underflow, then normalized: log factorials would lose digits.
    """
    mode = max(first, floor(rate) - (floor(rate) - first) % step)
    spread = sqrt(2 * _LOG_SMALLEST * rate)
    lowest = max(first, mode - step * ceil(spread / step))
    end = spread + _LOG_SMALLEST / max(1.0, log(_LOG_SMALLEST) - log(rate)) + 20
    up, down = (np.arange(mode, mode + end, step, dtype=float), np.arange(mode, lowest, -step, dtype=float))
    rising = np.cumprod(np.prod([rate / (up + i) for i in range(1, step + 1)], axis=0))
    falling = np.cumprod(np.prod([(down - i) / rate for i in range(step)], axis=0))[::-1]
    relative = np.concatenate([falling, [1.0], rising])
    relative = relative[: np.flatnonzero(relative > 0)[-1] + 1]
    shares = relative / relative.sum()
    shares.flags.writeable = False
    return lowest, shares
