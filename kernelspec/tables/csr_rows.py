"""CSR matrices of given arrays, and some of their rows, without a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["consecutive_rows", "matrix_of", "row_limits"]


def matrix_of(
    data: NDArray[Any], indices: NDArray[Any], pointers: NDArray[Any], n_columns: int, *, canonical: bool = True
) -> csr_array:
    """The CSR matrix with these entries and starts of rows, in their memory.

    It is `canonical` if columns increase in every row. SciPy would copy what lies in memory of twice its size or more,
    and look whether they do.
    """
    from scipy.sparse import csr_array

    matrix = csr_array((len(pointers) - 1, n_columns), dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, pointers
    matrix.has_canonical_format = canonical
    return matrix


def consecutive_rows(X: Any, start: int, stop: int) -> csr_array:
    """Rows of a CSR matrix from `start` up to `stop`, in its memory; its data in the machine's order of bytes."""
    first, last = int(X.indptr[start]), int(X.indptr[stop])
    data = X.data[first:last]
    return matrix_of(
        data.astype(data.dtype.newbyteorder("="), copy=False),
        X.indices[first:last],
        X.indptr[start : stop + 1] - X.indptr[start],
        X.shape[1],
        canonical=bool(X.has_canonical_format),
    )


def row_limits(X: Any, n_entries: int, n_rows: int) -> Iterator[int]:
    """Where a CSR matrix is cut for parts of at most so many entries and rows, but one row at least: 0 first, then on.

    The last limit is the number of rows.
    """
    starts, limit, n = X.indptr, 0, X.shape[0]
    yield limit
    while limit < n:
        last = starts.dtype.type(min(int(starts[limit]) + n_entries, int(starts[-1])))  # of another type: a copy
        full = int(np.searchsorted(starts, last, side="right")) - 1
        limit = max(limit + 1, min(full, limit + n_rows))
        yield limit
