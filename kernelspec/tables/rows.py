"""Rows of data with their columns resolved, dense or sparse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.random.streams import Hashes, hash_numbers
from kernelspec.tables.cells import FROM_ZERO, no_direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from scipy.sparse import csr_array

__all__ = [
    "ReusedRows",
    "Rows",
    "consecutive_rows",
    "counted_from_one",
    "first_fault",
    "matrix_of",
    "numbered",
    "row_limits",
]


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


class ReusedRows:
    """One array that is given out again and again, so its rows last until the next call.

    In the workers of Dask, which set MALLOC_TRIM_THRESHOLD_, the C library gives every large array back to the system.
    """

    def __init__(self) -> None:
        self._kept = np.empty((0, 0))

    def of(self, n_rows: int, width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """`n_rows` rows of `width` numbers, C-contiguous: zeros at first, later what was written there last.

        New memory is taken for more rows than ever, for another width and for another type.
        """
        kept = self._kept
        if n_rows > len(kept) or kept.shape[1] != width or kept.dtype != dtype:
            kept = self._kept = np.zeros((n_rows, width), dtype=dtype)
        return kept[:n_rows]


_FIRST_ROW = re.compile(r"\b(?:(?<=in )|^)row 0(?=, column |: | \(NaN| has | is scaled )")
"""Where an error of one row says so; columns and cells may be called anything, 'row 0' too."""


def first_fault(
    read: Callable[[Any], Any], cut: Callable[[int, int], Any], n_rows: int
) -> tuple[int, DataError] | None:
    """The first row that is refused by `read`, which refuses all of them together, and its error as the only row there.

    `cut` gives some consecutive rows. None where the error is no single row's.
    """

    def fault(start: int, stop: int) -> DataError | None:
        try:
            read(cut(start, stop))
        except DataError as error:
            return error
        return None

    low, high = 0, n_rows
    # Invariant: the first `low` rows can be read, the first `high` cannot.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fault(0, middle) is None else (low, middle)
    alone = fault(low, high)
    return None if alone is None else (low, alone)


def numbered(error: DataError, row: int) -> str:
    """The words of an error of a row that was the only one, with the number it has among others."""
    return _FIRST_ROW.sub(f"row {row}", str(error))


def counted_from_one(message: str) -> str:
    """A message whose rows are those of a file, which count from 1."""
    return message.replace(FROM_ZERO, FROM_ZERO.replace("0", "1"))


_NARROW, _ENTRY_COST = 1024, 8
"""Columns up to which a dense copy is cheap, and how many dense numbers cost as much as one sparse entry."""


@dataclass(frozen=True)
class Rows:
    """n rows of D columns.

    `numbers` is (n, D), dense or CSR; columns that are used as categories only may hold zeros there.
    `categories` has the 64-bit codes of the columns that are no numbers (position → (n,)). Of a block of a table,
    `first` is the number of its first row there: rows that are refused are named by it. `cells` has the columns of
    `categories` as they were in the table, if known: nothing is computed from them but the names of categories.
    """

    numbers: NDArray[Any] | csr_array
    categories: Mapping[int, Hashes] = field(default_factory=dict)
    first: int = field(default=0, compare=False)
    cells: Mapping[int, NDArray[Any]] = field(default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        return int(self.numbers.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.numbers.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether the numbers are CSR."""
        return not isinstance(self.numbers, np.ndarray)

    @property
    def is_wide(self) -> bool:
        """Whether the numbers are CSR on many columns with few entries, so that a dense copy would cost far more."""
        entries = getattr(self.numbers, "nnz", None)  # neither NumPy's arrays nor those of other libraries have it
        return entries is not None and self.n_columns > _NARROW and entries * _ENTRY_COST <= len(self) * self.n_columns

    def dense(self) -> NDArray[Any]:
        """The numbers as a dense float64 array (n, D)."""
        numbers = self.numbers
        if isinstance(numbers, np.ndarray):
            return np.asarray(numbers, dtype=np.float64)
        return np.asarray(numbers.toarray(), dtype=np.float64)

    def codes(self, position: int) -> Hashes:
        """A column as 64-bit codes, equal exactly where the categories are equal."""
        if position in self.categories:
            return self.categories[position]
        column = self.numbers[:, [position]]
        return hash_numbers(column if isinstance(column, np.ndarray) else column.toarray()).ravel()

    def select(self, positions: tuple[int, ...]) -> Rows:
        """The same rows on some of the columns, in the order given."""
        if positions == tuple(range(self.n_columns)):
            return self
        kept, cells = (
            {new: own[old] for new, old in enumerate(positions) if old in own} for own in (self.categories, self.cells)
        )
        return Rows(self.numbers[:, list(positions)], kept, self.first, cells)

    def take(self, index: slice | NDArray[Any]) -> Rows:
        """Some of the rows, for a slice of step one in the same memory."""
        codes, cells = (
            {position: column[index] for position, column in own.items()} for own in (self.categories, self.cells)
        )
        if not isinstance(index, slice):
            return Rows(self.numbers[index], codes, cells=cells)
        start, stop, step = index.indices(len(self))
        is_run = step == 1 and start < stop and not isinstance(self.numbers, np.ndarray)
        return Rows(
            consecutive_rows(self.numbers, start, stop) if is_run else self.numbers[index],
            codes,
            self.first + start,
            cells,
        )

    def some(self, n: int) -> Rows:
        """At most n of the rows, chosen at random but always the same ones, in their order."""
        if len(self) <= n:
            return self
        return self.take(np.sort(np.random.default_rng(3).permutation(len(self))[:n]))

    def distinct(self) -> NDArray[np.intp]:
        """The first row of every group of rows with equal numbers, in the order of the rows."""
        if not self.is_wide:
            return np.sort(np.unique(self.dense(), axis=0, return_index=True)[1])
        from scipy.sparse import csr_array

        own = csr_array(self.numbers, copy=True)
        own.sum_duplicates()
        own.eliminate_zeros()
        first: dict[tuple[bytes, bytes], int] = {}
        for i in range(len(self)):
            part = slice(own.indptr[i], own.indptr[i + 1])
            first.setdefault((own.indices[part].tobytes(), own.data[part].tobytes()), i)
        return np.array(list(first.values()), dtype=np.intp)

    def followed_by(self, others: Rows) -> Rows:
        """These rows and then others, of the same columns."""
        positions = {*self.categories, *others.categories}
        codes = {i: np.concatenate([self.codes(i), others.codes(i)]) for i in positions}
        if isinstance(self.numbers, np.ndarray):
            return Rows(np.concatenate([self.numbers, others.numbers]), codes)
        from scipy.sparse import vstack

        parts: list[Any] = [self.numbers, others.numbers]
        return Rows(vstack(parts, format="csr"), codes)

    def mapped(self, a: NDArray[np.float64]) -> Rows:
        """The rows Ax of numbers alone, for a matrix A (p, D), one factor per column (D,), or one number ()."""
        numbers = self.numbers.astype(np.float64) if self.is_wide else self.dense()
        if a.ndim == 2:
            return Rows(np.asarray(numbers @ a.T))
        if isinstance(numbers, np.ndarray):
            return Rows(numbers * a)
        numbers.data = numbers.data * (a if a.ndim == 0 else a[numbers.indices])
        return Rows(numbers)

    def on_unit_sphere(self) -> Rows:
        """The numbers of every row divided by its Euclidean norm. Raises DataError for a row of zeros."""
        numbers = self.numbers
        # the largest entry first, so that squares neither overflow nor vanish
        if isinstance(numbers, np.ndarray):
            largest = np.abs(numbers).max(axis=1).astype(np.float64)
            self._refuse_zeros(largest)
            # row by row in memory, as the order of a sum is that of memory: the same bits in whatever table
            scaled = np.divide(numbers, largest[:, None], dtype=np.float64, order="C")
            return Rows(scaled / np.sqrt(np.square(scaled).sum(axis=1))[:, None], self.categories)
        entries = np.diff(numbers.indptr)
        largest = abs(numbers).max(axis=1).toarray().astype(np.float64).ravel()
        self._refuse_zeros(largest)
        sparse = numbers.astype(np.float64)
        sparse.data = sparse.data / np.repeat(largest, entries)
        norms = np.sqrt(np.asarray(sparse.multiply(sparse).sum(axis=1)).ravel())
        sparse.data = sparse.data / np.repeat(norms, entries)
        return Rows(sparse, self.categories)

    def blocks(self, size: int) -> Iterator[tuple[slice, Rows]]:
        """The rows in consecutive blocks, with the slice each one covers."""
        for start in range(0, len(self), size):
            part = slice(start, min(start + size, len(self)))
            yield part, self.take(part)

    def _refuse_zeros(self, largest: NDArray[np.float64]) -> None:
        zero = np.flatnonzero(largest == 0)
        if len(zero):
            raise no_direction(self.first + int(zero[0]))
