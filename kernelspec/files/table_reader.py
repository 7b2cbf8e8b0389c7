"""What all readers share: names, sizes, progress, and the choice of columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kernelspec.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from kernelspec.files.blocks import Block
    from kernelspec.files.csv_types import Reading
    from kernelspec.files.written_cells import WrittenColumn
    from kernelspec.tables.column_types import ColumnType

__all__ = ["TableReader"]

_MOST_NAMES_SHOWN = 12


class TableReader(ABC):
    """An open table: its shape as far as known, and its rows as a stream of blocks.

    `names` are the column names (None for formats without), `fields` what blocks call their columns: the names, or the
    positions in text without a header (None if blocks are arrays); `n_columns` and `n_rows` are None where only reading
    all of the file would tell, and nothing has done so yet. `size` is the file's size in bytes. Use it in a `with`
    statement.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self.names: tuple[str, ...] | None = None
        self.fields: tuple[str, ...] | None = None
        self.n_columns: int | None = None
        self.n_rows: int | None = None
        self.rows_read = 0
        self._running: Generator[Block, None, None] | None = None

    def __enter__(self) -> TableReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def rows_expected(self) -> int | None:
        """How many rows the file has; by the bytes of those read so far, where it does not say; None before any."""
        if self.n_rows is not None:
            return self.n_rows
        bytes_read = self._bytes_read()
        return max(self.rows_read, round(self.rows_read * self.size / bytes_read)) if bytes_read else None

    def blocks(
        self, columns: Sequence[str] | None = None, readings: Mapping[str, Reading] | None = None
    ) -> Iterator[Block]:
        """The rows from the first to the last, in blocks; a table without rows has no blocks.

        With `columns` only those are read, in that order. Every call starts again at the first row and ends a
        stream that is still running. `readings` says of columns of a file without types (CSV) what their cells are
        turned into; a file with types has its own.

        Raises:
            DataError: no such column, names for a format without names, or text in a column of numbers.
            FileError: the file turns out to be damaged further on.
        """
        if columns is not None:
            self._check_columns(columns)
        self._stop()
        self._running = self._counted(columns, readings)
        return self._running

    def close(self) -> None:
        """End a running stream and release the file."""
        self._stop()

    @property
    def has_written_cells(self) -> bool:
        """Whether the file is text without types, which its cells must tell."""
        return False

    def beginning(self, column: str) -> ColumnType:
        """What the first cells of a column look like in a file without types: as good as they tell."""
        del column
        return "unknown"

    def written(self, columns: Sequence[str]) -> Mapping[str, WrittenColumn]:
        """What the cells of some columns look like in a file without types; nothing where the file has them.

        Raises:
            FileError: the file turns out to be damaged further on.
        """
        del columns
        return {}

    def _bytes_read(self) -> int:
        """How many bytes of the file the rows read so far take; needed where it does not say how many rows it has."""
        return 0

    @abstractmethod
    def _stream(self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None) -> Iterator[Block]:
        """The blocks of one pass; `columns` have been checked."""

    def _counted(
        self, columns: Sequence[str] | None, readings: Mapping[str, Reading] | None
    ) -> Generator[Block, None, None]:
        self.rows_read = 0
        for block in self._stream(columns, readings):
            # Counted before the consumer works on it: progress shows what has been read.
            self.rows_read += block.shape[0]
            yield block

    def _stop(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None

    def _check_columns(self, columns: Sequence[str]) -> None:
        if self.fields is None:
            raise DataError(f"{self.path}: its columns have no names; select them by position, or use CSV or Parquet")
        if not columns:
            raise DataError(f"{self.path}: no columns are selected")
        known = set(self.fields)
        for name in columns:
            if name not in known:
                from kernelspec.suggestion import suggest

                shown = ", ".join(map(repr, self.fields[:_MOST_NAMES_SHOWN]))
                more = ", …" if len(self.fields) > _MOST_NAMES_SHOWN else ""
                hint = suggest(name, self.fields) or f"; it has {shown}{more}"
                raise DataError(f"{self.path}: there is no column {name!r}{hint}")
        if len(set(columns)) < len(columns):
            raise DataError(f"{self.path}: a column is selected twice in {', '.join(map(repr, columns))}")
