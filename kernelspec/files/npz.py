"""NPZ: one array out of a zip archive, decompressed as it is read."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kernelspec.errors import FileError
from kernelspec.files.array_stream import ArrayStream
from kernelspec.files.blocks import bounded_rows
from kernelspec.files.faults import reading
from kernelspec.files.npy_header import ArrayHeader, read_header
from kernelspec.files.source import check_source
from kernelspec.files.table_reader import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading

__all__ = ["NpzReader", "array_headers"]

_KIND = "an NPZ file"
_CHUNK = 2**20
_MATRIX = 2


def array_headers(path: Path) -> dict[str, ArrayHeader]:
    """The arrays of an archive by name, of each only the header read.

    Raises:
        FileError: not a zip archive, a damaged one, or one without arrays.
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


class NpzReader(TableReader):
    """The array `X`, or else the only matrix, or else the only array.

    An array in Fortran order cannot be read by rows from a compressed stream; it is unpacked to an unnamed
    temporary file first.

    Raises:
        FileError: damaged, several candidates, or no table of real numbers.
    """

    def __init__(self, path: Path, headers: dict[str, ArrayHeader], rows_per_block: int) -> None:
        super().__init__(path, path.stat().st_size)
        self.array = _chosen(path, headers)
        self.header = headers[self.array]
        self._where = f"{path}, array {self.array!r}"
        self.header.check_table(self._where)
        self.n_rows, self.n_columns = self.header.n_rows, self.header.n_columns
        self._rows = bounded_rows(rows_per_block, self.header.row_bytes)

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        with reading(self.path, _KIND), ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(self.path))
            stream: IO[bytes] = stack.enter_context(archive.open(f"{self.array}.npy"))
            if self.header.fortran:
                unpacked = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(stream, unpacked, _CHUNK)
                unpacked.seek(0)
                stream = unpacked
            yield from ArrayStream(stream, self._where).tables(self._rows)


def _chosen(path: Path, headers: dict[str, ArrayHeader]) -> str:
    matrices = [name for name, header in headers.items() if len(header.shape) == _MATRIX]
    if "X" in headers:
        return "X"
    if len(matrices) == 1:
        return matrices[0]
    if len(headers) == 1:
        return next(iter(headers))
    shown = ", ".join(f"{name!r} {header.shape}" for name, header in headers.items())
    raise FileError(f"{path}: has {len(matrices)} matrices and none named 'X', so which one is meant? It has {shown}")
