"""Tables that are copied as they are read: a few rows at a time, so that there is never a copy of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.tables.rows import Rows
from kernelspec.tables.table_kinds import as_table, is_frame

if TYPE_CHECKING:
    from kernelspec.tables.layout import Layout

__all__ = ["pieces_of"]

_BYTES = 2**24
_BYTES_PER_NUMBER = 8


def pieces_of(layout: Layout, X: Any, size: int | None = None) -> Iterator[tuple[slice, Rows]] | None:
    """The rows of X in consecutive pieces, each read when it is asked for; None for what is best read as a whole.

    That is what is not copied (arrays of numbers that are read as they are), or is not large; and frames with
    categories, whose cells decide together what a column is. Pieces have `size` rows, or 16 MiB of numbers. What is
    wrong with any row is said at once: every piece is read here, too, and forgotten. Raises what `layout.read` does.
    """
    if isinstance(X, Rows):
        return None
    X = X if type(X) is np.ndarray else as_table(X)
    at_once = max(1, _BYTES // (_BYTES_PER_NUMBER * layout.dim))
    if not _is_copied(layout, X) or X.shape[0] <= at_once:
        return None
    size = size or at_once
    try:
        for _ in _read(layout, X, at_once):
            pass
    except DataError:
        layout.read(X)  # says which row it is of the whole
        raise
    return _read(layout, X, size)


def _read(layout: Layout, X: Any, size: int) -> Iterator[tuple[slice, Rows]]:
    for start in range(0, X.shape[0], size):
        where = slice(start, min(start + size, X.shape[0]))
        yield where, replace(layout.read(_cut(X, where)), first=start)


def _is_copied(layout: Layout, X: Any) -> bool:
    """Whether reading takes memory of the size of the table, and a part of it is read as in the whole."""
    if is_frame(X):
        return not layout.categorical and (hasattr(X, "iloc") or hasattr(X, "slice"))
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub":
        return False
    return layout.number_type(X) != X.dtype or bool(layout.categorical or layout.domains)


def _cut(X: Any, where: slice) -> Any:
    if isinstance(X, np.ndarray):
        return X[where]
    return X.iloc[where] if hasattr(X, "iloc") else X.slice(where.start, where.stop - where.start)
