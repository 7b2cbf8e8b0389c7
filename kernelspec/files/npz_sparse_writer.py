"""Sparse features as NPZ, the way scipy.sparse.save_npz lays them out."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.files.feature_writer import FeatureWriter
from kernelspec.files.npz_members import GrowingArray, write_array
from kernelspec.numerics.index_dtype import index_dtype

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

__all__ = ["SparseNpzWriter"]


class SparseNpzWriter(FeatureWriter):
    """What `scipy.sparse.load_npz` opens as a `csr_array`, with the array `names` beside it.

    Indices and row pointers are both 32 bits wide, or both 64 where there are too many columns or entries: SciPy
    would copy one of them otherwise.
    """

    _data: GrowingArray
    _indices: GrowingArray
    _indptr: GrowingArray
    _temporary: Path
    _stored: int

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        folder = temporary.parent
        self._temporary, self._stored = temporary, 0
        self._data = GrowingArray(folder, self.dtype, stack)
        self._indices = GrowingArray(folder, index_dtype(len(self.names)), stack)
        self._indptr = GrowingArray(folder, np.dtype(np.int64), stack)
        self._indptr.append(np.zeros(1, dtype=np.int64))

    def _append(self, block: Any) -> None:
        if getattr(block, "format", None) != "csr":
            raise ValueError(f"a {type(block).__name__} cannot go into a file of sparse features; CSR is needed")
        # A slice of a matrix may share longer arrays than its own: its row pointers tell.
        ends = block.indptr.astype(np.int64)
        own = slice(int(ends[0]), int(ends[-1]))
        self._data.append(np.ascontiguousarray(block.data[own], dtype=self.dtype))
        self._indices.append(np.ascontiguousarray(block.indices[own], dtype=self._indices.dtype))
        self._indptr.append(ends[1:] - ends[0] + self._stored)
        self._stored += own.stop - own.start

    def _finish(self) -> None:
        shape = self.rows_written, len(self.names)
        width = index_dtype(max(self._stored, shape[1]))
        with zipfile.ZipFile(self._temporary, "w") as archive:
            write_array(archive, "format", np.array(b"csr"))
            write_array(archive, "shape", np.array(shape, dtype=np.int64))
            write_array(archive, "_is_array", np.array(True))
            self._indptr.move_into(archive, "indptr", (shape[0] + 1,), width)
            self._indices.move_into(archive, "indices", (self._stored,), width)
            self._data.move_into(archive, "data", (self._stored,))
            write_array(archive, "names", np.array(self.names, dtype=np.str_))
