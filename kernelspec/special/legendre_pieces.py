"""Functions on the line resolved in pieces of Legendre polynomials."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kernelspec.special.counted_work import counted_work
from kernelspec.special.legendre_basis import AT_ENDS, NODES, TO_COEFFICIENTS
from kernelspec.special.legendre_grid import first_cuts
from kernelspec.special.legendre_transform import LegendrePieces

__all__ = ["legendre_pieces"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_NOISE, _FINE_NOISE = 1e-9, 1e-12
"""Coefficients that (nearly) stop falling below this share of the function are its own rounding, beyond mending."""


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
    """f resolved where `beyond` ≤ |t| ≤ `within`, or there on t ≥ 0, in pieces around the landmarks.

    The pieces shrink towards the landmarks and grow by octaves away from them.

    Every piece is halved until the coefficients of degree 24 have reached rounding, or the `noise` that f is known to
    have at t, or what they may add to the integral is the share `agreement` of it, or there are `most_pieces`, or more
    would be more than `most_work` in millions of counted operations: what is not resolved then stays in `residual`.
    `scale` is any length of the order of those on which f changes; f must be finite.
    """
    cuts, reach, left_out = first_cuts(function, np.append(landmarks, [beyond, -beyond]), scale, both_sides, within)
    left, right = cuts[:-1], cuts[1:]
    wanted = (left >= beyond) | (right <= -beyond)
    left, right = left[wanted], right[wanted]
    found: list[tuple[Array, Array, Array, Array]] = []
    first, count, size = True, 0, 0.0
    done, evaluated = 0.0, 0
    while len(left):
        middle, half = (left + right) / 2, (right - left) / 2
        points = np.column_stack([left, middle[:, None] + half[:, None] * NODES, right])
        with counted_work() as own:
            values = function(points.ravel()).reshape(points.shape)
        done += own.done
        evaluated += len(left)
        coefficients = values[:, 1:-1] @ TO_COEFFICIENTS.T
        height = np.abs(values).max(axis=1)
        if first:
            size, first = _typical_integral(height, half), False
        ending, before = np.abs(coefficients[:, -4:]).max(axis=1), np.abs(coefficients[:, -8:-4]).max(axis=1)
        # a kink between an end and the first node shows at the end alone
        at_ends = np.abs(coefficients @ AT_ENDS - values[:, [0, -1]]).max(axis=1)
        residual = np.maximum(4 * ending, at_ends)
        good = (2 * half * residual <= agreement * size) | (residual <= 4e-13 * height)
        noisy = (ending >= 0.01 * before) & (at_ends <= 100 * ending)
        good |= noisy & (ending <= np.where(ending >= 0.2 * before, _NOISE, _FINE_NOISE) * height)
        if noise is not None:
            good |= residual <= 8 * noise(middle)
        good |= 2 * half <= 4e-16 * np.maximum(np.abs(middle), 1e-300)
        count += int(good.sum())
        open_ = np.flatnonzero(~good)
        room = max(0, (most_pieces - count) // 2)
        if done > 0 and most_work < np.inf:
            room = min(room, max(0, int((most_work - done) / (2 * done / evaluated))))
        if len(open_) > room:  # the worst are halved, the rest stays as it is
            order = open_[np.argsort(-(half * residual)[open_], kind="stable")]
            good[order[room:]] = True
            open_ = order[:room]
            count = most_pieces
        found.append((middle[good], half[good], coefficients[good], residual[good]))
        left, right = np.concatenate([[left[open_], middle[open_]], [middle[open_], right[open_]]], axis=1)
        left, right = left.ravel(), right.ravel()
    middle, half, coefficients, residual = (np.concatenate(parts) for parts in zip(*found, strict=True))
    far = np.zeros(len(middle), dtype=bool)
    for sign in (1.0, -1.0):
        _mark_far(middle, half, residual, coefficients, sign, reach, far)
    return LegendrePieces(middle, half, coefficients, residual, far, left_out)


def _typical_integral(height: Array, half: Array) -> float:
    """The height of f times the width of the pieces where it is at least half as high."""
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
