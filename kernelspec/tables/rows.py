"""Rows of data with their columns resolved, dense or sparse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError
from kernelspec.loading import sparse
from kernelspec.random.streams import Hashes, Stream, hash_numbers
from kernelspec.tables.cells import FROM_ZERO, dense, no_direction

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "ReusedRows",
    "Rows",
    "consecutive_rows",
    "counted_from_one",
    "every_column",
    "first_fault",
    "matrix_of",
    "numbered",
    "row_limits",
    "row_lottery",
]


@lru_cache(maxsize=4)
def every_column(n: int) -> tuple[int, ...]:
    """0, …, n − 1, kept: to list 50,000 columns again for every block of rows took a third of the time."""
    return tuple(range(n))


def matrix_of(
    data: NDArray[Any], indices: NDArray[Any], pointers: NDArray[Any], n_columns: int, *, canonical: bool = True
) -> csr_array:
    """The CSR matrix with these arrays, without a copy.

    `canonical` says that columns increase in every row. SciPy itself would copy arrays in memory of at least twice
    their size, and check the order.
    """
    matrix = sparse.csr_array((len(pointers) - 1, n_columns), dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, pointers
    matrix.has_canonical_format = canonical
    return matrix


def consecutive_rows(X: Any, start: int, stop: int) -> csr_array:
    """Rows `start` to `stop` of a CSR matrix, in its memory; data in native byte order."""
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
    """Limits that cut a CSR matrix into parts of at most `n_entries` entries and `n_rows` rows, but at least one row.

    The first limit is 0, the last the number of rows.
    """
    starts, limit, n = X.indptr, 0, X.shape[0]
    yield limit
    while limit < n:
        last = starts.dtype.type(min(int(starts[limit]) + n_entries, int(starts[-1])))  # another type would copy
        full = int(np.searchsorted(starts, last, side="right")) - 1
        limit = max(limit + 1, min(full, limit + n_rows))
        yield limit


class ReusedRows:
    """An array for repeated use: its rows are valid until the next call.

    In Dask workers, which set MALLOC_TRIM_THRESHOLD_, the C library returns every large array to the system.
    """

    def __init__(self) -> None:
        self._kept = np.empty((0, 0))

    def of(self, n_rows: int, width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """`n_rows` C-contiguous rows of `width` numbers: zeros at first, later the previous contents.

        Allocates for more rows than before, another width, or another type.
        """
        kept = self._kept
        if n_rows > len(kept) or kept.shape[1] != width or kept.dtype != dtype:
            kept = self._kept = np.zeros((n_rows, width), dtype=dtype)
        return kept[:n_rows]


_FIRST_ROW = re.compile(
    r"\b(?:(?<=in )|^)row 0(?=, column |, but the map |, which is |: | \(NaN| has | is scaled | is all zeros)"
)
"""Where a one-row error mentions its row; columns and cells may contain 'row 0' too."""


def first_fault(
    read: Callable[[Any], Any], cut: Callable[[int, int], Any], n_rows: int
) -> tuple[int, DataError] | None:
    """The first row that `read` rejects, and its error as the only row; `read` is known to reject all rows together.

    `cut` returns consecutive rows. None if no single row causes the error.
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
    """The error of a single row, with its number among other rows."""
    return _FIRST_ROW.sub(f"row {row}", str(error))


def row_lottery(first: int = 0) -> np.random.Generator:
    """A number for every row from `first` on, by which rows of a table are chosen.

    Never the numbers of `np.random.default_rng(seed)`, which may be those of a column.
    """
    generator = Stream(0).generator("rows")
    generator.bit_generator.advance(first)  # type: ignore[attr-defined]
    return generator


def counted_from_one(message: str) -> str:
    """A message with rows counted from 1, for files."""
    return message.replace(FROM_ZERO, FROM_ZERO.replace("0", "1"))


_NARROW, _ENTRY_COST = 1024, 8
"""Up to this many columns a dense copy is cheap; this many dense numbers cost as much as one sparse entry."""


@dataclass(frozen=True)
class Rows:
    """n rows of D columns.

    `numbers` is (n, D), dense or CSR, and may be zero in columns only used as categories. `categories` has the 64-bit
    codes of the columns that are not numbers (position → (n,)). For a block of a table, `first` is the number of its
    first row there, used in errors. `cells` has the original cells of the columns in `categories`, if known, only for
    the names of categories.
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
        """Whether the numbers are CSR with many columns and few entries, so that a dense copy would be far more
        expensive.
        """
        entries = getattr(self.numbers, "nnz", None)  # dense arrays do not have it
        return entries is not None and self.n_columns > _NARROW and entries * _ENTRY_COST <= len(self) * self.n_columns

    def dense(self) -> NDArray[Any]:
        """The numbers as a dense float64 array (n, D)."""
        return np.asarray(dense(self.numbers), dtype=np.float64)

    def codes(self, position: int) -> Hashes:
        """A column as 64-bit codes, equal if and only if the categories are."""
        if position in self.categories:
            return self.categories[position]
        return hash_numbers(dense(self.numbers[:, [position]])).ravel()

    def select(self, positions: tuple[int, ...]) -> Rows:
        """The same rows on some of the columns, in the order given."""
        if positions == every_column(self.n_columns):
            return self
        kept, cells = (
            {new: own[old] for new, old in enumerate(positions) if old in own} for own in (self.categories, self.cells)
        )
        return Rows(self.numbers[:, list(positions)], kept, self.first, cells)

    def take(self, index: slice | NDArray[Any]) -> Rows:
        """Some of the rows; a slice of step one shares memory."""
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
        """At most n of the rows, randomly chosen but always the same ones, in order."""
        if len(self) <= n:
            return self
        return self.take(np.sort(np.random.default_rng(3).permutation(len(self))[:n]))

    def distinct(self) -> NDArray[np.intp]:
        """The first row of every group with equal numbers, in row order."""
        return np.sort(Rows(self.numbers).groups()[0])

    def groups(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first row of every group of equal rows, categories included, and the group number of each row."""
        codes = [self.categories[position] for position in sorted(self.categories)]
        if not self.is_wide:
            table = np.column_stack([(self.dense() + 0.0).view(np.uint64), *codes])  # −0 and 0 are equal
            cells = np.ascontiguousarray(table).view(np.dtype((np.void, 8 * table.shape[1]))).ravel()
            _, first, place = np.unique(cells, return_index=True, return_inverse=True)
            return first, place
        own = sparse.csr_array(self.numbers, copy=True)
        own.sum_duplicates()
        own.eliminate_zeros()
        met: dict[tuple[Any, ...], int] = {}
        first_rows: list[int] = []
        places = np.empty(len(self), dtype=np.intp)
        for i in range(len(self)):
            part = slice(own.indptr[i], own.indptr[i + 1])
            cells_of_row = (own.indices[part].tobytes(), own.data[part].tobytes(), *(code[i] for code in codes))
            places[i] = met.setdefault(cells_of_row, len(met))
            if places[i] == len(first_rows):
                first_rows.append(i)
        return np.array(first_rows, dtype=np.intp), places

    def followed_by(self, others: Rows) -> Rows:
        """These rows followed by others with the same columns."""
        positions = {*self.categories, *others.categories}
        codes = {i: np.concatenate([self.codes(i), others.codes(i)]) for i in positions}
        if isinstance(self.numbers, np.ndarray):
            return Rows(np.concatenate([self.numbers, others.numbers]), codes)
        parts: list[Any] = [self.numbers, others.numbers]
        return Rows(sparse.vstack(parts, format="csr"), codes)

    def mapped(self, a: NDArray[np.float64]) -> Rows:
        """The rows Ax, numbers only, for a matrix A (p, D), one factor per column (D,), or one number ()."""
        numbers = self.numbers.astype(np.float64) if self.is_wide else self.dense()
        if a.ndim == 2:
            return Rows(np.asarray(numbers @ a.T))
        if isinstance(numbers, np.ndarray):
            return Rows(numbers * a)
        numbers.data = numbers.data * (a if a.ndim == 0 else a[numbers.indices])
        return Rows(numbers)

    def on_unit_sphere(self) -> Rows:
        """The numbers of every row divided by its Euclidean norm. Raises DataError for a row of zeros."""
        numbers: Any = self.numbers
        # divide by the largest entry first, so that squares neither overflow nor underflow
        largest = dense(abs(numbers).max(axis=1)).astype(np.float64).ravel()
        if not largest.all():
            raise no_direction(self.first + int(np.flatnonzero(largest == 0)[0]))
        if isinstance(numbers, np.ndarray):
            # row by row in memory, since summation order follows memory order: the same bits for any table
            scaled = np.divide(numbers, largest[:, None], dtype=np.float64, order="C")
            return Rows(scaled / np.sqrt(np.square(scaled).sum(axis=1))[:, None], self.categories)
        entries = np.diff(numbers.indptr)
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
