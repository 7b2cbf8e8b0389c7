"""LIBSVM (svmlight) text: sparse rows, labels left aside."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, FileError
from kernelspec.limits import MAX_COLUMNS, MAX_LINES_BYTES
from kernelspec.loading import sparse
from kernelspec.numerics.arrays import index_dtype
from kernelspec.tables.atomic import reading
from kernelspec.tables.table_reader import Block, TableReader, TextPosition, check_source, text_size

if TYPE_CHECKING:
    from kernelspec.tables.column_types import Reading

__all__ = ["LibsvmReader"]

# Indices are parsed as float64, like the values.
_LARGEST_INDEX = 2.0**53


@dataclass(frozen=True, slots=True)
class LibsvmRows:
    """Some rows: row i has the entries `starts[i]:starts[i+1]`; `columns` count from 0."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def parse_rows(lines: Iterable[bytes], first_line: int, where: str, limit: int | None = None) -> LibsvmRows:
    """Parse lines `label index:value index:value …`; the first one has the number `first_line`.

    Skips labels, `qid:`, comments, blank lines and missing labels. Indices count from 1. Raises DataError: a malformed
    entry, an index of 0, one beyond `limit`, or one repeated in its line.
    """
    numbers: list[int] = []
    counts: list[int] = []
    entries: list[bytes] = []
    for number, line in enumerate(lines, first_line):
        text = line.partition(b"#")[0] if b"#" in line else line
        words = text.split(None, MAX_COLUMNS + 2)  # label, query and entries; the rest stays one word
        if not words:
            continue
        skipped = 0 if b":" in words[0] else 1
        if len(words) > skipped and words[skipped].startswith(b"qid:"):
            skipped += 1
        del words[:skipped]
        if len(words) > MAX_COLUMNS:
            raise DataError(f"{where}:{number}: has more than {MAX_COLUMNS:,} entries, the limit")
        numbers.append(number)
        counts.append(len(words))
        entries += words
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    rows = np.repeat(np.array(numbers, dtype=np.int64), counts)
    pairs = _pairs(entries, rows, where)
    indices = pairs[:, 0]
    whole = (np.abs(indices) < _LARGEST_INDEX) & (indices == np.floor(indices))
    _check(~whole, rows, entries, where, "has an index that is not a whole number")
    columns = indices.astype(np.int64) - 1
    _check(columns < 0, rows, entries, where, "has an index below 1; LIBSVM files count columns from 1")
    _check(columns >= MAX_COLUMNS, rows, entries, where, f"has an index above {MAX_COLUMNS:,}, the limit")
    if limit is not None:
        _check(columns >= limit, rows, entries, where, f"has an index beyond the {limit} columns")
    order = np.lexsort((columns, rows)) if np.any((np.diff(columns) <= 0) & (np.diff(rows) == 0)) else slice(None)
    columns, values = columns[order], np.ascontiguousarray(pairs[:, 1][order])
    repeated = np.append(False, (np.diff(columns) == 0) & (np.diff(rows) == 0))
    _check(repeated, rows, None, where, "has the same index twice")
    return LibsvmRows(starts, columns, values)


def _pairs(entries: list[bytes], rows: NDArray[np.int64], where: str) -> NDArray[np.float64]:
    """Index and value of every entry: all at once, or one by one to find a bad one."""
    # Old versions of NumPy stop at invalid numbers with this warning; the count shows it. The last number, which we
    # add, is also missing if a file ends in 1:1_0, where the 1 before the underscore is read.
    text = b" ".join([*entries, b"0"]).replace(b":", b" ")
    try:
        numbers = np.fromstring(text.decode("latin1"), sep=" ")
    except (ValueError, DeprecationWarning):
        numbers = np.empty(0)
    if len(numbers) == 2 * len(entries) + 1 and all(entry.count(b":") == 1 for entry in entries):
        return numbers[:-1].reshape(-1, 2)
    bad = np.array([not _is_pair(entry) for entry in entries])
    _check(bad, rows, entries, where, "should be `index:value`")
    raise DataError(f"{where}: holds entries that are not `index:value`")


def _is_pair(entry: bytes) -> bool:
    index, colon, value = entry.partition(b":")
    try:
        # Python's float() reads 1_0 as ten; no other reader does.
        return bool(colon) and b"_" not in entry and (float(index), float(value)) is not None
    except ValueError:
        return False


def _check(bad: NDArray[Any], rows: NDArray[np.int64], entries: list[bytes] | None, where: str, what: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        entry = "" if entries is None else f" {entries[first][:60].decode('utf-8', 'backslashreplace')!r}"
        raise DataError(f"{where}:{rows[first]}:{entry} {what}")


_KIND = "LIBSVM text"
_BYTES_PER_PART = 2**22


class LibsvmReader(TableReader):
    """CSR blocks of float64. Their width is `columns`, or the largest index found in a first pass over the file.

    The first pass also checks the whole file and counts the rows. Raises DataError: a malformed line, or an index below
    1 or beyond `columns`, with the line number; FileError: another kind of file, or a damaged one.
    """

    def __init__(self, path: Path, rows_per_block: int, *, compressed: bool, columns: int | None) -> None:
        kind = "gzip data" if compressed else _KIND
        super().__init__(path, check_source(path, kind, b"\x1f\x8b" if compressed else b""))
        self._compressed = compressed
        self._rows_per_block = rows_per_block
        with reading(path, _KIND):
            self._text_size = text_size(path, self.size, compressed=compressed)
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

    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        assert self.n_columns is not None
        with reading(self.path, _KIND):
            for part in self._parts():
                shape = (len(part.starts) - 1, self.n_columns)
                width = index_dtype(max(self.n_columns, len(part.values)))
                parts = part.values, part.columns.astype(width), part.starts.astype(width)
                yield sparse.csr_array(parts, shape=shape)

    def _parts(self) -> Iterator[LibsvmRows]:
        """Up to `rows_per_block` rows at a time, fewer if lines are long; no block is empty."""
        with ExitStack() as stack:
            raw = stack.enter_context(self.path.open("rb"))
            text: IO[bytes] | gzip.GzipFile = raw
            if self._compressed:
                text = stack.enter_context(gzip.GzipFile(fileobj=raw))
            self._position = position = TextPosition(self.size, self._text_size)
            first_line = 1
            # Blank lines and comments count as lines, not as rows, so a block may be shorter.
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
                    f"{self.path}:{first + len(lines)}: is longer than {MAX_LINES_BYTES:,} bytes, the limit "
                    "for a line; are line ends missing?"
                )
            lines.append(line)
            n_bytes += len(line)
        return lines
