"""Atoms of a discrete spectral measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Atoms"]

_MOST = 4096


@dataclass(frozen=True)
class Atoms:
    """`points` (m, dim) with `weights` (m,), heaviest first; `omitted` is the mass of the atoms not listed."""

    points: NDArray[Any]
    weights: NDArray[Any]
    omitted: float = 0.0

    @classmethod
    def heaviest(cls, points: NDArray[Any], weights: NDArray[Any], omitted: float = 0.0) -> Atoms:
        """At most 4,096 of the atoms, the heaviest; the mass of the others is added to `omitted`."""
        order = np.argsort(-weights, kind="stable")
        kept, left = order[:_MOST], order[_MOST:]
        return cls(points[kept], weights[kept], omitted + float(weights[left].sum()))

    def product(self, other: Atoms) -> Atoms:
        """The atoms of the product measure: points side by side, weights multiplied."""
        if len(self.points) * len(other.points) > _MOST**2 // 16:
            return self._shortened().product(other._shortened())
        points = np.concatenate(
            [np.repeat(self.points, len(other.points), axis=0), np.tile(other.points, (len(self.points), 1))], axis=1
        )
        return Atoms.heaviest(points, np.outer(self.weights, other.weights).ravel(), self._lost_with(other))

    def convolve(self, other: Atoms) -> Atoms:
        """The atoms of the convolution: points added, weights multiplied, equal points merged."""
        if len(self.points) * len(other.points) > _MOST**2 // 16:
            return self._shortened().convolve(other._shortened())
        points = (self.points[:, None, :] + other.points[None, :, :]).reshape(-1, self.points.shape[1])
        return self._merged(points, np.outer(self.weights, other.weights).ravel(), self._lost_with(other))

    def add(self, other: Atoms) -> Atoms:
        """The atoms of the sum of two measures."""
        points = np.concatenate([self.points, other.points])
        return self._merged(points, np.concatenate([self.weights, other.weights]), self.omitted + other.omitted)

    def _shortened(self) -> Atoms:
        keep = _MOST // 4
        return Atoms(self.points[:keep], self.weights[:keep], self.omitted + float(self.weights[keep:].sum()))

    def _lost_with(self, other: Atoms) -> float:
        own, others = float(self.weights.sum()), float(other.weights.sum())
        return self.omitted * (others + other.omitted) + own * other.omitted

    @staticmethod
    def _merged(points: NDArray[Any], weights: NDArray[Any], omitted: float) -> Atoms:
        # sums of the same frequencies in another order differ by rounding: twelve digits identify a point
        size = np.abs(points).max(initial=0.0) or 1.0
        _, first, group = np.unique(np.round(points / size, 12), axis=0, return_index=True, return_inverse=True)
        total = np.bincount(group.ravel(), weights=weights, minlength=len(first))
        return Atoms.heaviest(points[first], total, omitted)
