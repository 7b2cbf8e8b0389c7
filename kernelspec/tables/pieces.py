"""Tables that are copied as they are read: a few rows at a time, so that there is never a copy of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, check_places, is_frame

if TYPE_CHECKING:
    from kernelspec.tables.layout import Layout

__all__ = ["pieces_of"]

_BYTES = 2**24
_BYTES_PER_NUMBER, _BYTES_PER_CATEGORY, _NUMBERS_PER_ENTRY = 8, 128, 4
"""A category may be an object of Python on the way to its code; an entry has a place, too, and both are sorted."""


def pieces_of(
    layout: Layout, X: Any, size: int | None = None, *, most: int | None = None
) -> Iterator[tuple[slice, Rows]] | None:
    """The rows of X in consecutive pieces, each read when it is asked for; None for what is best read as a whole.

    That is what is not copied (arrays of numbers that are read as they are), cannot be cut (other sparse formats than
    CSR), or is not large. Pieces have `size` rows, or 16 MiB of numbers and of objects that become categories, and no
    more than `most` rows. What is wrong with the columns is said at once, and what is wrong with a row when its piece
    is asked for. Raises what `layout.read` does.
    """
    if isinstance(X, Rows):
        return None
    X = X if type(X) is np.ndarray else as_table(X)
    if not _is_copied(layout, X) or X.shape[0] <= (at_once := _rows_at_once(layout, X)):
        return None
    layout.read(_cut(X, slice(0, 1)))
    return _read(layout, X, size or min(at_once, most or at_once))


def _read(layout: Layout, X: Any, size: int) -> Iterator[tuple[slice, Rows]]:
    for start in range(0, X.shape[0], size):
        where = slice(start, min(start + size, X.shape[0]))
        try:
            rows = layout.read(_cut(X, where))
        except DataError:
            layout.read(X)  # says which row it is of the whole
            raise
        yield where, replace(rows, first=start)


def _rows_at_once(layout: Layout, X: Any) -> int:
    numbers = layout.dim if not hasattr(X, "tocsr") else _NUMBERS_PER_ENTRY * X.nnz // X.shape[0]
    size = _BYTES_PER_NUMBER * numbers + _BYTES_PER_CATEGORY * len(layout.categorical)
    return max(1, _BYTES // max(1, size))


def _is_copied(layout: Layout, X: Any) -> bool:
    """Whether reading takes memory of the size of the table, of which parts can be cut."""
    if hasattr(X, "tocsr"):
        if X.format != "csr" or not X.shape[0]:
            return False
        kind = layout.number_type(X)
        check_places(X)
        return kind != X.dtype or bool(layout.categorical) or not X.has_canonical_format
    if is_frame(X):
        return hasattr(X, "iloc") or hasattr(X, "slice")
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiubOU":
        return False
    return layout.number_type(X) != X.dtype or bool(layout.categorical or layout.domains)


def _cut(X: Any, where: slice) -> Any:
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
        return X[where]
    return X.iloc[where] if hasattr(X, "iloc") else X.slice(where.start, where.stop - where.start)
