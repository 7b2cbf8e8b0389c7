"""Rows of numbers so large that rounding takes a share of their features away, or leaves nothing of their angles.

An angle of t turns is a sum of r products, each rounded once, by at most u|t_k|: u = ε/2, and t_k is the sum so far.
If these errors are independent and uniform, as stochastic models of rounding have it [Higham and Mary 2019], and
E t_k² ≤ E t², the angle in radians is off by δ with Var δ ≤ (2πut)² r/3. The mean of the cosine of the difference of
two such angles then has the factor E cos(δ − δ′) ≥ 1 − Var δ. What is missing of the factor is the loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.projection import Projection

__all__ = [
    "LOSS",
    "AngleSizes",
    "accurate_size",
    "are_lost",
    "kept_size",
    "largest_size",
    "least_lost_turns",
    "lengths_of",
    "loss_of_a_turn",
    "losses",
]

LOSS = 1e-3
"""The loss up to which rows count as accurate."""

_NUMBERS = 2**20
"""Angles whose sizes are looked at together."""


@dataclass(frozen=True, eq=False)
class AngleSizes:
    """How large the angles of rows are for samples that a one in each column turns so often: `turns` (N, p), or CSR.

    The angle of x is about √Σ_c (x_c turns_jc)² turns: column by column, as one of large numbers may have small
    frequencies.
    """

    turns: Any
    more_roundings: int = 0

    @cached_property
    def roundings(self) -> int:
        """How often an angle is rounded: once for every column with a frequency, and `more_roundings`."""
        if isinstance(self.turns, np.ndarray):
            return int(self.turns.shape[1]) + self.more_roundings
        return int(np.diff(self.turns.tocsr().indptr).max(initial=0)) + self.more_roundings

    def accurate(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers of a row have a loss of at most `LOSS`."""
        if dtype.char not in self._accurate:
            self._accurate[dtype.char] = accurate_size(lengths_of(self.turns), self.roundings, dtype)
        return self._accurate[dtype.char]

    def losses(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """The loss of rows (m, p), dense or CSR, whose angles are rounded in this type: (m,), 0 for accurate rows."""
        found = np.zeros(rows.shape[0])
        if largest_size(rows) <= self.accurate(dtype):
            return found
        for start, numbers in self._blocks(rows):
            with np.errstate(all="ignore"):
                # on average over the samples, each of which may lose more than all
                least = np.square(lengths_of(numbers * self._bounds) / np.sqrt(2)) * loss_of_a_turn(dtype)
                large = np.flatnonzero(~(least * self.roundings <= LOSS))
                own = losses(self._of_rows(numbers[large]), self.roundings, dtype)
                found[start + large] = np.where(own > LOSS, own, 0.0)
        return found

    @cached_property
    def _accurate(self) -> dict[str, float]:
        return {}

    def kept(self, dtype: np.dtype[Any]) -> float:
        """The size up to which numbers leave something of half of the angles of a row, at least."""
        return kept_size(self._typical, dtype)

    def lost(self, rows: Any, dtype: np.dtype[Any]) -> NDArray[np.bool_]:
        """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles: of each by itself."""
        if not self._typical:
            return np.zeros(rows.shape[0], dtype=bool)
        lost = np.zeros(rows.shape[0], dtype=bool)
        for start, numbers in self._blocks(rows):
            with np.errstate(all="ignore"):
                left = np.flatnonzero(~(lengths_of(numbers * self._bounds) <= kept_size(1.0, dtype)))
                lost[start + left] = are_lost(np.median(self._of_rows(numbers[left]), axis=1), dtype)
        return lost

    def _blocks(self, rows: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Some rows at a time as an array, and the number of the first."""
        height = max(1, _NUMBERS // sum(self.turns.shape))
        for start in range(0, rows.shape[0], height):
            part = rows[start : start + height]
            yield start, (part if isinstance(part, np.ndarray) else part.toarray()).astype(np.float64)

    def _of_rows(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sizes of the angles of every row (m, p), in turns: (m, N)."""
        turned = numbers * self._fastest
        size = np.abs(turned).max(axis=1, keepdims=True, initial=0.0)
        squares = np.square(turned / np.where(size > 0, size, 1.0))
        total = self._squares(squares) if isinstance(self._squares, Projection) else squares @ self._squares
        return np.asarray(np.sqrt(total) * size)

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


def losses(turns: NDArray[np.float64], roundings: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """The loss of rows whose angles have these sizes in `turns` (m, N), on average over the samples: (m,).

    No sample loses more than all of it; what is infinite or NaN does.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        own = np.square(turns) * (loss_of_a_turn(dtype) * roundings)
    return np.asarray(np.mean(np.where(own < 1, own, 1.0), axis=1))


def accurate_size(turns: NDArray[np.float64], roundings: int, dtype: np.dtype[Any]) -> float:
    """The size up to which numbers of a row have a loss of at most `LOSS`, for samples whose √Σ_c turns_c² is `turns`.

    The solution s of Σ_j min(1, a s² turns_j²) = `LOSS` N. With the largest turns first, the sum is at most
    k + a s² Σ_{j > k} turns_j² for every k, and equal for some k: s is the largest of the solutions for these bounds.
    """
    largest = float(turns.max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.inf if largest == 0 else 0.0
    squares = np.square(np.sort(turns) / largest)
    budget = LOSS * len(turns)
    left = np.cumsum(squares)[::-1][: int(np.ceil(budget))]
    with np.errstate(divide="ignore"):
        sizes = (budget - np.arange(len(left))) / (loss_of_a_turn(dtype) * max(1, roundings) * left)
    return (1 - 2.0**-20) * float(np.sqrt(sizes.max())) / largest


def loss_of_a_turn(dtype: np.dtype[Any]) -> float:
    """(2πu)²/3: what an angle of one turn loses that is rounded once."""
    return float((np.pi * np.finfo(dtype).eps) ** 2 / 3)


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
