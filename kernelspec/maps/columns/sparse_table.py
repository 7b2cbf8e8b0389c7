"""A CSR matrix as it is written: rows of one length, filled block by block from many threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.index_dtype import index_dtype
from kernelspec.tables.csr_rows import matrix_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["SparseTable"]


@dataclass(frozen=True)
class SparseTable:
    """Entries of n rows side by side, `length` of them in each: values, and columns in increasing order.

    The column −1 marks an entry that has none; such entries are dropped at the end.
    """

    data: NDArray[Any]
    indices: NDArray[Any]
    n_columns: int

    @classmethod
    def empty(cls, n_rows: int, length: int, n_columns: int, dtype: np.dtype[Any]) -> SparseTable:
        """A table yet to be filled; indices have 32 bits where that is enough."""
        size = n_rows * length
        kind = index_dtype(max(size, n_columns))
        data, indices = np.empty(size, dtype=dtype), np.empty(size, dtype=kind)
        return cls(data.reshape(n_rows, length), indices.reshape(n_rows, length), n_columns)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, rows: slice) -> SparseTable:
        """Some of the rows, in the same memory."""
        return SparseTable(self.data[rows], self.indices[rows], self.n_columns)

    def finished(self, missing: int) -> csr_array:
        """The matrix (n, n_columns) without the `missing` entries of column −1; if none is, in memory of the table."""
        n_rows, length = self.data.shape
        data, indices = self.data.reshape(-1), self.indices.reshape(-1)
        pointers = np.arange(n_rows + 1, dtype=indices.dtype) * indices.dtype.type(length)
        if missing:
            from kernelspec.numerics.column_kernels import compact

            compact(data, indices, pointers)
            data, indices = data[: pointers[-1]].copy(), indices[: pointers[-1]].copy()
        return matrix_of(data, indices, pointers, self.n_columns)
