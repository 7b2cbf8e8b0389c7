"""NPY: arrays read and written in blocks of rows, and the base of feature writers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from kernelspec.errors import FileError
from kernelspec.tables.atomic import atomic_path, check_target, closed_quietly, reading, writing
from kernelspec.tables.column_types import Reading
from kernelspec.tables.rows import ReusedRows
from kernelspec.tables.table_reader import Block, TableReader, bounded_rows, check_columns, check_source

if TYPE_CHECKING:
    from scipy import sparse

__all__ = [
    "ArrayHeader",
    "ArrayStream",
    "FeatureWriter",
    "NpyReader",
    "NpyWriter",
    "dense",
    "header_bytes",
    "raw_bytes",
    "read_header",
]

_MATRIX = 2


class FeatureWriter(ABC):
    """Writes rows of features to a file, which appears when the `with` statement ends without an exception.

    Memory is bounded by the blocks.
    """

    def __init__(self, path: Path, names: Sequence[str], dtype: np.dtype[Any]) -> None:
        check_target(path)
        self.path = path
        self.names = tuple(names)
        self.dtype = dtype
        self.rows_written = 0
        self._stack: ExitStack | None = None
        self._converted = ReusedRows()

    def __enter__(self) -> FeatureWriter:
        with ExitStack() as stack:
            temporary = stack.enter_context(atomic_path(self.path))
            with writing(self.path):
                self._begin(temporary, stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *raised: Any) -> None:
        stack, self._stack = self._stack, None
        assert stack is not None
        if raised[0] is not None:
            stack.__exit__(*raised)
            return
        with stack, writing(self.path):
            self._finish()

    def write(self, block: NDArray[Any] | sparse.csr_array[Any, tuple[int, int]]) -> None:
        """Append the rows of a block, which may be reused afterwards.

        Raises FileError: the disk is full, or similar; ValueError: a block of another width, kind or dtype than
        announced, or outside the `with` statement.
        """
        if self._stack is None:
            raise ValueError("call write() inside the `with` statement")
        if len(block.shape) != _MATRIX or block.shape[1] != len(self.names):
            raise ValueError(f"a block of shape {block.shape} does not fit {len(self.names)} columns")
        if not np.can_cast(block.dtype, self.dtype, "same_kind"):
            raise ValueError(f"a block of {block.dtype} cannot be written as {self.dtype}")
        with writing(self.path):
            self._append(block)
        self.rows_written += block.shape[0]

    def _dense(self, block: Any) -> NDArray[Any]:
        """The block as a C-ordered array of the file's type, until the next call. Raises ValueError if it is sparse."""
        return dense(block, self.dtype, self._converted)

    @abstractmethod
    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        """Open the file; what must be closed goes on the stack."""

    @abstractmethod
    def _append(self, block: Any) -> None:
        """Write a block of the right shape; `rows_written` counts the rows before it."""

    @abstractmethod
    def _finish(self) -> None:
        """Complete and close the file."""


def dense(block: Any, dtype: np.dtype[Any], memory: ReusedRows) -> NDArray[Any]:
    """The block as a C-ordered array of that dtype, copied only if necessary, into the given memory.

    Raises ValueError: the block is sparse.
    """
    if not isinstance(block, np.ndarray):
        raise ValueError(f"cannot write a {type(block).__name__} to a file of dense features")
    rows = np.asarray(block)
    if rows.dtype == dtype and rows.flags.c_contiguous:
        return rows
    copy = memory.of(len(rows), rows.shape[1], dtype)
    np.copyto(copy, rows, casting="same_kind")
    return copy


def raw_bytes(array: NDArray[Any]) -> memoryview:
    """The memory of a C-ordered array, because files reject NumPy's own buffer for some dtypes."""
    return array.reshape(-1).view(np.uint8).data


_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4}  # format version → bytes that encode the length of the header

_LONGEST_HEADER = 10_000  # longest header in bytes, NumPy's own limit


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """The header of an NPY file or NPZ member."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool

    @property
    def n_rows(self) -> int:
        """Length of the first axis."""
        return self.shape[0]

    @property
    def n_columns(self) -> int:
        """Length of the second axis; a vector is one column."""
        return self.shape[1] if len(self.shape) > 1 else 1

    def rows_of_block(self, most: int) -> int:
        """The rows that are read at once."""
        return bounded_rows(most, self.n_columns * self.dtype.itemsize)

    @property
    def n_bytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def check_length(self, present: int, where: str) -> None:
        """Reject data of another length than the header says (pickled objects may have any length).

        Raises FileError: the data are cut off, or something follows them.
        """
        if present != self.n_bytes and not self.dtype.hasobject:
            how = "cut off" if present < self.n_bytes else "more than one array"
            raise FileError(f"{where}: is {how}: its header says {self.n_bytes} bytes of data, but there are {present}")

    def check_table(self, where: str) -> None:
        """Reject arrays that are not a table of real numbers.

        Raises FileError: objects, text, complex numbers, a structured dtype, 0 or more than 2 dimensions, no columns.
        """
        if self.dtype.hasobject:
            raise FileError(f"{where}: holds Python objects, which are never unpickled; save it as float64")
        if self.dtype.kind not in "biuf":
            raise FileError(f"{where}: has dtype {self.dtype}; an array of real numbers is needed")
        if len(self.shape) not in (1, 2):
            raise FileError(f"{where}: has shape {self.shape}; rows and columns, or one column, are needed")
        if self.n_columns == 0:
            raise FileError(f"{where}: has shape {self.shape}, so no columns")
        check_columns(self.n_columns, where)


def read_header(stream: IO[bytes], where: str) -> ArrayHeader:
    """Read the header of `stream`, up to the first byte of the data.

    Raises FileError: a format version that only structured arrays need; ValueError: no header, or a damaged one.
    """
    version = npy.read_magic(stream)
    if version not in _LENGTH_BYTES:
        raise FileError(f"{where}: is NPY version {version[0]}.{version[1]}; only 1.0 and 2.0 are supported")
    length = stream.read(_LENGTH_BYTES[version])
    n_bytes = int.from_bytes(length, "little")
    if n_bytes > _LONGEST_HEADER:  # NumPy would allocate that much first
        raise FileError(f"{where}: has a header of {n_bytes:,} bytes; at most {_LONGEST_HEADER:,} are allowed")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(BytesIO(length + stream.read(n_bytes)))
    if any(length < 0 for length in shape):
        raise FileError(f"{where}: has the invalid shape {shape}")
    # Vectors are stored the same way in either order.
    return ArrayHeader(shape, dtype, fortran and len(shape) > 1)


def header_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """A C-order header whose length does not depend on the number of rows, so that it can be rewritten."""
    header = BytesIO()
    written = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(header, written)  # type: ignore[arg-type, unused-ignore]
    return header.getvalue()


_CHUNK = 2**20


class ArrayStream:
    """The rows of one array, read sequentially; `where` is the file and archive member, for messages.

    Raises FileError: the stream does not begin with a valid header.
    """

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self.where = where
        self.header: ArrayHeader = read_header(stream, where)
        self._stream = stream

    def take(self, n_rows: int) -> NDArray[Any]:
        """The next `n_rows` rows (C order), in native byte order. Raises FileError: the data end before that."""
        block = np.empty((n_rows, *self.header.shape[1:]), self.header.dtype)
        self._fill(block)
        return _native(block)

    def finish(self) -> None:
        """Check that the data end here; in an archive this also verifies the checksum. Raises FileError."""
        if self._stream.read(1):
            raise FileError(f"{self.where}: continues after the {self.header.n_rows} rows in its header")

    def tables(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """All rows, `n_rows` at a time, (n, columns); a vector is one column. Raises FileError.

        Fortran order needs a seekable stream: one short read per column and block, since a memory map would count the
        whole file as resident. In C order, also checks that nothing follows.
        """
        header, start = self.header, self._stream.tell() if self.header.fortran else 0
        for first in range(0, header.n_rows, n_rows):
            n = min(n_rows, header.n_rows - first)
            if not header.fortran:
                yield self.take(n).reshape(-1, header.n_columns)
                continue
            columns = np.empty((header.n_columns, n), header.dtype)
            for j, column in enumerate(columns):
                self._stream.seek(start + (j * header.n_rows + first) * header.dtype.itemsize)
                self._fill(column)
            yield np.ascontiguousarray(_native(columns).T)
        if not header.fortran:
            self.finish()

    def _fill(self, block: NDArray[Any]) -> None:
        """Read until a contiguous array is full; a single read may return less."""
        room = raw_bytes(block)
        while room:
            # Every read from a zip member returns a new bytes object; short reads keep it small.
            n_read = self._stream.readinto(room[:_CHUNK])  # type: ignore[attr-defined]
            if not n_read:
                raise FileError(f"{self.where}: ends in the middle of the data: the file is truncated")
            room = room[n_read:]


def _native(block: NDArray[Any]) -> NDArray[Any]:
    return block.astype(block.dtype.newbyteorder("="), copy=False)


_KIND = "an NPY file"


class NpyReader(TableReader):
    """Rows of a C-ordered array in one sequential pass, of a Fortran-ordered one column by column in blocks.

    A vector is one column. Blocks have the dtype of the file, in native byte order. Raises FileError: not an NPY file,
    cut off, or not a table of real numbers.
    """

    def __init__(self, path: Path, rows_per_block: int) -> None:
        super().__init__(path, check_source(path, _KIND, b"\x93NUMPY"))
        with reading(path, _KIND), path.open("rb") as file:
            self.header = ArrayStream(file, str(path)).header
            present = self.size - file.tell()
        self.header.check_table(str(path))
        self.header.check_length(present, str(path))
        self.n_rows, self.n_columns = self.header.n_rows, self.header.n_columns
        self._rows = self.header.rows_of_block(rows_per_block)

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        with reading(self.path, _KIND), self.path.open("rb", buffering=0) as file:
            yield from ArrayStream(file, str(self.path)).tables(self._rows)


class NpyWriter(FeatureWriter):
    """One C-ordered array. Uses plain writes, because pages of a memory map would count as resident memory."""

    def _begin(self, temporary: Path, stack: ExitStack) -> None:
        self._file = stack.enter_context(closed_quietly(temporary.open("r+b")))
        self._file.write(self._header())

    def _append(self, block: Any) -> None:
        self._file.write(raw_bytes(self._dense(block)))

    def _finish(self) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.close()

    def _header(self) -> bytes:
        return header_bytes((self.rows_written, len(self.names)), self.dtype)
