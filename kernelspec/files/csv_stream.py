"""One pass over a delimited text file with pyarrow: how it is opened, and with which types."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import FileError
from kernelspec.files.written_cells import BOOLEANS, NO_VALUES
from kernelspec.limits import MAX_LINES_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["CsvFile"]

_SAMPLE = 2**16
_COUNTED = 2**20
_ROWS_PER_CHUNK = 4
_DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A delimited text file and how it is split into fields; `fields` names the columns of one without a header.

    While these are not known, `fields` is empty, and the columns get names from Arrow.
    """

    path: Path
    delimiter: str
    compressed: bool
    fields: tuple[str, ...] | None = None

    def bytes_stream(self, stack: ExitStack) -> tuple[Any, Any]:
        """The file as Arrow streams: the raw bytes (for their position) and the text."""
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

        raw = stack.enter_context(pa.OSFile(str(self.path)))
        return raw, stack.enter_context(pa.CompressedInputStream(raw, "gzip")) if self.compressed else raw

    def start(self) -> bytes:
        """The first two lines together. Raises FileError where they are longer than MAX_LINES_BYTES."""
        with ExitStack() as stack:
            _, text = self.bytes_stream(stack)
            start = b""
            while start.count(b"\n") <= 1 and len(start) <= MAX_LINES_BYTES:
                more = text.read(min(max(_SAMPLE, len(start)), MAX_LINES_BYTES + 1 - len(start)))
                if not more:
                    break
                start += more
        if start.count(b"\n") > 1:
            start = start[: start.index(b"\n", start.index(b"\n") + 1) + 1]
        if len(start) > MAX_LINES_BYTES:
            lines = "first two lines are" if b"\n" in start[:-1] else "first line is"
            raise FileError(
                f"{self.path}: its {lines} longer than {MAX_LINES_BYTES:,} bytes, the most that is read of them; are "
                "line ends missing?"
            )
        return start

    def least_columns(self) -> int:
        """How many columns the first line has: separators inside quotes do not count, nor what follows a line break."""
        header = np.frombuffer(self.start().partition(b"\n")[0], np.uint8)
        outside = np.cumsum(header == ord('"'), dtype=np.uint8) % 2 == 0
        return int(np.count_nonzero(outside & (header == ord(self.delimiter)))) + 1

    def chunk_bytes(self, least: int) -> int:
        """How many bytes Arrow parses at a time: no row may be longer than that."""
        return max(least, _ROWS_PER_CHUNK * len(self.start()))

    def other_delimiter(self) -> str | None:
        """What separates the columns instead of `delimiter`: a sign that both first lines have, and equally often."""
        header, _, row = self.start().partition(b"\n")
        own = self.delimiter.encode()
        if own in header or b'"' in header:
            return None
        signs = (sign for sign in _DELIMITERS if sign.encode() in header)
        return next((sign for sign in signs if header.count(sign.encode()) == row.count(sign.encode())), None)

    def has_open_quote(self) -> bool:
        """Whether the file has an odd number of quotation marks; reads all of it."""
        with ExitStack() as stack:
            _, text = self.bytes_stream(stack)
            n_quotes = 0
            while chunk := text.read(_COUNTED):
                n_quotes += chunk.count(b'"')
        return n_quotes % 2 == 1

    def open(
        self,
        text: Any,
        chunk: int,
        types: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        threads: bool = True,
        names: Sequence[str] | None = None,
    ) -> Any:
        """A pyarrow streaming reader; `types` names every column of the file, `columns` those to be read.

        With `names`, those of all columns, the text has no header.
        """
        from pyarrow import csv  # type: ignore[import-untyped,unused-ignore]

        given = self.fields if names is None else names
        read_options = csv.ReadOptions(
            block_size=chunk, use_threads=threads, column_names=given or None, autogenerate_column_names=given == ()
        )
        return csv.open_csv(text, read_options, **self._options(types, columns))

    def table(self, lines: bytes, names: Sequence[str], types: Mapping[str, Any], columns: Sequence[str]) -> Any:
        """Some whole lines as a pyarrow table, read by the calling thread; the arguments are those of `open`."""
        import pyarrow as pa
        from pyarrow import csv

        read_options = csv.ReadOptions(block_size=len(lines) + 1, use_threads=False, column_names=names)
        return csv.read_csv(pa.BufferReader(lines), read_options, **self._options(types, columns))

    def _options(self, types: Mapping[str, Any] | None, columns: Sequence[str] | None) -> dict[str, Any]:
        from pyarrow import csv

        return {
            "parse_options": csv.ParseOptions(
                delimiter=self.delimiter,
                # Without this a line break inside quotes is cut wherever a chunk happens to end.
                newlines_in_values=True,
                # In a file of one column an empty line is a missing value.
                ignore_empty_lines=types is None or len(types) > 1,
            ),
            "convert_options": csv.ConvertOptions(
                column_types=dict(types) if types else None,
                include_columns=list(columns) if columns else None,
                # Not 1 and 0: they are numbers, wherever they stand.
                true_values=[word for word in BOOLEANS if word.lower() == "true"],
                false_values=[word for word in BOOLEANS if word.lower() == "false"],
                null_values=["", *NO_VALUES],
            ),
        }
