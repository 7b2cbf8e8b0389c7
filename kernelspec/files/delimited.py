"""CSV and TSV, plain or gzipped, with a header line."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from kernelspec.errors import FileError
from kernelspec.files.blocks import bounded_rows, regroup
from kernelspec.files.column_names import check_header, check_names
from kernelspec.files.csv_faults import find_fault
from kernelspec.files.csv_stream import CsvFile
from kernelspec.files.csv_types import column_types, missing_as_null
from kernelspec.files.faults import reading
from kernelspec.files.source import check_source
from kernelspec.files.table_reader import TableReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

    from kernelspec.files.blocks import Block

__all__ = ["DelimitedReader"]

_INFERENCE_CHUNK = 2**23
_CHUNK = 2**20
_BYTES_PER_VALUE = 8


class DelimitedReader(TableReader):
    """Arrow tables of float64, bool and text columns; the first 8 MiB decide which is which.

    An empty field is null, in text too. A field may hold line breaks if it is quoted.

    Raises:
        DataError: repeated or missing column names; while reading, text in a column of numbers.
        FileError: not UTF-8, no header, or rows of different lengths.
    """

    def __init__(self, path: Path, rows_per_block: int, *, delimiter: str, compressed: bool) -> None:
        kind = "gzip data" if compressed else "a text file with a header"
        super().__init__(path, check_source(path, kind, b"\x1f\x8b" if compressed else b""))
        self.file = CsvFile(path, delimiter, compressed)
        self._kind = "CSV text" if delimiter == "," else "tab-separated text"
        self._raw: Any = None
        with reading(path, self._kind):
            self._chunk = self.file.chunk_bytes(_CHUNK)
            self._types = self._inferred_types()
        self.names = tuple(self._types)
        self.n_columns = len(self.names)
        self._rows_per_block = rows_per_block

    @property
    def bytes_read(self) -> int:
        """Bytes of the file (compressed, if it is) that have been fetched."""
        return 0 if self._raw is None else self.size if self._raw.closed else int(self._raw.tell())

    def _inferred_types(self) -> dict[str, Any]:
        with ExitStack() as stack:
            _, text = self.file.bytes_stream(stack)
            try:
                reader = stack.enter_context(self.file.open(text, max(self._chunk, _INFERENCE_CHUNK)))
                names = tuple(reader.schema.names)
            except UnicodeDecodeError as error:
                raise FileError(f"{self.path}: its column names are not UTF-8; save the file as UTF-8") from error
            except ValueError as error:
                if "Empty CSV" in str(error):
                    raise FileError(f"{self.path}: has no rows below its first line") from error
                self._explain(error, (), {})
                raise
            check_header(self.path, names)
            check_names(self.path, names)
            return column_types(reader.schema, next(iter(reader), None))

    def _stream(self, columns: Sequence[str] | None) -> Iterator[Block]:
        assert self.names is not None
        wanted = self.names if columns is None else tuple(columns)
        rows = bounded_rows(self._rows_per_block, _BYTES_PER_VALUE * len(wanted))
        with reading(self.path, self._kind):
            yield from regroup(self._batches(wanted), rows)

    def _batches(self, wanted: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        assert self.names is not None
        last = self.names[-1]
        read, types = wanted, self._types
        # The last column is always read: a quote that is never closed swallows the rest of the file into it.
        if last not in wanted:
            read, types = (*wanted, last), {**types, last: pa.binary()}
        final = None
        with ExitStack() as stack:
            self._raw, text = self.file.bytes_stream(stack)
            try:
                for batch in stack.enter_context(self.file.open(text, self._chunk, types, read)):
                    if batch.num_rows:
                        final = batch.column(last)[-1].as_py()
                        yield missing_as_null(batch.select(list(wanted)))
            except ValueError as error:
                self._explain(error, wanted, self._types)
                raise
        if isinstance(final, str | bytes) and final[-1:] in ("\n", b"\n") and self.file.has_open_quote():
            raise FileError(f"{self.path}: a quote opened in column {last!r} of its last row is never closed")

    def _explain(self, error: ValueError, columns: tuple[str, ...], types: Mapping[str, Any]) -> None:
        """Raise with row, column and value, if a second pass finds them."""
        if "straddling" in str(error):
            message = f"{self.path}: a row is longer than {self._chunk} bytes; is a quote never closed?"
            raise FileError(message) from error
        fault = find_fault(self.file, types, columns, self._chunk)
        if fault is not None:
            raise fault from error
