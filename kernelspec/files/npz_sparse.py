"""NPZ as scipy.sparse.save_npz writes it, streamed row by row."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.files.array_stream import ArrayStream
from kernelspec.files.blocks import check_columns
from kernelspec.files.faults import reading
from kernelspec.files.table_reader import TableReader
from kernelspec.numerics.index_dtype import index_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading
    from kernelspec.files.npy_header import ArrayHeader

__all__ = ["SPARSE_MEMBERS", "SparseNpzReader"]

SPARSE_MEMBERS = frozenset({"format", "shape", "data", "indices", "indptr"})
_KIND = "a sparse matrix of scipy.sparse.save_npz"


class SparseNpzReader(TableReader):
    """Rows of a CSR matrix: its three arrays are decompressed side by side, none is loaded whole.

    Raises:
        FileError: another sparse format, damaged, or inconsistent arrays.
    """

    def __init__(self, path: Path, headers: dict[str, ArrayHeader], rows_per_block: int) -> None:
        super().__init__(path, path.stat().st_size)
        with reading(path, _KIND), np.load(path, allow_pickle=False) as small:
            written = small["format"].item()
            layout = written.decode("ascii") if isinstance(written, bytes) else str(written)
            shape = small["shape"]
        if layout != "csr":
            raise FileError(f"{path}: holds a sparse matrix in {layout} format; save `matrix.tocsr()` instead")
        if shape.shape != (2,) or shape.min() < 0 or headers["indptr"].shape != (int(shape[0]) + 1,):
            raise FileError(f"{path}: its shape {shape.tolist()} and row pointers do not fit together")
        for name, kinds in (("data", "biuf"), ("indices", "iu"), ("indptr", "iu")):
            if headers[name].dtype.kind not in kinds or len(headers[name].shape) != 1:
                found = f"{headers[name].dtype} of shape {headers[name].shape}"
                raise FileError(f"{path}: its array {name!r} is {found}; a vector of real numbers is needed")
        check_columns(int(shape[1]), str(path))
        self.n_rows, self.n_columns = int(shape[0]), int(shape[1])
        self._rows = rows_per_block

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        from scipy import sparse

        assert self.n_rows is not None
        assert self.n_columns is not None
        with (
            reading(self.path, _KIND),
            zipfile.ZipFile(self.path) as archive,
            archive.open("indptr.npy") as indptr_file,
            archive.open("indices.npy") as indices_file,
            archive.open("data.npy") as data_file,
        ):
            indptr, indices, data = (
                ArrayStream(file, f"{self.path}, array {name!r}")
                for file, name in ((indptr_file, "indptr"), (indices_file, "indices"), (data_file, "data"))
            )
            end = int(indptr.take(1)[0])
            for first in range(0, self.n_rows, self._rows):
                n_rows = min(self._rows, self.n_rows - first)
                ends = np.concatenate([[end], indptr.take(n_rows).astype(np.int64)])
                n_stored = self._checked_length(ends, indices.header.n_rows)
                columns_there, values = indices.take(n_stored), data.take(n_stored)
                if n_stored and not 0 <= columns_there.min() <= columns_there.max() < self.n_columns:
                    raise FileError(f"{self.path}: an index lies beyond the {self.n_columns} columns")
                width = index_dtype(max(self.n_columns, n_stored))
                parts = values, columns_there.astype(width, copy=False), (ends - end).astype(width)
                yield sparse.csr_array(parts, shape=(n_rows, self.n_columns))
                end = int(ends[-1])
            for array in (indptr, indices, data):
                array.finish()

    def _checked_length(self, ends: NDArray[Any], n_stored: int) -> int:
        """Entries of a block of rows, given where its rows end."""
        if ends[0] < 0 or ends[-1] > n_stored or np.any(np.diff(ends) < 0):
            raise FileError(f"{self.path}: its row pointers are not ascending, or point beyond the {n_stored} entries")
        return int(ends[-1] - ends[0])
