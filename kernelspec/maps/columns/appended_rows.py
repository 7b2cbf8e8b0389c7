"""CSR rows appended to one another in memory that has room for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.maps.columns.hashed import SparseTable
from kernelspec.numerics.arrays import index_dtype
from kernelspec.tables.rows import matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["AppendedRows"]


class AppendedRows:
    """A CSR matrix that grows by some rows at a time in the memory of a table, what is written there first of all.

    A table is made for as many entries as there can be. The system gives memory to what is written of it alone, so
    that rows which have fewer take less.
    """

    def __init__(self, table: SparseTable) -> None:
        self._table = table
        self._data, self._indices = table.data.reshape(-1), table.indices.reshape(-1)
        self._pointers = np.zeros(len(table) + 1, dtype=table.indices.dtype)
        self._rows, self._entries = 0, 0

    def room(self, n_rows: int) -> SparseTable:
        """Where the next rows may be written: what is appended from there is not copied, if all rows are full."""
        first = -(-self._entries // max(1, self._table.data.shape[1]))
        return self._table[first : first + n_rows]

    def append(self, rows: csr_array) -> None:
        """Add some rows, which may lie in the room for them."""
        own = slice(self._entries, self._entries + rows.nnz)
        for target, values in ((self._data[own], rows.data), (self._indices[own], rows.indices)):
            if target.ctypes.data != values.ctypes.data:
                target[...] = values[: rows.nnz]
        pointers = self._pointers[self._rows + 1 : self._rows + 1 + rows.shape[0]]
        pointers[...] = rows.indptr[1:]
        pointers += own.start  # in the type of the whole: that of the rows may be too short for it
        self._rows, self._entries = self._rows + rows.shape[0], own.stop

    def matrix(self) -> csr_array:
        """All rows of the table (n, n_columns), when they have been appended."""
        own, kind = slice(self._entries), index_dtype(max(self._entries, self._table.n_columns))
        indices, pointers = (places.astype(kind, copy=False) for places in (self._indices[own], self._pointers))
        return matrix_of(self._data[own], indices, pointers, self._table.n_columns)
