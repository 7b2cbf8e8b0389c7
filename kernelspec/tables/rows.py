"""Rows of data with their columns resolved: numbers where a kernel takes differences, codes where it compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.hashing import Hashes, hash_numbers
from kernelspec.tables.cells import no_direction
from kernelspec.tables.csr_rows import consecutive_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Rows"]

_NARROW, _ENTRY_COST = 1024, 8
"""Columns up to which a dense copy is cheap, and how many dense numbers cost as much as one sparse entry."""


@dataclass(frozen=True)
class Rows:
    """n rows of D columns.

    `numbers` is (n, D), dense or CSR; columns that are used as categories only may hold zeros there.
    `categories` has the 64-bit codes of the columns that are no numbers (position → (n,)). Of a block of a table,
    `first` is the number of its first row there: rows that are refused are named by it.
    """

    numbers: NDArray[Any] | csr_array
    categories: Mapping[int, Hashes] = field(default_factory=dict)
    first: int = field(default=0, compare=False)

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
        kept = {new: self.categories[old] for new, old in enumerate(positions) if old in self.categories}
        return Rows(self.numbers[:, list(positions)], kept, self.first)

    def take(self, index: slice | NDArray[Any]) -> Rows:
        """Some of the rows, for a slice of step one in the same memory."""
        codes = {position: codes[index] for position, codes in self.categories.items()}
        if not isinstance(index, slice):
            return Rows(self.numbers[index], codes)
        start, stop, step = index.indices(len(self))
        is_run = step == 1 and start < stop and not isinstance(self.numbers, np.ndarray)
        return Rows(
            consecutive_rows(self.numbers, start, stop) if is_run else self.numbers[index], codes, self.first + start
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
