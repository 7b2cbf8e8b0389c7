"""NPY: one array of numbers, never loaded whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.files.array_stream import ArrayStream
from kernelspec.files.blocks import bounded_rows
from kernelspec.files.faults import reading
from kernelspec.files.source import check_source
from kernelspec.files.table_reader import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading

__all__ = ["NpyReader"]

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
