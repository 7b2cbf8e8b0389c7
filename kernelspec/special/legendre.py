"""Functions on the line as piecewise Legendre polynomials, their transforms and absolute integrals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.limits import counted_work, spend

__all__ = [
    "NODES",
    "WEIGHTS",
    "LegendrePieces",
    "absolute_integral",
    "around",
    "legendre_coefficients",
    "legendre_pieces",
    "legendre_values",
    "legendre_waves",
    "modulus_integral",
    "overlooked",
]

DEGREES = 24
NODES: NDArray[np.float64] = legendre.leggauss(DEGREES)[0]
WEIGHTS: NDArray[np.float64] = legendre.leggauss(DEGREES)[1]
TO_COEFFICIENTS = (WEIGHTS[:, None] * legendre.legvander(NODES, DEGREES - 1) * (np.arange(DEGREES) + 0.5)).T
"""From values at the nodes to coefficients: (l + ½) Σ w_j P_l(x_j) f(x_j)."""

AT_ENDS = legendre.legvander(np.array([-1.0, 1.0]), DEGREES - 1).T


def legendre_coefficients(values: NDArray[Any]) -> NDArray[Any]:
    """The coefficients of polynomials with these values at the nodes, (n, 24) both."""
    return values @ TO_COEFFICIENTS.T


def legendre_values(coefficients: NDArray[Any], x: NDArray[np.float64]) -> NDArray[Any]:
    """Each polynomial (n, 24) at its own x in [−1, 1], (n,)."""
    return np.asarray((coefficients * legendre.legvander(x, DEGREES - 1)).sum(axis=-1))


Array = NDArray[np.float64]

_SLOW, _FAST, _START = 1e-5, 22.0, 64
"""Between the first two values of x = ωh, spherical Bessel functions are computed downwards from the third as order."""

_TURNS = (-1j) ** np.arange(DEGREES)


def legendre_waves(x: Array) -> NDArray[np.complex128]:
    """∫ P_l(u) e^{−ixu} du = 2(−i)^l j_l(x) over (−1, 1) for l = 0, …, 23, (n, 24)."""
    bessel = np.zeros((DEGREES, len(x)))
    size = np.abs(x)
    slow, fast = size < _SLOW, size > _FAST
    middle = ~(slow | fast)
    bessel[:3, slow] = 1 - x[slow] ** 2 / 6, x[slow] / 3, x[slow] ** 2 / 15  # the rest is below rounding
    bessel[:, fast] = _upwards(x[fast])
    bessel[:, middle] = _downwards(x[middle])
    return np.asarray((2 * bessel * _TURNS[:, None]).T)


def _upwards(x: Array) -> Array:
    """j_0, …, j_23 for |x| near the order or above, by upward recurrence [DLMF 10.51.1]."""
    found = np.empty((DEGREES, len(x)))
    found[0] = np.sin(x) / x
    found[1] = (found[0] - np.cos(x)) / x
    for degree in range(1, DEGREES - 1):
        found[degree + 1] = (2 * degree + 1) / x * found[degree] - found[degree - 1]
    return found


def _downwards(x: Array) -> Array:
    """j_0, …, j_23 for smaller x by Miller's algorithm: downwards from a high order, then rescaled."""
    found = np.empty((DEGREES, len(x)))
    above, here = np.zeros(len(x)), np.full(len(x), 1e-300)
    inverse = 1 / x
    for degree in range(_START, -1, -1):
        if degree < DEGREES:
            found[degree] = here
        above, here = here, (2 * degree + 1) * inverse * here - above
    first, second = np.sin(x) * inverse, (np.sin(x) * inverse - np.cos(x)) * inverse
    larger = np.abs(found[0]) >= np.abs(found[1])  # at most one of them is near a zero
    # near 0 the second cancels, and the first is the larger
    scale = np.where(larger, first, second) / np.where(larger, found[0], found[1])
    return np.asarray(found * scale)


Function = Callable[[Array], Array]

_NEAR, _OVERLOOKED = np.exp2(-np.arange(2.0, 42.0)), 1e-11


def around(places: Array) -> Array:
    """The places c > 0 (n,) and c(1 ± 2^−k), k = 2, …, 41: (n, 81)."""
    shares = 1 + np.concatenate([-_NEAR, [0.0], _NEAR[::-1]])
    return np.asarray(np.multiply.outer(np.asarray(places, dtype=float), shares))


def overlooked(function: Function, places: Array) -> Array:
    """Those of the places t > 0 (n,) near which f differs from the polynomial of degree 23 on (t/2, 3t/2)."""
    if not len(places):
        return np.zeros(0)
    points = around(places)
    coefficients = legendre_coefficients(function(np.outer(places, 1 + NODES / 2).ravel()).reshape(len(places), -1))
    smooth = legendre_values(coefficients[:, None], 2 * (points / places[:, None] - 1))
    gap = np.abs(smooth - function(points.ravel()).reshape(points.shape)).max(axis=1)
    return np.asarray(places[gap > _OVERLOOKED])


_INWARD, _FEWEST = 20, 24  # octaves below the scale towards every landmark, and the fewest octaves examined outside


def first_cuts(
    function: Function, landmarks: Array, scale: float, both_sides: bool, within: float
) -> tuple[Array, float, float]:
    """The first cuts, the farthest landmark, and a bound on the integral beyond the last cut."""
    marks = np.unique(
        np.clip(np.append(landmarks, [0.0, within, -within] if within < np.inf else 0.0), -within, within)
    )
    if not both_sides:
        marks = np.unique(np.abs(marks))
    cuts = [marks]
    for a, b in pairwise(marks):
        middle = (b - a) / 2
        inward = middle * 2.0 ** -np.arange(0.0, min(max(_INWARD + np.log2(middle / scale), 4), 60))
        cuts += [a + inward, b - inward]
    base = 2.0 ** np.ceil(np.log2(scale))
    steps = base * 2.0 ** np.arange(-_INWARD, 300.0)
    beyond = 0.0
    for side in () if within < np.inf else (1.0, -1.0) if both_sides else (1.0,):
        edge = marks[-1] if side > 0 else marks[0]
        outward, left = _extent(function, float(edge), side * steps)
        cuts.append(edge + outward)
        beyond += left
    joined = np.unique(np.concatenate(cuts))
    return joined, float(np.abs(marks).max()), beyond


def _extent(function: Function, edge: float, steps: Array) -> tuple[Array, float]:
    """The octaves outside the landmarks that matter, and a bound on ∫|f| outside the last."""
    inner = np.concatenate([steps * factor for factor in (1.0, 1.19, 1.41, 1.68)])
    height = np.abs(function(edge + inner)).reshape(4, -1).max(axis=0)
    mass = height * np.abs(steps)
    peak = float(mass.max(initial=0.0))
    if peak == 0:
        return steps[:_FEWEST], 0.0
    kept = int(np.flatnonzero(mass > 1e-19 * peak)[-1]) + 2
    if kept >= len(steps):
        ratio = mass[-1] / mass[-2] if mass[-2] > 0 else 0.0
        return steps, float(mass[-1] * ratio / (1 - ratio)) if ratio < 1 - 1e-6 else np.inf
    return steps[: max(kept, _FEWEST)], 0.0


_NOISE, _FINE_NOISE = 1e-9, 1e-12
"""Coefficients that stop falling below this share of the function are its own rounding errors."""


def legendre_pieces(
    function: Function,
    landmarks: Array,
    scale: float,
    *,
    both_sides: bool,
    within: float = np.inf,
    beyond: float = 0.0,
    agreement: float = 1e-15,
    noise: Function | None = None,
    most_pieces: int = 1 << 14,
    most_work: float = np.inf,
) -> LegendrePieces:
    """f resolved on `beyond` ≤ |t| ≤ `within`, or on that range of t ≥ 0, in pieces around the landmarks.

    The pieces shrink towards the landmarks and grow by octaves away from them. Each is halved until the coefficients of
    degree 24 reach rounding or the known `noise` of f at t, or contribute at most the share `agreement` of the
    integral, or until there are `most_pieces`, or more than `most_work` million counted operations: the rest goes to
    `residual`. `scale` is any length of the order of those on which f changes; f must be finite.
    """
    cuts, reach, left_out = first_cuts(function, np.append(landmarks, [beyond, -beyond]), scale, both_sides, within)
    wanted = (cuts[:-1] >= beyond) | (cuts[1:] <= -beyond)
    left, right = cuts[:-1][wanted], cuts[1:][wanted]
    found: list[tuple[Array, ...]] = []
    count, size = 0, np.nan
    done, evaluated = 0.0, 0
    while len(left):
        middle, half = (left + right) / 2, (right - left) / 2
        points = np.column_stack([left, middle[:, None] + half[:, None] * NODES, right])
        with counted_work() as own:
            values = function(points.ravel()).reshape(points.shape)
        done, evaluated = done + own.done, evaluated + len(left)
        coefficients, height = values[:, 1:-1] @ TO_COEFFICIENTS.T, np.abs(values).max(axis=1)
        if np.isnan(size):
            size = _typical_integral(height, half)
        residual, good = _resolved(coefficients, values[:, [0, -1]], height)
        good |= 2 * half * residual <= agreement * size
        good |= 2 * half <= 4e-16 * np.maximum(np.abs(middle), 1e-300)
        if noise is not None:
            good |= residual <= 8 * noise(middle)
        count += int(good.sum())
        room = max(0, (most_pieces - count) // 2)
        if done > 0 and most_work < np.inf:
            room = min(room, max(0, int((most_work - done) / (2 * done / evaluated))))
        open_ = np.flatnonzero(~good)
        if len(open_) > room:  # halve the worst, keep the rest
            order = open_[np.argsort(-(half * residual)[open_], kind="stable")]
            good[order[room:]], open_, count = True, order[:room], most_pieces
        found.append((middle[good], half[good], coefficients[good], residual[good]))
        left, right = np.concatenate([[left[open_], middle[open_]], [middle[open_], right[open_]]], axis=1)
    middle, half, coefficients, residual = (np.concatenate(parts) for parts in zip(*found, strict=True))
    far = np.zeros(len(middle), dtype=bool)
    for sign in (1.0, -1.0):
        _mark_far(middle, half, residual, coefficients, sign, reach, far)
    return LegendrePieces(middle, half, coefficients, residual, far, left_out)


def _resolved(coefficients: NDArray[Any], ends: NDArray[Any], height: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Errors of the polynomials, and whether they are rounding errors of f: values at the `ends`, and the `height`."""
    ending, before = np.abs(coefficients[:, -4:]).max(axis=1), np.abs(coefficients[:, -8:-4]).max(axis=1)
    # a kink between an end and the first node is visible at the end alone
    at_ends = np.abs(coefficients @ AT_ENDS - ends).max(axis=1)
    residual = np.maximum(4 * ending, at_ends)
    noisy = (ending >= 0.01 * before) & (at_ends <= 100 * ending)
    noisy &= ending <= np.where(ending >= 0.2 * before, _NOISE, _FINE_NOISE) * height
    return residual, (residual <= 4e-13 * height) | noisy


def _typical_integral(height: Array, half: Array) -> float:
    """The height of f times the width of the pieces on which it is at least half as high."""
    top = float(height.max(initial=0.0))
    return top * float(2 * half[height >= top / 2].sum())


def _mark_far(
    middle: Array, half: Array, residual: Array, coefficients: Array, sign: float, reach: float, far: NDArray[np.bool_]
) -> None:
    """Mark the outermost pieces of one side that are whole octaves and resolved."""
    side = np.flatnonzero(sign * middle - half > 4 * reach)
    order = side[np.argsort(-np.abs(middle[side]), kind="stable")]
    width = np.inf
    for piece in order:
        smooth = residual[piece] <= 1e-9 * np.abs(coefficients[piece]).max() or not coefficients[piece].any()
        if not smooth or not half[piece] < width or 2 * half[piece] < 0.4 * (np.abs(middle[piece]) - half[piece]):
            return
        far[piece] = True
        width = float(half[piece])


_ROUNDING = 3e-14  # relative error of the values of a kernel

_FAR = 1e4  # a smooth tail is integrated by parts if |ω|t exceeds this

_BLOCK = 1 << 20

_OPERATIONS = 100  # operations per frequency and piece


@dataclass(frozen=True)
class LegendrePieces:
    """f on the pieces middle ± half (m,) as Σ_l coefficients[:, l] P_l, with |error| ≤ `residual` (m,) on each.

    `far` marks pieces that are octaves on which f is a smooth tail, so that f beyond the piece can be integrated from f
    and its derivatives at its near end; `beyond` bounds ∫|f| outside all pieces, infinite if it diverges.
    """

    middle: Array
    half: Array
    coefficients: Array
    residual: Array
    far: NDArray[np.bool_]
    beyond: float

    def transform(self, frequencies: Array) -> tuple[NDArray[np.complex128], Array]:
        """∫ f(t) e^{−iωt} dt at ω (n,), and error bounds.

        Exact on each piece: ∫ P_l(u) e^{−ixu} du = 2(−i)^l j_l(x). Smooth tails are integrated by parts from |ω|t = 10⁴
        on. The residual r of a piece of half width h counts as min(2h, 52/|ω|) r; the second bound is what integration
        by parts leaves of an oscillation as fast as the last polynomial. Source: Filon 1928, with Legendre polynomials;
        Iserles 2004.
        """
        omega = np.asarray(frequencies, dtype=float)
        values, errors = np.zeros(len(omega), dtype=complex), np.zeros(len(omega))
        near = np.abs(self.middle) - self.half
        size = np.abs(omega)
        with np.errstate(divide="ignore"):
            reach = np.where(size > 0, _FAR / size, np.inf)
        ended = {sign: np.zeros(len(omega), dtype=bool) for sign in (1.0, -1.0)}
        simple = ~self.far
        for half in np.unique(self.half[simple]):
            self._add(omega, np.flatnonzero(simple & (self.half == half)), float(half), values, errors)
        for piece in np.flatnonzero(self.far)[np.argsort(near[self.far], kind="stable")]:
            side = float(np.sign(self.middle[piece]))
            done = ended[side]
            ends = ~done & (near[piece] > reach)
            if ends.any():
                tail, doubt = self._tail(int(piece), side, omega[ends])
                values[ends] += tail
                errors[ends] += doubt
                done |= ends
            inside = np.flatnonzero(~done)
            if len(inside):
                part, doubt = np.zeros(len(inside), dtype=complex), np.zeros(len(inside))
                self._add(omega[inside], np.array([piece]), float(self.half[piece]), part, doubt)
                values[inside] += part
                errors[inside] += doubt
        sides = [ended[sign] for sign in (1.0, -1.0) if (sign * self.middle > 0).any()]
        if self.beyond and sides:
            errors[~np.logical_and.reduce(sides)] += self.beyond
        return values, errors

    def _add(
        self, omega: Array, pieces: NDArray[np.intp], half: float, values: NDArray[np.complex128], errors: Array
    ) -> None:
        """Add the transforms of pieces of one width, in blocks of frequencies."""
        spend(_OPERATIONS * float(len(omega)) * len(pieces))
        step = max(1, _BLOCK // max(len(pieces), 64))
        for start in range(0, len(omega), step):
            block = slice(start, start + step)
            waves = np.exp(-1j * np.outer(omega[block], self.middle[pieces]))
            values[block] += half * ((waves @ self.coefficients[pieces]) * legendre_waves(omega[block] * half)).sum(
                axis=1
            )
        height = np.abs(self.coefficients[pieces]).max(axis=1)
        doubt = float(self.residual[pieces].sum() + _ROUNDING * height.sum())
        phase = 2e-16 * float(height @ np.abs(self.middle[pieces]))  # rounding of ωt
        with np.errstate(divide="ignore"):
            errors += (doubt + phase * np.abs(omega)) * np.minimum(2 * half, 52 / np.abs(omega))

    def _tail(self, piece: int, side: float, omega: Array) -> tuple[NDArray[np.complex128], Array]:
        """∫ from the near end of a piece outwards by parts: e^{−iωa} Σ_n f⁽ⁿ⁾(a) / (iω)^{n+1}, outwards."""
        end = -side
        a, h, series = self.middle[piece] + end * self.half[piece], self.half[piece], self.coefficients[piece]
        total, last = np.zeros(len(omega), dtype=complex), np.zeros(len(omega))
        for n in range(4):
            term = legendre.legval(end, series) / h**n / (1j * omega) ** (n + 1)
            total, last = total + side * np.exp(-1j * omega * a) * term, np.abs(term)
            series = legendre.legder(series)
        return total, last + float(self.residual[piece]) * 52 / np.abs(omega)


_CELLS = 32
_HALVINGS = 40
_AGREEMENT = 1e-16  # tolerance for the halves of a cell against the whole, as a share of the integral

_ABSOLUTE_BLOCK = 1 << 12
_NODES = np.array([-1, -np.sqrt(3 / 7), 0, np.sqrt(3 / 7), 1])
_WEIGHTS = np.array([9, 49, 64, 49, 9]) / 90
"""Lobatto's rule, which includes the ends, so that a bend close to one of them is detected."""


def absolute_integral(pieces: LegendrePieces, coefficients: Array) -> tuple[float, float]:
    """∫ f and ∫ |f|, between zeros, of the real function with these coefficients on the pieces."""
    edges = np.linspace(-1, 1, _CELLS + 1)
    degrees = coefficients.shape[1]
    values = coefficients @ legendre.legvander(edges, degrees - 1).T
    sums = legendre.legint(coefficients.T)  # the antiderivative, column by column
    primitive = (legendre.legvander(edges, degrees) @ sums).T
    areas = np.abs(np.diff(primitive, axis=1))
    rows, cells = np.nonzero(values[:, 1:] * values[:, :-1] < 0)
    if len(rows):
        low, high, sign = edges[cells], edges[cells + 1], np.sign(values[rows, cells])
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            found = (coefficients[rows] * legendre.legvander(middle, degrees - 1)).sum(axis=1)
            same = np.sign(found) == sign
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        zero = (sums.T[rows] * legendre.legvander((low + high) / 2, degrees)).sum(axis=1)
        areas[rows, cells] = np.abs(zero - primitive[rows, cells]) + np.abs(primitive[rows, cells + 1] - zero)
    whole = float((primitive[:, -1] - primitive[:, 0]) @ pieces.half)
    return whole, float(areas.sum(axis=1) @ pieces.half)


def modulus_integral(pieces: LegendrePieces) -> tuple[float, float]:
    """∫ |f| of a complex function, and an error bound.

    |f| bends where f is close to 0: cells are halved there until the rule on both halves agrees with the whole.
    """
    coefficients, half = pieces.coefficients, pieces.half
    rows = np.repeat(np.arange(len(half)), _CELLS)
    width = np.full(len(rows), 2.0 / _CELLS)
    middle = np.tile((np.arange(_CELLS) + 0.5) * 2 / _CELLS - 1, len(half))
    whole = _modulus(coefficients, rows, middle, width)
    size = float(half[rows] @ whole)
    total = error = 0.0
    for level in range(_HALVINGS):
        finer = np.stack([_modulus(coefficients, rows, middle + side * width / 4, width / 2) for side in (-1, 1)])
        doubt = half[rows] * np.abs(finer.sum(axis=0) - whole)
        good = (doubt <= _AGREEMENT * size) | (level == _HALVINGS - 1)
        total += float(half[rows[good]] @ finer[:, good].sum(axis=0))
        error += float(doubt[good].sum())
        if good.all():
            break
        bad = ~good
        rows, width = np.tile(rows[bad], 2), np.tile(width[bad] / 2, 2)
        middle = np.concatenate(
            [middle[bad] - width[: len(width) // 2] / 2, middle[bad] + width[: len(width) // 2] / 2]
        )
        whole = finer[:, bad].ravel()
    return total, error


def _modulus(coefficients: Array, rows: NDArray[np.intp], middle: Array, width: Array) -> Array:
    """∫ |f| over cells of the reference interval, each with its own row of coefficients."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), _ABSOLUTE_BLOCK):
        block = slice(start, start + _ABSOLUTE_BLOCK)
        points = middle[block, None] + width[block, None] / 2 * _NODES
        waves = legendre.legvander(points, coefficients.shape[1] - 1)
        values = np.einsum("cnd,cd->cn", waves, coefficients[rows[block]])
        found[block] = np.abs(values) @ _WEIGHTS * width[block] / 2
    return found
