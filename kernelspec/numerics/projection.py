"""Rows times frequencies, with bits that depend on the row alone.

A BLAS sums the rows that fill its tiles in one order and those left over, or every other tile, in another: the same row
may get other last bits beside other rows. So every product is one of a block of fixed shape, and rows are put only
where the sums are known to be formed in the same order; where that is, is found out once for every shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.threads import single_threaded

__all__ = ["project", "rows_per_block"]

_BLOCK = 272
"""Rows of a block: no power of two, whose columns would fall into the same lines of the processor's cache."""

_TRIALS = 3


@dataclass(frozen=True)
class _Place:
    """Rows `start` to `stop` of a block get equal bits; `rows_first` says whether the product is X W or (W' X')'."""

    rows_first: bool
    start: int
    stop: int


def rows_per_block(frequencies: NDArray[Any], columns: int) -> int:
    """How many rows `project` takes at a time, if it is given the frequencies (p, N) by so many columns at most."""
    p, n = frequencies.shape
    widths = {min(n, columns), n % columns} - {0}
    places = [_place(frequencies.dtype.char, p, width) for width in widths]
    return min(_BLOCK if place is None else place.stop - place.start for place in places)


def project(rows: Any, frequencies: NDArray[Any]) -> NDArray[Any]:
    """x·ω_j for at most `rows_per_block` rows (n, p), dense or CSR, and frequencies (p, N) → (n, N)."""
    if not isinstance(rows, np.ndarray):
        return np.asarray(rows @ frequencies)
    place = _place(frequencies.dtype.char, *frequencies.shape)
    if place is None:
        return np.asarray(np.matmul(np.ascontiguousarray(rows)[:, None, :], frequencies)[:, 0])
    block = np.zeros((_BLOCK, rows.shape[1]), dtype=frequencies.dtype)
    used = slice(place.start, place.start + len(rows))
    block[used] = rows
    return np.ascontiguousarray(_product(block, frequencies, place.rows_first)[used])


def _product(block: NDArray[Any], frequencies: NDArray[Any], rows_first: bool) -> NDArray[Any]:
    return np.asarray(block @ frequencies if rows_first else np.matmul(frequencies.T, block.T).T)


@lru_cache(maxsize=256)
def _place(dtype: str, p: int, n: int) -> _Place | None:
    """The longest run of rows with equal bits, in either order of the product; None if it is less than half a block.

    Blocks of equal rows are multiplied: where the results differ, the order of the sums does.
    """
    best: _Place | None = None
    for rows_first in (True, False):
        same = np.ones(_BLOCK - 1, dtype=bool)
        for trial in range(_TRIALS):
            generator = np.random.default_rng(trial)
            row, frequencies = (
                generator.standard_normal(p).astype(dtype),
                generator.standard_normal((p, n)).astype(dtype),
            )
            with single_threaded():
                product = _product(np.tile(row, (_BLOCK, 1)), frequencies, rows_first)
            same &= (product[1:] == product[:-1]).all(axis=1)
        breaks = np.flatnonzero(~same) + 1
        edges = np.concatenate([[0], breaks, [_BLOCK]])
        longest = int(np.argmax(np.diff(edges)))
        place = _Place(rows_first, int(edges[longest]), int(edges[longest + 1]))
        # the first order is the faster one: the other must gain something
        if best is None or place.stop - place.start > 1.25 * (best.stop - best.start):
            best = place
    return best if best is not None and best.stop - best.start >= _BLOCK // 2 else None
