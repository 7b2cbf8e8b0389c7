"""Atoms of a discrete spectral measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Atoms"]

_MOST = 4096


@dataclass(frozen=True)
class Atoms:
    """`points` (m, dim) with `weights` (m,), heaviest first; `omitted` is the mass of the atoms not listed.

    Weights may be negative, and complex for an asymmetric kernel: moduli are compared and omitted.
    """

    points: NDArray[Any]
    weights: NDArray[Any]
    omitted: float = 0.0

    @classmethod
    def heaviest(cls, points: NDArray[Any], weights: NDArray[Any], omitted: float = 0.0) -> Atoms:
        """The heaviest 4,096 atoms; the mass of the others is added to `omitted`."""
        order = np.argsort(-_size(weights), kind="stable")
        kept, left = order[:_MOST], order[_MOST:]
        return cls(points[kept], weights[kept], omitted + float(_size(weights[left]).sum()))

    def product(self, other: Atoms) -> Atoms:
        """The atoms of the product measure: coordinates concatenated, weights multiplied.

        Both lists are sorted by weight, so at least (i + 1)(j + 1) − 1 atoms are as heavy as atom (i, j): beyond
        the hyperbola (i + 1)(j + 1) ≤ 4,096 none is among the heaviest.
        """
        counts = np.minimum(_MOST // np.arange(1, min(len(self.points), _MOST) + 1), len(other.points))
        left = np.repeat(np.arange(len(counts)), counts)
        right = np.concatenate([np.arange(count) for count in counts])
        weights = self.weights[left] * other.weights[right]
        order = np.argsort(-weights, kind="stable")
        kept, dropped = order[:_MOST], order[_MOST:]
        beyond = np.append(np.cumsum(other.weights[::-1])[::-1], 0.0)[counts]
        lost = float(weights[dropped].sum() + self.weights[: len(counts)] @ beyond)
        lost += float(self.weights[len(counts) :].sum() * other.weights.sum())
        points = np.concatenate([self.points[left[kept]], other.points[right[kept]]], axis=1)
        return Atoms(points, weights[kept], self._lost_with(other) + lost)

    def power(self, count: int) -> Atoms:
        """The atoms of the product of `count` copies, by repeated squaring."""
        return self._repeated(count, Atoms.product)

    def convolve(self, other: Atoms) -> Atoms:
        """The atoms of the convolution: points added, weights multiplied, equal points merged."""
        if len(self.points) * len(other.points) > _MOST**2 // 16:
            short = self._shortened()
            return short.convolve(short if other is self else other._shortened())
        if other is self:  # every sum of two different atoms occurs twice
            left, right = np.triu_indices(len(self.points))
            times = np.where(left == right, 1.0, 2.0)
        else:
            left, right = (i.ravel() for i in np.indices((len(self.points), len(other.points))))
            times = np.ones(1)
        weights = self.weights[left] * other.weights[right] * times
        return Atoms.merged(self.points[left] + other.points[right], weights, self._lost_with(other))

    def convolved(self, count: int) -> Atoms:
        """The atoms of the convolution of `count` copies, by repeated squaring."""
        return self._repeated(count, Atoms.convolve)

    def _repeated(self, count: int, multiplied: Callable[[Atoms, Atoms], Atoms]) -> Atoms:
        if count == 1:
            return self
        root = self._repeated(count // 2, multiplied)
        square = multiplied(root, root)
        return multiplied(square, self) if count % 2 else square

    def add(self, other: Atoms) -> Atoms:
        """The atoms of the sum of two measures."""
        points = np.concatenate([self.points, other.points])
        return Atoms.merged(points, np.concatenate([self.weights, other.weights]), self.omitted + other.omitted)

    def _shortened(self) -> Atoms:
        keep = _MOST // 4
        return Atoms(self.points[:keep], self.weights[:keep], self.omitted + float(_size(self.weights[keep:]).sum()))

    def _lost_with(self, other: Atoms) -> float:
        own, others = float(_size(self.weights).sum()), float(_size(other.weights).sum())
        return self.omitted * (others + other.omitted) + own * other.omitted

    @classmethod
    def merged(cls, points: NDArray[Any], weights: NDArray[Any], omitted: float) -> Atoms:
        """The atoms with equal points merged into the heaviest of them."""
        # sums of the same frequencies in different order differ by rounding: compare twelve digits
        size = np.abs(points).max(initial=0.0) or 1.0
        digits = np.round(points / size, 12) + 0.0  # −0.0 is 0.0
        first, group = _groups(digits)
        total = np.bincount(group, weights=weights.real, minlength=len(first))
        if np.iscomplexobj(weights):
            total = total + 1j * np.bincount(group, weights=weights.imag, minlength=len(first))
        return cls.heaviest(points[first], total, omitted)


def _groups(rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of every group of equal rows, sorted by columns, and the group of every row."""
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    ordered = rows[order]
    is_new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(rows)]
    group = np.empty(len(rows), dtype=np.intp)
    group[order] = np.cumsum(is_new) - 1
    return np.minimum.reduceat(order, np.flatnonzero(is_new)), group


def _size(weights: NDArray[Any]) -> NDArray[Any]:
    """The moduli of weights, for sorting and counting, as they may be negative or complex."""
    return np.asarray(np.abs(weights))
