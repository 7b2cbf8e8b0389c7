"""Integrals of the moduli of functions that are resolved in pieces of Legendre polynomials."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.special.legendre_transform import LegendrePieces

__all__ = ["absolute_integral", "modulus_integral"]

Array = NDArray[np.float64]

_CELLS = 32
_HALVINGS = 40
_AGREEMENT = 1e-16
"""Of the halves of a cell with the whole, as a share of the integral."""

_BLOCK = 1 << 12
_NODES = np.array([-1, -np.sqrt(3 / 7), 0, np.sqrt(3 / 7), 1])
_WEIGHTS = np.array([9, 49, 64, 49, 9]) / 90
"""Lobatto's rule: with the ends, so that a bend close to one of them is seen."""


def absolute_integral(pieces: LegendrePieces, coefficients: Array) -> tuple[float, float]:
    """∫ f and ∫ |f| for the real function with these coefficients on the pieces, between its zeros."""
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
    """∫ |f| of a complex function, and a bound on its error.

    |f| bends where f comes close to 0: cells are halved there until the rule on both halves gives what it gives on
    the whole.
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
    """∫ |f| over cells of the reference interval, each with its row of coefficients."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        block = slice(start, start + _BLOCK)
        points = middle[block, None] + width[block, None] / 2 * _NODES
        waves = legendre.legvander(points, coefficients.shape[1] - 1)
        values = np.einsum("cnd,cd->cn", waves, coefficients[rows[block]])
        found[block] = np.abs(values) @ _WEIGHTS * width[block] / 2
    return found
