"""Sums over all pairs of rows of the data, from those of some of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROUNDING", "PairSums"]

ROUNDING = 4e-8
"""A relative error of a kernel matrix that rounding may have: smaller ones are neither predicted nor measured.

Only a plan that names the rule by which it is exact has the predicted error 0."""


@dataclass(frozen=True)
class PairSums:
    """A sum over the pairs of m rows: of each with itself (`own`), and with the others."""

    rows: int
    own: float
    others: float

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> PairSums:
        """The sums of a matrix (m, m), or of a table each of whose rows stands for `weights` rows, as if for m."""
        own = np.diagonal(values)
        if weights is None:
            return cls(len(values), float(own.sum()), float(values.sum()) - float(own.sum()))
        m, rows = len(weights), float(weights.sum())
        others = float(weights @ values @ weights) - float(np.square(weights) @ own)
        pairs = rows**2 - float(np.square(weights).sum())
        return cls(m, m * float(weights @ own) / rows, m * (m - 1) * others / pairs if pairs > 0 else 0.0)

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(self.rows, self.own + other.own, self.others + other.others)

    def scaled(self, factor: float) -> PairSums:
        """The sums times a number."""
        return PairSums(self.rows, self.own * factor, self.others * factor)

    def over_rows(self, n: int) -> float:
        """What the sum over all pairs of n rows would be, over n: a row meets itself once and n - 1 others."""
        return self.own / self.rows + (n - 1) * self.others / (self.rows * (self.rows - 1))

    def relative_to(self, whole: PairSums, n: int) -> float | None:
        """√(Σ / Σ whole) over all pairs of n rows: ‖K̂ − K‖_F / ‖K‖_F, of squares; None where the whole is 0."""
        size = whole.over_rows(n)
        return math.sqrt(self.over_rows(n) / size) if size else None
