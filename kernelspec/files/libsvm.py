"""LIBSVM (svmlight) text: sparse rows, labels left aside."""

from __future__ import annotations

import gzip
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from kernelspec.errors import DataError, FileError
from kernelspec.files.faults import reading
from kernelspec.files.libsvm_text import LibsvmRows, parse_rows
from kernelspec.files.source import check_source
from kernelspec.files.table_reader import TableReader
from kernelspec.files.text_position import TextPosition, text_size
from kernelspec.limits import MAX_LINES_BYTES
from kernelspec.numerics.index_dtype import index_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading

__all__ = ["LibsvmReader"]

_KIND = "LIBSVM text"
_BYTES_PER_PART = 2**22


class LibsvmReader(TableReader):
    """CSR blocks of float64. Their width is `columns`, or the largest index met in a first pass over the file.

    The first pass checks the whole file and counts the rows, too.

    Raises:
        DataError: a malformed line, or an index below 1 or beyond `columns`, with the number of the line.
        FileError: not such a file, or damaged.
    """

    def __init__(self, path: Path, rows_per_block: int, *, compressed: bool, columns: int | None) -> None:
        kind = "gzip data" if compressed else _KIND
        super().__init__(path, check_source(path, kind, b"\x1f\x8b" if compressed else b""))
        self._compressed = compressed
        self._rows_per_block = rows_per_block
        with reading(path, _KIND):
            self._text_size = text_size(path, self.size, compressed=compressed)
        self._position = TextPosition(self.size, self._text_size)
        self.n_columns = columns
        if columns is None:
            widest = n_rows = 0
            with reading(path, _KIND):
                for part in self._parts():
                    widest = max(widest, int(part.columns.max(initial=-1)) + 1)
                    n_rows += len(part.starts) - 1
            if widest == 0:
                raise DataError(f"{path}: has no `index:value` entries, so no columns")
            self.n_columns, self.n_rows = widest, n_rows

    def _bytes_read(self) -> int:
        return self._position.bytes_before(self.rows_read)

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        from scipy import sparse

        assert self.n_columns is not None
        with reading(self.path, _KIND):
            for part in self._parts():
                shape = (len(part.starts) - 1, self.n_columns)
                width = index_dtype(max(self.n_columns, len(part.values)))
                parts = part.values, part.columns.astype(width), part.starts.astype(width)
                yield sparse.csr_array(parts, shape=shape)

    def _parts(self) -> Iterator[LibsvmRows]:
        """Up to `rows_per_block` rows at a time, fewer where lines are long; none is empty."""
        with ExitStack() as stack:
            raw = stack.enter_context(self.path.open("rb"))
            text: IO[bytes] | gzip.GzipFile = raw
            if self._compressed:
                text = stack.enter_context(gzip.GzipFile(fileobj=raw))
            self._position = position = TextPosition(self.size, self._text_size)
            first_line = 1
            # Blank lines and comments count as lines, not as rows: a block may be shorter by them.
            while lines := self._next_lines(text, first_line):
                part = parse_rows(lines, first_line, str(self.path), self.n_columns)
                first_line += len(lines)
                position.add(len(part.starts) - 1, text.tell(), raw.tell())
                if len(part.starts) > 1:
                    yield part

    def _next_lines(self, text: IO[bytes] | gzip.GzipFile, first: int) -> list[bytes]:
        """The next lines, `first` the number of their first: a block of rows, or those that begin in the next 4 MiB."""
        lines: list[bytes] = []
        n_bytes = 0
        while len(lines) < self._rows_per_block and n_bytes < _BYTES_PER_PART:
            line = text.readline(MAX_LINES_BYTES + 1)
            if not line:
                break
            if len(line) > MAX_LINES_BYTES:
                raise FileError(
                    f"{self.path}:{first + len(lines)}: is longer than {MAX_LINES_BYTES:,} bytes, the most that is "
                    "read of a line; are line ends missing?"
                )
            lines.append(line)
            n_bytes += len(line)
        return lines
