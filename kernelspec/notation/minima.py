"""Sums of coordinatewise minima and maxima of signed rows, dense or sparse, to full relative accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["minima_and_maxima"]

_ENTRIES_AT_ONCE = 2**20
_LARGE, _DOWN = 2.0**900, 2.0**-100
"""Rows with an entry above 2⁹⁰⁰ are scaled by 2⁻¹⁰⁰: what underflows then is below 2⁻¹⁸⁰⁰ of the sum of maxima."""


def minima_and_maxima(
    x: NDArray[Any] | csr_array, y: NDArray[Any] | csr_array, grid: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Σ min(x̃, ỹ) and Σ max(x̃, ỹ) of all pairs of rows, (n, m), or of row i with row i, (n,); x̃ = (x⁺, x⁻).

    The minima are summed one by one, as a difference of sums would lose the small ones; the maxima are
    Σx̃ + Σỹ − Σ min, which at most halves. Both are times 2⁻¹⁰⁰ for pairs with a number so large that sums overflow.
    """
    if not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)):
        from scipy.sparse import csr_array

        x, y = csr_array(x), csr_array(y)
    x, y = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        result = _sums(x, y, grid)
    large = (np.logical_or.outer if grid else np.logical_or)(_is_large(x), _is_large(y))
    if not large.any():
        return result
    scaled = _sums(x * _DOWN, y * _DOWN, grid)
    return np.where(large, scaled[0], result[0]), np.where(large, scaled[1], result[1])


def _sums(x: Any, y: Any, grid: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    totals = [np.asarray(abs(rows).sum(axis=1)).ravel() for rows in (x, y)]
    dense = isinstance(x, np.ndarray)
    if grid:
        minima = sum((_dense if dense else _sparse)(*parts) for parts in _parts(x, y))
        total = np.add.outer(*totals)
    else:
        minima = sum((_dense_aligned if dense else _sparse_aligned)(*parts) for parts in _parts(x, y))
        total = totals[0] + totals[1]
    least = np.minimum(np.asarray(minima), total / 2)  # rounding apart, it is
    return least, total - least


def _parts(x: Any, y: Any) -> list[tuple[Any, Any]]:
    """The positive parts of both, then the negative ones."""
    return [(_positive(x), _positive(y)), (_positive(-x), _positive(-y))]


def _positive(rows: Any) -> Any:
    if isinstance(rows, np.ndarray):
        return np.maximum(rows, 0)
    kept = rows.maximum(0)
    kept.sum_duplicates()
    return kept


def _is_large(rows: Any) -> NDArray[np.bool_]:
    largest = abs(rows).max(axis=1)
    return np.asarray(largest if isinstance(rows, np.ndarray) else largest.toarray()).ravel() > _LARGE


def _dense(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.zeros((len(x), len(y)))
    columns = np.flatnonzero(x.any(axis=0) & y.any(axis=0))  # elsewhere the minimum is zero
    x, y = x[:, columns], y[:, columns]
    step = max(1, _ENTRIES_AT_ONCE // max(1, len(columns)))
    for first in range(0, len(y), step):
        block = y[first : first + step]
        work = np.empty_like(block)
        for i, row in enumerate(x):
            result[i, first : first + step] = np.minimum(block, row, out=work).sum(axis=1)
    return result


def _dense_aligned(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.minimum(x, y).sum(axis=1))


def _sparse(x: csr_array, y: csr_array) -> NDArray[np.float64]:
    """Row by row of x: only the columns that it has are looked at, and only so many rows of y at once."""
    result = np.zeros((x.shape[0], y.shape[0]))
    by_column = y.tocsc()
    for i in range(x.shape[0]):
        own = slice(x.indptr[i], x.indptr[i + 1])
        values, columns = x.data[own], x.indices[own]
        step = max(1, _ENTRIES_AT_ONCE // max(1, y.shape[0]))
        for first in range(0, len(columns), step):
            met = by_column[:, columns[first : first + step]]
            least = np.minimum(met.data, np.repeat(values[first : first + step], np.diff(met.indptr)))
            result[i] += np.bincount(met.indices, weights=least, minlength=y.shape[0])
    return result


def _sparse_aligned(x: csr_array, y: csr_array) -> NDArray[np.float64]:
    return np.asarray(x.minimum(y).sum(axis=1), dtype=np.float64).ravel()
