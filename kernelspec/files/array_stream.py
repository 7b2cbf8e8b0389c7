"""An array in NPY layout, read some rows at a time from any stream of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.files.npy_header import ArrayHeader, read_header

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from numpy.typing import NDArray

__all__ = ["ArrayStream"]

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
