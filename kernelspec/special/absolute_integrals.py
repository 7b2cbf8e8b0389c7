"""Integrals of the moduli of functions that are resolved in pieces of Legendre polynomials."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from kernelspec.special.legendre_pieces import LegendrePieces

__all__ = ["absolute_integral", "modulus_integral"]

Array = NDArray[np.float64]

_CELLS = 32
_HALVINGS = 40
_NODES, _WEIGHTS = legendre.leggauss(4)


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
    """∫ |f| of a complex function, and what half as many cells change: |f| bends where f comes close to 0."""
    fine, coarse = (_modulus(pieces, cells) for cells in (_CELLS, _CELLS // 2))
    return float(fine.sum()), float(np.abs(fine - coarse).sum())


def _modulus(pieces: LegendrePieces, cells: int) -> Array:
    middle = (np.arange(cells) + 0.5) * 2 / cells - 1
    points = (middle[:, None] + _NODES / cells).ravel()
    values = np.abs(pieces.coefficients @ legendre.legvander(points, pieces.coefficients.shape[1] - 1).T)
    return np.asarray(values @ np.tile(_WEIGHTS / cells, cells) * pieces.half)
