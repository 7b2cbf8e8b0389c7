"""Functions of the distance as piecewise Legendre polynomials, and the mass and density of their spectrum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.limits import spend
from kernelspec.loading import special
from kernelspec.special.legendre import NODES, WEIGHTS, legendre_coefficients, legendre_values, legendre_waves

__all__ = ["HankelPieces", "hankel_pieces"]

Array = NDArray[np.float64]

_SERIES = 2.0  # up to this ρr the Bessel function is summed by its power series

_TERMS = 14
_SLOW = 6.0  # pieces over which ρr changes by less than twice this are integrated by Gauss's rule

_EXPANSION, _FAR = 20, 25.0  # terms of the expansion of a Bessel function, and the argument from which it is used

_WINDOW, _OCTAVES = 64.0, 5  # smooth tails are cut off smoothly over five octaves, from ρr = 64 on

_RECURRENCE = 20  # higher integer orders are left to SciPy

_ROUNDING = 2e-15
_OPERATIONS = 5000
_BLOCK = 1 << 11  # of pieces: arrays that stay in a cache
_MOST_PIECES = 1 << 11
_LEAST, _MOST = -44, 44  # the octaves, on either side of the scale, on which f is resolved

_AGREEMENT, _NOTHING = 1e-13, 1e-20
_OVERLOOKED = 1e-12  # what a polynomial may miss of f at a probe: the last digits of values, not a bump


@dataclass(frozen=True)
class HankelPieces:
    """f(‖x‖) on R^dim, the transform of a radial measure μ: f on the pieces middle ± half (m,), from 0 on.

    Given by values at the nodes of Gauss's rule (m, 24), or equivalently Legendre polynomials, up to the `residual`;
    `is_tail` marks octaves on which f is smooth up to infinity, so that oscillations may be cut off there.

    On each piece J_ν(ρr) = Re H(ρr) e^{iρr} with a smooth amplitude H, and polynomials times e^{iρr} are integrated
    exactly. Source: Filon 1928; Iserles 2004.
    """

    middle: Array
    half: Array
    nodal: Array
    residual: Array
    is_tail: NDArray[np.bool_]
    dim: int

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        """∫₀^b r^{d−1+2k} f dr / b^{d+2k} at the ends b of the pieces, (m, terms), and the error for k = 0, (m,)."""
        middle, half, nodal, residual = self.middle, self.half, self.nodal, self.residual
        end, start = middle + half, middle - half
        powers = self.dim + 2.0 * np.arange(_TERMS)
        share = (middle[:, None] + half[:, None] * NODES) / end[:, None]
        weights = (half / end)[:, None] * WEIGHTS
        own = np.einsum("mn,mn,mnk->mk", weights, nodal, share[:, :, None] ** (powers - 1))
        found, doubt = np.empty_like(own), np.empty(len(end))
        for j in range(len(end)):
            shrink = (end[j - 1] / end[j]) ** powers if j else np.zeros(_TERMS)  # between pieces, f is 0
            found[j] = own[j] + (found[j - 1] * shrink if j else 0.0)
            doubt[j] = residual[j] * (1 - (start[j] / end[j]) ** self.dim) / self.dim
            doubt[j] += doubt[j - 1] * shrink[0] if j else 0.0
        return found, doubt

    def values_between(self, low: float, high: float, most: int) -> tuple[Array, Array]:
        """About `most` distances r between two limits, or fewer, and f(r)."""
        r = self.middle[:, None] + self.half[:, None] * NODES
        inside = np.flatnonzero((r > low) & (r < high))
        chosen = inside[:: max(1, len(inside) // most)]
        return r.ravel()[chosen], self.nodal.ravel()[chosen]

    def ball(self, radii: Array) -> tuple[Array, Array]:
        """μ(‖ω‖ ≤ ρ), (n,), and error bounds.

        ρ^{d/2} / (2^{d/2−1} Γ(d/2)) ∫ r^{d/2−1} J_{d/2}(ρr) f(r) dr.
        """
        half = self.dim / 2
        log_size = half * np.log(radii) - (half - 1) * math.log(2) - math.lgamma(half)
        return self._transform(np.asarray(radii, dtype=float), half, half - 1, log_size)

    def shell(self, radii: Array) -> tuple[Array, Array]:
        """The derivative of μ(‖ω‖ ≤ ρ), and error bounds."""
        values, errors = self.density(radii)
        half = self.dim / 2
        area = np.exp(math.log(2) + half * math.log(math.pi) - math.lgamma(half) + (self.dim - 1) * np.log(radii))
        return area * values, area * errors

    def density(self, radii: Array) -> tuple[Array, Array]:
        """The density of μ at ‖ω‖ = ρ > 0: (2π)^{−d/2} ρ^{1−d/2} ∫ r^{d/2} J_{d/2−1}(ρr) f(r) dr, and errors."""
        half = self.dim / 2
        log_size = (1 - half) * np.log(radii) - half * math.log(2 * math.pi)
        return self._transform(np.asarray(radii, dtype=float), half - 1, half, log_size)

    def work(self, radii: Array) -> int:
        """The number of pieces that a transform at these ρ sums one by one, over all ρ."""
        first, last, _ = self._summed(np.asarray(radii, dtype=float))
        return int(np.maximum(last - first, 0).sum())

    def _summed(self, radii: Array) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
        """For every ρ, the first and last pieces summed one by one, and the cutoff of smooth tails."""
        start, end, far = self.middle - self.half, self.middle + self.half, self.is_tail
        first = np.searchsorted(end, _SERIES / radii, side="right")  # earlier pieces use the power series
        if not far.any():
            return first, np.full(len(radii), len(end)), np.full(len(radii), np.inf)
        cut = np.maximum(float(start[far].min()), _WINDOW / radii)
        return first, np.minimum(len(end), np.searchsorted(start, cut * 2.0**_OCTAVES)), cut

    def _transform(self, radii: Array, order: float, power: float, log_size: Array) -> tuple[Array, Array]:
        """e^{log size} ∫ r^power J_order(ρr) f(r) dr."""
        values, errors = np.zeros(len(radii)), np.zeros(len(radii))
        if not len(self.middle):  # f is not resolved anywhere
            return values, np.full(len(radii), np.inf)
        first, last, cut = self._summed(radii)
        errors[radii * (self.middle + self.half)[0] > _SERIES] = np.inf  # f is not resolved this near 0
        self._add_series(radii, first, order, log_size, values, errors)
        if not len(radii):
            return values, errors
        counts = np.maximum(last - first, 0)
        spend(_OPERATIONS * float(counts.sum()))
        owner = np.repeat(np.arange(len(radii)), counts)
        piece = np.concatenate([np.arange(a, b) for a, b in zip(first, first + counts, strict=True)]).astype(int)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(owner), _BLOCK):
                who, which = owner[start : start + _BLOCK], piece[start : start + _BLOCK]
                self._add_pieces(radii, who, which, cut, order, power, log_size, values, errors)
        lost = ~(np.isfinite(values) & np.isfinite(errors))  # f is beyond floats somewhere
        values[lost], errors[lost] = 0, np.inf
        return values, errors

    def _add_series(
        self, radii: Array, first: NDArray[np.intp], order: float, log_size: Array, values: Array, errors: Array
    ) -> None:
        middle, half = self.middle, self.half
        moments, doubt = self._moments
        inside = first > 0
        j = first[inside] - 1
        b, rho = (middle + half)[j], radii[inside]
        k = np.arange(_TERMS)
        factor = np.array([(-1) ** i / (math.factorial(i) * math.gamma(i + order + 1)) for i in k])
        terms = (rho * b / 2)[:, None] ** (2 * k) * factor * moments[j]
        size = np.exp(log_size[inside] + order * np.log(rho / 2) + self.dim * np.log(b))
        values[inside] += size * terms.sum(axis=1)
        errors[inside] += size * (abs(factor[0]) * doubt[j] + _ROUNDING * np.abs(terms).sum(axis=1))

    def _add_pieces(
        self,
        radii: Array,
        who: NDArray[np.intp],
        which: NDArray[np.intp],
        cut: Array,
        order: float,
        power: float,
        log_size: Array,
        values: Array,
        errors: Array,
    ) -> None:
        middle, half, nodal, residual = self.middle, self.half, self.nodal, self.residual
        rho, h = radii[who], half[which]
        r = middle[which][:, None] + h[:, None] * NODES
        amplitude = _amplitude(order, rho[:, None] * r)
        with np.errstate(over="ignore"):
            weight = np.exp(log_size[who][:, None] + power * np.log(r))
        envelope = weight * np.abs(amplitude)
        smooth = nodal[which] * weight * amplitude * _window(r, cut[who])
        turn = np.exp(1j * (rho * middle[which] - math.pi * (order / 2 + 0.25)))
        slow = rho * h <= _SLOW
        found = np.empty(len(who))
        direct = smooth[slow] * np.exp(1j * (rho * h)[slow][:, None] * NODES)
        found[slow] = (turn[slow] * (direct @ WEIGHTS)).real * h[slow]
        fast = ~slow
        waves = np.conj(legendre_waves((rho * h)[fast]))
        found[fast] = (turn[fast] * (legendre_coefficients(smooth[fast]) * waves).sum(axis=1)).real * h[fast]
        np.add.at(values, who, found)
        reach = np.minimum(2 * h, 52 / rho) * envelope.max(axis=1)
        height = np.abs(nodal[which]).max(axis=1)
        phase = 2.3e-16 * rho * middle[which]
        np.add.at(errors, who, reach * (residual[which] + (_ROUNDING + phase) * height))


def _amplitude(order: float, z: Array) -> NDArray[Any]:
    """H with J_order(z) = Re H(z) e^{i(z − π(order/2 + 1/4))}: Hankel's expansion for large z [DLMF 10.17.5].

    It is finite for half-integers, and real for ±½.
    """
    if abs(order) == 0.5:
        return np.asarray(np.sqrt(2 / (math.pi * z)))
    ends = (order - 0.5).is_integer()
    terms = [1.0]
    while len(terms) < _EXPANSION and terms[-1] != 0:
        k = len(terms)
        terms.append(terms[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    far = np.ones(z.shape, dtype=bool) if ends else z >= _FAR + 2 * order**2
    inverse = 1j / z[far]
    total = np.zeros(inverse.shape, dtype=complex)
    for term in reversed(terms):
        total = total * inverse + term
    found = np.empty(z.shape, dtype=complex)
    found[far] = np.sqrt(2 / (math.pi * z[far])) * total
    found[~far] = np.exp(1j * math.pi * (order / 2 + 0.25)) * _near_amplitude(order, z[~far])
    return found


def _near_amplitude(order: float, z: Array) -> NDArray[np.complex128]:
    """H with J_order(z) = Re H(z) e^{iz} for moderate z; for integer orders by recurrence from J₀, J₁, Y₀ and Y₁.

    These four are fast. Upward recurrence loses digits of J as it falls below Y, but not of |H|, relative to which
    errors are measured.
    """
    if not order.is_integer() or order > _RECURRENCE:
        return np.asarray(special.hankel1e(order, z))
    low, high = special.j0(z) + 1j * special.y0(z), special.j1(z) + 1j * special.y1(z)
    for n in range(1, int(order) + 1):
        low, high = high, (2 * n / z) * high - low
    return np.asarray(low * np.exp(-1j * z))


_NO_PROBES: Array = np.zeros(0)


def hankel_pieces(
    function: Callable[[Array], Array], landmarks: Array, scale: float, dim: int, probes: Array = _NO_PROBES
) -> HankelPieces:
    """f resolved on r ≥ 0: octaves, cut at the landmarks, and halved until the polynomials are accurate.

    So they are at the probes too, where f may have bumps between nodes. `scale` is any length on which f changes.
    Unresolved parts go to the residual.
    """
    wanted = function(probes)
    octaves = scale * 2.0 ** np.arange(_LEAST, _MOST + 1)
    cuts = np.unique(np.concatenate([[0.0], octaves, landmarks]))
    left, right = cuts[:-1], cuts[1:]
    found: list[tuple[Array, ...]] = []
    count = 0
    while len(left):
        middle, half = (left + right) / 2, (right - left) / 2
        nodal = function((middle[:, None] + half[:, None] * NODES).ravel()).reshape(len(left), -1)
        coefficients = legendre_coefficients(nodal)
        residual = 4 * np.abs(coefficients[:, -4:]).max(axis=1)
        order = np.argsort(left)
        cell = order[np.maximum(np.searchsorted(left[order], probes, side="right") - 1, 0)]
        place = (probes - middle[cell]) / half[cell]
        gap = np.abs(legendre_values(coefficients[cell], np.clip(place, -1, 1)) - wanted)
        np.maximum.at(residual, cell, np.where((np.abs(place) <= 1) & (gap > _OVERLOOKED), gap, 0.0))
        good = (residual <= _AGREEMENT) | (half <= 1e-12 * middle) | (middle < octaves[0])
        count += int(good.sum())
        if count + 2 * int((~good).sum()) > _MOST_PIECES:
            good[:] = True
        found.append((middle[good], half[good], nodal[good], residual[good]))
        low, at, high = left[~good], middle[~good], right[~good]
        left, right = np.concatenate([low, at]), np.concatenate([at, high])
    middle, half, nodal, residual = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(middle)
    # a power of the distance that falls below any number still counts in a ball that grows faster
    nothing = _NOTHING * np.minimum(1.0, scale / (middle + half)[order]) ** dim
    kept = order[np.abs(nodal[order]).max(axis=1) > nothing]
    middle, half, nodal, residual = middle[kept], half[kept], nodal[kept], residual[kept]
    whole = (half >= 0.3 * (middle - half)) & (middle - half >= landmarks.max()) & (residual <= _AGREEMENT)
    tail = np.logical_and.accumulate(whole[::-1])[::-1]
    return HankelPieces(middle, half, nodal, residual, tail, dim)


def _window(r: Array, cut: Array) -> Array:
    """1 up to the cut, then falling smoothly to 0 over a few octaves, which removes an oscillating integral of 0."""
    found = np.ones_like(r)
    far = r[:, -1] > cut
    place = np.log2(r[far] / cut[far, None]) / _OCTAVES
    found[far] = special.erfc(12 * (np.clip(place, 0.0, 1.0) - 0.5)) / 2
    return found
