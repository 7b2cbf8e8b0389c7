"""Rows of numbers so large that rounding leaves nothing of their angles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["kept_size", "largest_size", "least_lost_turns", "lengths_of", "lost_rows", "sizes_of"]

_NUMBERS = 2**20
"""Angles whose sizes are looked at together."""


def largest_size(numbers: Any) -> float:
    """The largest absolute value of an array, dense or CSR; NaN where one is NaN, 0 where there are none."""
    own = numbers if isinstance(numbers, np.ndarray) else numbers.data
    return float(np.abs(own).max(initial=0.0))


def least_lost_turns(dtype: np.dtype[Any]) -> float:
    """The turns from which on rounding loses a quarter of one or more: 2⁵¹ in double precision, 2²² in single."""
    return float(2.0 ** (np.finfo(dtype).nmant - 1))


def kept_size(turns: float, dtype: np.dtype[Any]) -> float:
    """Rows of numbers of at most this size keep the angles of samples whose √Σ_c turns_jc² is `turns`.

    A little less, as `lost_rows` is rounded, and is to say the same of every row.
    """
    return (1 - 2.0**-20) * least_lost_turns(dtype) / turns if turns else np.inf


def lengths_of(turns: Any) -> NDArray[np.float64]:
    """√Σ_c turns_jc² of every sample, for turns (N, p), dense or CSR."""
    largest = largest_size(turns) or 1.0
    with np.errstate(all="ignore"):
        if isinstance(turns, np.ndarray):
            return np.asarray(np.sqrt(np.square(turns / largest, dtype=np.float64).sum(axis=1)) * largest)
        return np.asarray(np.sqrt((turns / largest).power(2).sum(axis=1)) * largest).ravel()


def lost_rows(rows: Any, turns: Any, dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """For rows (m, p), dense or CSR, whether rounding leaves nothing of half of their angles.

    `turns` (N, p), dense or CSR, is how often a one turns each sample: the angle of x is about √Σ_c (x_c turns_jc)²
    turns, column by column, as a column of large numbers may have small frequencies.
    """
    largest = largest_size(turns)
    if not largest:
        return np.zeros(rows.shape[0], dtype=bool)
    scaled = turns.astype(np.float64) / largest
    squares = scaled.T**2 if isinstance(scaled, np.ndarray) else scaled.T.power(2)
    lost, height = np.empty(rows.shape[0], dtype=bool), max(1, _NUMBERS // sum(turns.shape))
    for start in range(0, len(lost), height):
        part = rows[start : start + height]
        sizes = sizes_of(part if isinstance(part, np.ndarray) else part.toarray(), squares, largest)
        with np.errstate(all="ignore"):
            lost[start : start + height] = ~(np.median(sizes, axis=1) <= least_lost_turns(dtype))  # or it is unknown
    return lost


def sizes_of(rows: NDArray[Any], squares: Any, factor: float) -> NDArray[np.float64]:
    """factor √(x²·squares) for rows (m, p) and squares (p, N), where those of x may be beyond all numbers.

    Of any row the same numbers, whatever rows it comes with.
    """
    from kernelspec.numerics.projection import Projection

    numbers = rows.astype(np.float64)
    largest = np.abs(numbers).max(axis=1, keepdims=True, initial=0.0)
    with np.errstate(all="ignore"):
        scaled = numbers / np.where(largest > 0, largest, 1.0)
        total = Projection(squares)(scaled**2) if isinstance(squares, np.ndarray) else scaled**2 @ squares
        return np.asarray(np.sqrt(total) * factor * largest)
