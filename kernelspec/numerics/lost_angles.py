"""Rows of numbers so large that rounding leaves nothing of their angles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.projection import Projection

__all__ = ["AngleSizes", "are_lost", "kept_size", "largest_size", "least_lost_turns", "lengths_of"]

_NUMBERS = 2**20
"""Angles whose sizes are looked at together."""


@dataclass(frozen=True, eq=False)
class AngleSizes:
    """How large the angles of rows are for samples that a one in each column turns so often: `turns` (N, p), or CSR.

    The angle of x is about √Σ_c (x_c turns_jc)² turns: column by column, as one of large numbers may have small
    frequencies.
    """

    turns: Any

    def kept(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers leave something of half of the angles of a row, at least."""
        return kept_size(self._typical, dtype)

    def lost(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.bool_]:
        """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles: of each by itself."""
        if not self._typical:
            return np.zeros(rows.shape[0], dtype=bool)
        lost, height = np.zeros(rows.shape[0], dtype=bool), max(1, _NUMBERS // sum(self.turns.shape))
        for start in range(0, len(lost), height):
            part = rows[start : start + height]
            numbers = (part if isinstance(part, np.ndarray) else part.toarray()).astype(np.float64)
            with np.errstate(all="ignore"):
                left = np.flatnonzero(~(lengths_of(numbers * self._bounds) <= kept_size(1.0, dtype)))
                lost[start + left] = are_lost(self._medians(numbers[left]), dtype)
        return lost

    def _medians(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The median of the sizes of the angles of every row (m, p)."""
        turned = numbers * self._fastest
        size = np.abs(turned).max(axis=1, keepdims=True, initial=0.0)
        squares = np.square(turned / np.where(size > 0, size, 1.0))
        total = self._squares(squares) if isinstance(self._squares, Projection) else squares @ self._squares
        return np.asarray(np.median(np.sqrt(total) * size, axis=1))

    @cached_property
    def _bounds(self) -> NDArray[np.float64]:
        """√(2 mean_j turns_jc²) for every column: half of the squares of sizes are at most twice their mean."""
        return np.asarray(lengths_of(self.turns.T) * np.sqrt(2 / self.turns.shape[0]))

    @cached_property
    def _typical(self) -> float:
        return float(np.median(lengths_of(self.turns))) if self.turns.shape[0] else 0.0

    @cached_property
    def _fastest(self) -> NDArray[np.float64]:
        """The largest turns in every column; one where there are none."""
        turns = abs(self.turns).max(axis=0)
        found = (turns if isinstance(turns, np.ndarray) else turns.toarray()).astype(np.float64).ravel()
        return np.asarray(np.where(found > 0, found, 1.0))

    @cached_property
    def _squares(self) -> Any:
        """The squares of the turns (p, N), of which the largest is one in every column: packed, or sparse."""
        if isinstance(self.turns, np.ndarray):
            return Projection(np.square(self.turns / self._fastest).T)
        from scipy.sparse import diags_array

        return (self.turns @ diags_array(1 / self._fastest)).power(2).T


def are_lost(turns: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Whether of so many turns nothing is left in rounding; of NaN nothing is."""
    return np.asarray(~(turns <= least_lost_turns(dtype)))


def kept_size(turns: float, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row keep the angle of a sample whose √Σ_c turns_c² is `turns`.

    A little less, as `AngleSizes.lost` is rounded, and is to say the same of every row.
    """
    return (1 - 2.0**-20) * least_lost_turns(dtype) / turns if turns else np.inf


def lengths_of(rows: Any) -> NDArray[np.float64]:
    """√Σ_c x_c² of every row (m, p), dense or sparse, where squares may be beyond all numbers."""
    with np.errstate(all="ignore"):
        if isinstance(rows, np.ndarray):
            size = np.abs(rows).max(axis=1, initial=0.0).astype(np.float64)
            divisor = np.where(size > 0, size, 1.0)[:, None]
            scaled = np.divide(rows, divisor, order="C")  # the order of a sum is that of memory
            return np.asarray(np.sqrt(np.square(scaled).sum(axis=1)) * size)
        table = rows.tocsr(copy=True)
        size = abs(table).max(axis=1).toarray().astype(np.float64).ravel()
        table.data = table.data / np.repeat(np.where(size > 0, size, 1.0), np.diff(table.indptr))
        return np.asarray(np.sqrt(table.power(2).sum(axis=1)).ravel() * size)


def largest_size(numbers: Any) -> float:
    """The largest absolute value of an array, dense or CSR; NaN where one is NaN, 0 where there are none."""
    own = numbers if isinstance(numbers, np.ndarray) else numbers.data
    return float(np.abs(own).max(initial=0.0))


def least_lost_turns(dtype: np.dtype[Any]) -> float:
    """The turns from which on rounding loses a quarter of one or more: 2⁵¹ in double precision, 2²² in single."""
    return float(2.0 ** (np.finfo(dtype).nmant - 1))
