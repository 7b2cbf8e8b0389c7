"""The base of readers of data files: sizes, progress, selection of columns, and blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kernelspec.errors import DataError, FileError
from kernelspec.limits import MAX_COLUMNS
from kernelspec.loading import pyarrow as pa
from kernelspec.loading import unknown_column
from kernelspec.tables.atomic import reading

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from kernelspec.tables.column_types import ColumnType, Reading, WrittenColumn

__all__ = [
    "Block",
    "TableReader",
    "TextPosition",
    "bounded_rows",
    "check_columns",
    "check_delimiter",
    "check_header",
    "check_names",
    "check_source",
    "regroup",
    "text_size",
]

Block: TypeAlias = "NDArray[Any] | sparse.csr_array[Any, tuple[int, int]] | pa.Table"

_LARGEST_BLOCK = 2**27


def check_columns(n_columns: int, where: str) -> None:
    """Reject tables with more columns than any kernel accepts. Raises FileError: there are too many columns."""
    if n_columns > MAX_COLUMNS:
        raise FileError(f"{where}: has {n_columns:,} columns; at most {MAX_COLUMNS:,} are read")


def bounded_rows(rows_per_block: int, row_bytes: int) -> int:
    """`rows_per_block`, or the number of rows that fit into 128 MiB if that is smaller (at least one)."""
    return max(1, min(rows_per_block, _LARGEST_BLOCK // max(1, row_bytes)))


def regroup(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Cut Arrow batches of any size into tables of exactly `rows` rows; the last one may be shorter.

    Nothing is copied: the tables share memory with the batches.
    """
    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, rows - n_held)
            held.append(part)
            n_held += part.num_rows
            start += part.num_rows
            if n_held == rows:
                yield pa.Table.from_batches(held)
                held, n_held = [], 0
    if held:
        yield pa.Table.from_batches(held)


_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def check_delimiter(path: Path, expected: str, found: str | None) -> None:
    """Reject a file whose delimiter differs from what its name says.

    Raises DataError: the delimiter found, and the expected one.
    """
    if found is not None:
        other = " or call it .tsv" if found == "\t" else " or as a .tsv file" if expected == "," else ""
        raise DataError(
            f"{path}: its columns are separated by {_SIGNS[found]} ({found!r}), not {_SIGNS[expected]} ({expected!r}): "
            f"rewrite it with {_SIGNS[expected]}{other}"
        )


def check_names(path: Path, names: Sequence[str]) -> None:
    """Reject repeated column names. Raises DataError: a repeated name, with the positions of both columns."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            raise DataError(f"{path}: columns {seen[name]} and {position} are both named {name!r}; rename one")
        seen[name] = position


def check_header(path: Path, names: Sequence[str], *, sure: bool = False) -> None:
    """Reject a first line that may be data, which would be lost as names; with `sure`, names may be numbers.

    Raises DataError: a name that is a number, empty or repeated.
    """
    for position, name in enumerate(names):
        if not name.strip():
            fault = f"column {position} has no name (pandas writes its index this way, unless index=False)"
        elif name in names[:position]:
            fault = f"columns {names.index(name)} and {position} are both named {name!r}"
        elif not sure and _is_number(name):
            fault = f"column {position} is named {name!r}, which is a number"
        else:
            continue
        raise DataError(
            f"{path}: {fault}. If its first line is data, use --no-header; if it is a header, rename the column"
            + (" or use --header" if _is_number(name) else "")
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # Python's float() reads 1_0 as ten; as a column name it is a name


_SNIFFED = 512
_SIGNATURES = {
    b"PAR1\x15": "a Parquet file",  # PAR1 alone may be a column name
    b"\x93NUMPY": "an NPY file",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "gzip data",
    b"BZh": "bzip2 data",
    b"\xfd7zXZ": "xz data",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF document",
    b"\xff\xfe": "UTF-16 text (save it as UTF-8)",
    b"\xfe\xff": "UTF-16 text (save it as UTF-8)",
    b"\x80\x04": "a Python pickle",
    b"version https://git-lfs": "a Git LFS pointer, not the data (fetch them with `git lfs pull`)",
    b"<!doctype html": "a web page (HTML)",
    b"<html": "a web page (HTML)",
}


def check_source(path: Path, kind: str, signature: bytes) -> int:
    """The size of the file in bytes, after checking that it exists and does not look like another format.

    `kind` is what the name promises ("an NPY file"); `signature` the first bytes of such a file, empty for text
    formats. Raises FileError: missing, a folder, not a regular file, empty, or another kind of file.
    """
    with reading(path, kind):
        if path.is_dir():
            raise FileError(f"{path}: is a folder, not {kind}")
        if not path.exists():
            raise FileError(f"{path}: no such file")
        if not path.is_file():
            raise FileError(f"{path}: is a pipe or device; only regular files can be read")
        with path.open("rb") as file:
            start = file.read(_SNIFFED)
            size = file.seek(0, 2)
    if not start:
        raise FileError(f"{path}: is empty (0 bytes), not {kind}")
    if signature and start.startswith(signature):
        return size
    lowered = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for known, what in _SIGNATURES.items():
        if start.startswith(known) or lowered.startswith(known):
            raise FileError(f"{path}: contains {what}, but its name says {kind}")
    if signature:
        raise FileError(f"{path}: is not {kind}: it begins with {start[:8]!r} instead of {signature!r}")
    return size


class TextPosition:
    """Relates rows of a text to the bytes of its file.

    `size` is the size of the file, `text` that of its uncompressed text, if known.
    """

    def __init__(self, size: int, text: int) -> None:
        self.size = size
        self.text = text
        self.rows = 0
        self._share = 0.0

    def add(self, rows: int, text_end: int, fetched: int) -> None:
        """Record rows that end at byte `text_end` of the text, after `fetched` bytes of the file were read.

        Readers fetch ahead, and for gzip data with several members only the size of the last is known, so the smaller
        share counts.
        """
        self.rows += rows
        self._share = min(1.0, text_end / max(self.text, 1), fetched / max(self.size, 1))

    def bytes_before(self, rows: int) -> int:
        """The estimated bytes of the file for the first rows, if all rows are equally long."""
        return round(self._share * self.size * rows / self.rows) if self.rows else 0


def text_size(path: Path, size: int, *, compressed: bool) -> int:
    """The bytes of the text in a file of `size` bytes; for gzip data, what the last member states."""
    if not compressed or size < 4:
        return size
    with path.open("rb") as file:
        file.seek(size - 4)
        said = int.from_bytes(file.read(), "little")
    return said or size  # an empty last member says nothing about earlier ones


class TableReader(ABC):
    """An open table: its shape as far as known, and its rows as a stream of blocks.

    `names` are the column names (None for formats without), `fields` the columns of blocks: the names, or the positions
    in text without a header (None if blocks are arrays). `n_columns` and `n_rows` are None until known, which may take
    a pass over the file. `source` opens the table again. `size` is the file size in bytes. `zones` has the time zones,
    other than UTC, of time columns. Use it in a `with` statement.
    """

    has_written_cells = False
    """Whether the file is text without types, which must be inferred from its cells."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.source = str(path)
        self.size = size
        self.names: tuple[str, ...] | None = None
        self.fields: tuple[str, ...] | None = None
        self.n_columns: int | None = None
        self.n_rows: int | None = None
        self.rows_read = 0
        self.zones: Mapping[str, str] = {}
        self._position: TextPosition | None = None  # if the file does not state its number of rows
        self._running: Generator[Block, None, None] | None = None

    def __enter__(self) -> TableReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def rows_expected(self) -> int | None:
        """The number of rows, estimated from the bytes read so far if the file does not state it; None before that."""
        if self.n_rows is not None or self._position is None:
            return self.n_rows
        bytes_read = self._position.bytes_before(self.rows_read)
        return max(self.rows_read, round(self.rows_read * self.size / bytes_read)) if bytes_read else None

    def blocks(
        self, columns: Sequence[str] | None = None, readings: Mapping[str, Reading] | None = None
    ) -> Iterator[Block]:
        """All rows in blocks; a table without rows has no blocks.

        `columns` selects columns and their order. Every call restarts at the first row and ends a running stream.
        `readings` says how to parse columns of a file without types (CSV); files with types ignore it. Raises
        DataError: an unknown column, names for a format without names, or text in a column of numbers; FileError: the
        file turns out to be damaged further on.
        """
        if columns is not None:
            self._check_columns(columns)
        self.close()
        self._running = self._counted(columns, readings)
        return self._running

    def close(self) -> None:
        """End a running stream and release the file."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def beginning(self, column: str) -> ColumnType:
        """The type that the first non-missing cells of a column suggest, in a file without types."""
        return "unknown"

    def written(self, columns: Sequence[str]) -> Mapping[str, WrittenColumn]:
        """How the cells of some columns look in a file without types; empty if the file has types.

        Raises FileError: the file turns out to be damaged further on.
        """
        return {}

    @abstractmethod
    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        """The blocks of one pass; `columns` have been checked."""

    def _counted(
        self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None
    ) -> Generator[Block, None, None]:
        self.rows_read = 0
        for block in self._stream(columns, readings):
            # Count before the consumer works on it: progress shows what has been read.
            self.rows_read += block.shape[0]
            yield block

    def _check_columns(self, columns: Sequence[str]) -> None:
        if self.fields is None:
            raise DataError(f"{self.path}: its columns have no names; select them by position, or use CSV or Parquet")
        if not columns:
            raise DataError(f"{self.path}: no columns are selected")
        known = set(self.fields)
        for name in columns:
            if name not in known:
                raise unknown_column(str(self.path), name, self.fields)
        if len(set(columns)) < len(columns):
            raise DataError(f"{self.path}: a column is selected twice in {', '.join(map(repr, columns))}")
