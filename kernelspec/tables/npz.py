"""NPZ: dense and sparse arrays in zip archives."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import FileError
from kernelspec.loading import sparse
from kernelspec.numerics.arrays import index_dtype
from kernelspec.tables.atomic import closed_quietly, reading
from kernelspec.tables.column_types import Reading
from kernelspec.tables.npy import ArrayHeader, ArrayStream, FeatureWriter, header_bytes, raw_bytes, read_header
from kernelspec.tables.table_reader import Block, TableReader, check_columns, check_source

__all__ = [
    "NpzReader",
    "NpzWriter",
    "SparseNpzReader",
    "SparseNpzWriter",
    "array_headers",
    "npz_reader",
    "write_array",
]

_KIND = "an NPZ file"


def array_headers(path: Path) -> dict[str, ArrayHeader]:
    """The arrays of an archive by name, reading only headers.

    Raises FileError: not a zip archive, a damaged one, or one without arrays.
    """
    check_source(path, _KIND, b"PK\x03\x04")
    headers = {}
    with reading(path, _KIND), zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.endswith(".npy"):
                name = member.removesuffix(".npy")
                where = f"{path}, array {name!r}"
                with archive.open(member) as stream:
                    headers[name] = read_header(stream, where)
                    present = archive.getinfo(member).file_size - stream.tell()
                headers[name].check_length(present, where)
    if not headers:
        raise FileError(f"{path}: is a zip archive without arrays (.npy members)")
    return headers


def npz_reader(path: Path, rows_per_block: int) -> NpzReader | SparseNpzReader:
    """The reader of an archive, sparse or not. Raises FileError."""
    headers = array_headers(path)
    reader = SparseNpzReader if headers.keys() >= {"format", "shape", "data"} else NpzReader
    return reader(path, headers, rows_per_block)


class NpzReader(TableReader):
    """The array `X`, or else the only matrix, or else the only array.

    An array in Fortran order cannot be read by rows from a compressed stream; it is first unpacked to an unnamed
    temporary file. Raises FileError: damaged, several candidates, or not a table of real numbers.
    """

    def __init__(self, path: Path, headers: dict[str, ArrayHeader], rows_per_block: int) -> None:
        super().__init__(path, path.stat().st_size)
        self.array = _chosen(path, headers)
        self.header = headers[self.array]
        self._where = f"{path}, array {self.array!r}"
        self.header.check_table(self._where)
        self.n_rows, self.n_columns = self.header.n_rows, self.header.n_columns
        self._rows = self.header.rows_of_block(rows_per_block)

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        with reading(self.path, _KIND), ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(self.path))
            stream: IO[bytes] = stack.enter_context(archive.open(f"{self.array}.npy"))
            if self.header.fortran:
                unpacked = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(stream, unpacked, 2**20)
                unpacked.seek(0)
                stream = unpacked
            yield from ArrayStream(stream, self._where).tables(self._rows)


def _chosen(path: Path, headers: dict[str, ArrayHeader]) -> str:
    matrices = [name for name, header in headers.items() if len(header.shape) == 2]
    if "X" in headers:
        return "X"
    if len(matrices) == 1:
        return matrices[0]
    if len(headers) == 1:
        return next(iter(headers))
    shown = ", ".join(f"{name!r} {header.shape}" for name, header in headers.items())
    raise FileError(f"{path}: has {len(matrices)} matrices, none named 'X': name one of {shown} 'X'")


_SPARSE_KIND = "a sparse matrix of scipy.sparse.save_npz"


class SparseNpzReader(TableReader):
    """Rows of a CSR matrix; its three arrays are decompressed in parallel, and none is loaded whole.

    Raises FileError: another sparse format, damaged, or inconsistent arrays.
    """

    def __init__(self, path: Path, headers: dict[str, ArrayHeader], rows_per_block: int) -> None:
        super().__init__(path, path.stat().st_size)
        for name in ("format", "shape"):  # an array may be much larger than the compressed file
            if headers[name].n_bytes > 256:
                raise FileError(f"{path}: its array {name!r} has {headers[name].n_bytes:,} bytes")
        with reading(path, _SPARSE_KIND), np.load(path, allow_pickle=False) as small:
            written = small["format"].item()
            layout = written.decode("ascii") if isinstance(written, bytes) else str(written)
            shape = small["shape"]
        if layout != "csr":
            raise FileError(f"{path}: holds a sparse matrix in {layout} format; save `matrix.tocsr()` instead")
        if not {"indices", "indptr"} <= headers.keys():
            raise FileError(f"{path}: is not {_SPARSE_KIND}: it has no arrays 'indices' and 'indptr'")
        if shape.shape != (2,) or shape.min() < 0 or headers["indptr"].shape != (int(shape[0]) + 1,):
            raise FileError(f"{path}: its shape {shape.tolist()} and row pointers do not match")
        for name, kinds in (("data", "biuf"), ("indices", "iu"), ("indptr", "iu")):
            if headers[name].dtype.kind not in kinds or len(headers[name].shape) != 1:
                found = f"{headers[name].dtype} of shape {headers[name].shape}"
                raise FileError(f"{path}: its array {name!r} is {found}; a vector of real numbers is needed")
        check_columns(int(shape[1]), str(path))
        self.n_rows, self.n_columns = int(shape[0]), int(shape[1])
        self._rows = rows_per_block

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        assert self.n_rows is not None
        assert self.n_columns is not None
        with (
            reading(self.path, _SPARSE_KIND),
            zipfile.ZipFile(self.path) as archive,
            ExitStack() as stack,
        ):
            indptr, indices, data = (
                ArrayStream(stack.enter_context(archive.open(f"{name}.npy")), f"{self.path}, array {name!r}")
                for name in ("indptr", "indices", "data")
            )
            end = int(indptr.take(1)[0])
            for first in range(0, self.n_rows, self._rows):
                n_rows = min(self._rows, self.n_rows - first)
                ends = np.concatenate([[end], indptr.take(n_rows).astype(np.int64)])
                most, n_stored = indices.header.n_rows, int(ends[-1] - end)
                if end < 0 or ends[-1] > most or np.any(np.diff(ends) < 0):
                    raise FileError(
                        f"{self.path}: its row pointers are not ascending, or point beyond the {most} entries"
                    )
                columns_there, values = indices.take(n_stored), data.take(n_stored)
                if n_stored and not 0 <= columns_there.min() <= columns_there.max() < self.n_columns:
                    raise FileError(f"{self.path}: an index exceeds the {self.n_columns} columns")
                width = index_dtype(max(self.n_columns, n_stored))
                parts = values, columns_there.astype(width, copy=False), (ends - end).astype(width)
                yield sparse.csr_array(parts, shape=(n_rows, self.n_columns))
                end = int(ends[-1])
            for array in (indptr, indices, data):
                array.finish()


_VALUES_PER_CHUNK = 2**16
_FIRST_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


class GrowingArray:
    """An array of unknown final length, in an unnamed temporary file in `folder`.

    A member of an archive cannot be rewritten, and its header, with the length, comes first.
    """

    def __init__(self, folder: Path, dtype: np.dtype[Any], stack: ExitStack) -> None:
        self.dtype = dtype
        self.n_bytes = 0
        # Unnamed, so that even a killed process leaves nothing behind.
        file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._file = stack.enter_context(closed_quietly(file))

    def append(self, values: NDArray[Any]) -> None:
        """Add values of the right dtype (C order)."""
        self.n_bytes += self._file.write(raw_bytes(values))

    def move_into(
        self, archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any] | None = None
    ) -> None:
        """Copy the array into the archive, as `dtype` if one is given, and free its temporary file."""
        wanted = self.dtype if dtype is None else dtype
        self._file.seek(0)
        with archive.open(_member(name), "w", force_zip64=True) as member:
            member.write(header_bytes(shape, wanted))
            while values := self._file.read(_VALUES_PER_CHUNK * self.dtype.itemsize):
                member.write(np.frombuffer(values, self.dtype).astype(wanted, copy=False).tobytes())
        self._file.close()


def write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Put a small array into the archive."""
    archive.writestr(_member(name), header_bytes(array.shape, array.dtype) + array.tobytes())


def _member(name: str) -> zipfile.ZipInfo:
    """Stored, because random features hardly compress; with a fixed date, so that equal features give equal files."""
    return zipfile.ZipInfo(f"{name}.npy", _FIRST_ZIP_DATE)


class SparseNpzWriter(FeatureWriter):
    """An archive that `scipy.sparse.load_npz` opens as a `csr_array`, with an extra array `names`.

    Indices and row pointers are both 32 bits wide, or both 64 if there are too many columns or entries: SciPy would
    copy one of them otherwise.
    """

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        folder = temporary.parent
        self._temporary, self._stored = temporary, 0
        self._data = GrowingArray(folder, self.dtype, stack)
        self._indices = GrowingArray(folder, index_dtype(len(self.names)), stack)
        self._indptr = GrowingArray(folder, np.dtype(np.int64), stack)
        self._indptr.append(np.zeros(1, dtype=np.int64))

    def _append(self, block: Any) -> None:
        if getattr(block, "format", None) != "csr":
            raise ValueError(f"cannot write a {type(block).__name__} to a file of sparse features: convert it to CSR")
        # A slice of a matrix may share arrays longer than its own part; its row pointers show which.
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


class NpzWriter(FeatureWriter):
    """An archive that `numpy.load` opens as `features` and `names`; needs twice the space while writing."""

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        self._temporary = temporary
        self._features = GrowingArray(temporary.parent, self.dtype, stack)

    def _append(self, block: Any) -> None:
        self._features.append(self._dense(block))

    def _finish(self) -> None:
        with zipfile.ZipFile(self._temporary, "w") as archive:
            self._features.move_into(archive, "features", (self.rows_written, len(self.names)))
            write_array(archive, "names", np.array(self.names, dtype=np.str_))
