"""Tables copied a few rows at a time as they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.tables.rows import Rows, consecutive_rows, first_fault, numbered, row_limits
from kernelspec.tables.table_kinds import as_table, check_places, is_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.tables.layout import Layout

__all__ = ["memory_of_frame", "pieces_of"]

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
    if not _is_copied(layout, X) or len(list(islice(_limits(layout, X, None, None), 3))) < 3:
        return None
    layout.read(_cut(X, 0, 1))
    return _read(layout, X, _limits(layout, X, size, most))


def memory_of_frame(layout: Layout, X: Any) -> Iterator[NDArray[Any]]:
    """The numbers of a data frame that is cut, in its own memory where its library allows that."""
    for start, stop in pairwise(_limits(layout, X, None, None)):
        yield from layout.numbers_of_frame(_cut(X, start, stop))


def _read(layout: Layout, X: Any, limits: Iterable[int]) -> Iterator[tuple[slice, Rows]]:
    for start, stop in pairwise(limits):
        try:
            rows = layout.read(_cut(X, start, stop))
        except DataError:
            found = first_fault(layout.read, partial(_cut, _cut(X, start, stop)), stop - start)
            if found is None:
                raise
            row, alone = found
            raise type(alone)(numbered(alone, start + row)) from None
        yield slice(start, stop), replace(rows, first=start)


def _limits(layout: Layout, X: Any, size: int | None, most: int | None) -> Iterable[int]:
    """Where the table is cut: 0 first, the number of its rows last."""
    n, is_sparse = X.shape[0], hasattr(X, "tocsr")
    if size is None:
        a_row = _BYTES_PER_CATEGORY * len(layout.categorical) + (0 if is_sparse else _BYTES_PER_NUMBER * layout.dim)
        size = max(1, min(_BYTES // max(1, a_row), most or n))
        if is_sparse:
            return row_limits(X, _BYTES // (_BYTES_PER_NUMBER * _NUMBERS_PER_ENTRY), size)
    return chain(range(0, n, size), [n])


def _is_copied(layout: Layout, X: Any) -> bool:
    """Whether reading takes memory of the size of the table, of which parts can be cut."""
    if hasattr(X, "tocsr"):
        if X.format != "csr" or not X.shape[0]:
            return False
        kind = layout.number_type(X)
        check_places(X)
        return kind != X.dtype or bool(layout.categorical) or not X.has_canonical_format
    if is_frame(X):
        return hasattr(X, "shape") and (hasattr(X, "iloc") or hasattr(X, "slice"))  # a lazy frame has no shape
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiubOU":
        return False
    return layout.number_type(X) != X.dtype or bool(layout.categorical or layout.domains)


def _cut(X: Any, start: int, stop: int) -> Any:
    if hasattr(X, "tocsr"):
        return consecutive_rows(X, start, stop)
    if isinstance(X, np.ndarray):
        return X[start:stop]
    return X.iloc[start:stop] if hasattr(X, "iloc") else X.slice(start, stop - start)
