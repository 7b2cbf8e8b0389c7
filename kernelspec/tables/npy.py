"""NPY: arrays read and written some rows at a time."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from kernelspec.errors import FileError
from kernelspec.tables.atomic import closed_quietly, reading
from kernelspec.tables.feature_writer import FeatureWriter, raw_bytes
from kernelspec.tables.table_reader import TableReader, bounded_rows, check_columns, check_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import ExitStack
    from pathlib import Path
    from typing import IO

    from numpy.typing import NDArray

    from kernelspec.tables.column_types import Reading
    from kernelspec.tables.table_reader import Block

__all__ = ["ArrayHeader", "ArrayStream", "NpyReader", "NpyWriter", "header_bytes", "read_header"]

_NUMERIC_KINDS = "biuf"
_MOST_ROW_DIGITS = 20
_ALIGNMENT = 64
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4}
"""Version of the format → bytes that say how long the header is."""

_LONGEST_HEADER = 10_000
"""Bytes of a header, NumPy's own limit."""


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What an array of an NPY file or NPZ member looks like."""

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

    @property
    def row_bytes(self) -> int:
        """Bytes of one row."""
        return self.n_columns * self.dtype.itemsize

    @property
    def n_bytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def check_length(self, present: int, where: str) -> None:
        """Refuse data of another length than the header promises (objects are pickled: any length will do).

        Raises:
            FileError: the data are cut off, or something follows them.
        """
        if present != self.n_bytes and not self.dtype.hasobject:
            how = "cut off" if present < self.n_bytes else "not one array alone"
            raise FileError(
                f"{where}: is {how}: its header promises {self.n_bytes} bytes of data, and {present} are there"
            )

    def check_table(self, where: str) -> None:
        """Refuse what is not a table of real numbers.

        Raises:
            FileError: objects, text, complex numbers, a structured dtype, 0 or more than 2 dimensions, no columns.
        """
        if self.dtype.hasobject:
            raise FileError(f"{where}: holds Python objects, which are never unpickled; save it as float64")
        if self.dtype.kind not in _NUMERIC_KINDS:
            raise FileError(f"{where}: has dtype {self.dtype}; an array of real numbers is needed")
        if len(self.shape) not in (1, 2):
            raise FileError(f"{where}: has shape {self.shape}; rows and columns, or one column, are needed")
        if self.n_columns == 0:
            raise FileError(f"{where}: has shape {self.shape}, so no columns")
        check_columns(self.n_columns, where)


def read_header(stream: IO[bytes], where: str) -> ArrayHeader:
    """Read the header at the start of `stream`, leaving it at the first byte of the data.

    Raises:
        FileError: a version of the format that only structured arrays need.
        ValueError: no such header, or a damaged one.
    """
    version = npy.read_magic(stream)
    if version not in _LENGTH_BYTES:
        raise FileError(f"{where}: has version {version[0]}.{version[1]} of the NPY format; 1.0 and 2.0 are read")
    length = stream.read(_LENGTH_BYTES[version])
    n_bytes = int.from_bytes(length, "little")
    if n_bytes > _LONGEST_HEADER:  # NumPy would ask for as much memory first
        raise FileError(f"{where}: promises a header of {n_bytes:,} bytes; at most {_LONGEST_HEADER:,} are read")
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(BytesIO(length + stream.read(n_bytes)))
    if any(length < 0 for length in shape):
        raise FileError(f"{where}: has the impossible shape {shape}")
    # A vector is stored the same way in either order.
    return ArrayHeader(shape, dtype, fortran and len(shape) > 1)


def header_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """A header for C order whose length does not depend on the number of rows, so that it can be rewritten."""
    text = repr({"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    text += " " * (_MOST_ROW_DIGITS - len(str(shape[0]))) if shape else ""
    prefix = len(npy.MAGIC_PREFIX) + 2 + 2
    padding = -(prefix + len(text) + 1) % _ALIGNMENT
    encoded = (text + " " * padding + "\n").encode("latin1")
    return npy.magic(1, 0) + struct.pack("<H", len(encoded)) + encoded


_CHUNK = 2**20


class ArrayStream:
    """The rows of one array, taken from front to back.

    `where` is the file, and the member of an archive, for messages.

    Raises:
        FileError: the stream does not begin with a header that can be read.
    """

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self.where = where
        self.header: ArrayHeader = read_header(stream, where)
        self._stream = stream
        self._taken = 0

    def take(self, n_rows: int) -> NDArray[Any]:
        """The next `n_rows` rows (C order), in the byte order of this machine.

        Raises:
            FileError: the data end before that.
        """
        block = np.empty((n_rows, *self.header.shape[1:]), self.header.dtype)
        self._fill(block)
        self._taken += n_rows
        return _native(block)

    def blocks(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """All remaining rows, `n_rows` at a time, then a check that nothing follows."""
        while self._taken < self.header.n_rows:
            yield self.take(min(n_rows, self.header.n_rows - self._taken))
        self.finish()

    def finish(self) -> None:
        """Check that the data end here; in an archive this also compares the checksum.

        Raises:
            FileError: there are more data than the header says.
        """
        if self._stream.read(1):
            raise FileError(f"{self.where}: goes on after the {self.header.n_rows} rows that its header promises")

    def column_major_blocks(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """All rows of an array in Fortran order; needs a stream that can seek.

        One short read per column and block: a memory map would count the whole file as resident.
        """
        header, start = self.header, self._stream.tell()
        for first in range(0, header.n_rows, n_rows):
            columns = np.empty((header.n_columns, min(n_rows, header.n_rows - first)), header.dtype)
            for j, column in enumerate(columns):
                self._stream.seek(start + (j * header.n_rows + first) * header.dtype.itemsize)
                self._fill(column)
            yield np.ascontiguousarray(_native(columns).T)

    def tables(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """All rows of an array in either order, `n_rows` at a time, (n, columns); a vector is one column."""
        pieces = self.column_major_blocks if self.header.fortran else self.blocks
        for block in pieces(n_rows):
            yield block.reshape(-1, self.header.n_columns)

    def _fill(self, block: NDArray[Any]) -> None:
        """Read into a contiguous array until it is full; a single read may return less."""
        room = block.reshape(-1).view(np.uint8).data
        while room:
            # A zip member hands over a new bytes object for every read: pieces keep that copy small.
            n_read = self._stream.readinto(room[:_CHUNK])  # type: ignore[attr-defined]
            if not n_read:
                raise FileError(f"{self.where}: ends in the middle of the data; it was cut off")
            room = room[n_read:]


def _native(block: NDArray[Any]) -> NDArray[Any]:
    return block.astype(block.dtype.newbyteorder("="), copy=False)


_KIND = "an NPY file"


class NpyReader(TableReader):
    """Rows of a C-ordered array in one sequential pass, of a Fortran-ordered one column piece by column piece.

    A vector is one column. Blocks have the dtype of the file, in the byte order of the machine.

    Raises:
        FileError: not an NPY file, cut off, or no table of real numbers.
    """

    def __init__(self, path: Path, rows_per_block: int) -> None:
        super().__init__(path, check_source(path, _KIND, b"\x93NUMPY"))
        with reading(path, _KIND), path.open("rb") as file:
            self.header = ArrayStream(file, str(path)).header
            present = self.size - file.tell()
        self.header.check_table(str(path))
        self.header.check_length(present, str(path))
        self.n_rows, self.n_columns = self.header.n_rows, self.header.n_columns
        self._rows = bounded_rows(rows_per_block, self.header.row_bytes)

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        with reading(self.path, _KIND), self.path.open("rb", buffering=0) as file:
            yield from ArrayStream(file, str(self.path)).tables(self._rows)


class NpyWriter(FeatureWriter):
    """One C-ordered array. Plain writes: pages of a memory map would count as resident memory."""

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
