"""Delimited text as a stream: how far it has come, what its cells look like, and the types of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import FileError
from kernelspec.limits import MAX_LINES_BYTES
from kernelspec.numerics.threads import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from kernelspec.tables.column_types import ColumnType

__all__ = [
    "BOOLEANS",
    "NO_VALUES",
    "CsvFile",
    "Look",
    "Reading",
    "TextPosition",
    "WrittenColumn",
    "arrow_type",
    "as_read",
    "first_looks",
    "reading_of",
    "split_batches",
    "text_size",
]

_TRAILER = 4


class TextPosition:
    """Rows that came out of a text, and the bytes of the file that they took.

    `size` is that of the file, `text` that of the text in it, as far as known.
    """

    def __init__(self, size: int, text: int) -> None:
        self.size = size
        self.text = text
        self.rows = 0
        self._share = 0.0

    def add(self, rows: int, text_end: int, fetched: int) -> None:
        """Note rows that end at byte `text_end` of the text, when `fetched` bytes of the file have been read.

        Readers fetch ahead; and of gzip data with several members only the size of the last is known. So the smaller
        share counts.
        """
        self.rows += rows
        self._share = min(1.0, text_end / max(self.text, 1), fetched / max(self.size, 1))

    def bytes_before(self, rows: int) -> int:
        """How many bytes of the file the first rows take, if all that came out so far are equally long."""
        return round(self._share * self.size * rows / self.rows) if self.rows else 0


def text_size(path: Path, size: int, *, compressed: bool) -> int:
    """The bytes of the text in a file of `size` bytes: of gzip data, what the last member says of itself."""
    if not compressed or size < _TRAILER:
        return size
    with path.open("rb") as file:
        file.seek(size - _TRAILER)
        said = int.from_bytes(file.read(_TRAILER), "little")
    return said or size  # an empty last member says nothing of those before it


_BOM = b"\xef\xbb\xbf"


def split_batches(
    file: CsvFile, raw: Any, chunk: int, columns: Sequence[str], types: Mapping[str, Any]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of a file, with the byte at which they end, as long as there is no quotation mark below its header.

    `raw` is the file at its start; afterwards it stands behind the last of them, and where the first line is not the
    header alone, at the start again. `types` are those of all columns. Raises ArrowInvalid where a cell is of another
    type or a row of another length.
    """
    import pyarrow as pa

    names, place = list(types), {name: i for i, name in enumerate(columns)}
    if not _skipped_header(file, raw, names):
        return
    are_floats = all(types[name] == pa.float64() for name in columns)
    places = np.array([place.get(name, -1) for name in names]) if are_floats else None
    for end, batches in in_order(partial(_parsed, file, list(columns), types, places), _pieces(raw, chunk)):
        for batch in batches:
            yield end, batch


def _skipped_header(file: CsvFile, raw: Any, names: Sequence[str]) -> bool:
    """Whether the first line is the header, plain or with every name in quotation marks, and `raw` now behind it.

    A file without a header begins with its rows.
    """
    if file.fields is not None:
        raw.seek(len(_BOM) if file.start().startswith(_BOM) else 0)
        return True
    line = file.start().split(b"\n", 1)[0]
    header = line.removeprefix(_BOM).removesuffix(b"\r")
    plain, quoted = (file.delimiter.join(f"{sign}{name}{sign}" for name in names).encode() for sign in ("", '"'))
    if header not in (plain, quoted) or any('"' in name or "\n" in name for name in names):
        return False
    raw.seek(len(line) + 1)
    return True


def _pieces(raw: Any, chunk: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines of up to `chunk` bytes together, with the byte at which they end.

    Ends, and `raw` stands there, where such a piece would have a quotation mark (line breaks may be inside quotes from
    there on), or where a line is longer.
    """
    while text := raw.read(chunk):
        cut = text.rfind(b"\n") + 1 if len(text) == chunk else len(text)
        end = raw.tell() - len(text) + cut
        if cut == 0 or b'"' in text:
            raw.seek(end - cut)
            return
        raw.seek(end)
        yield end, text[:cut] if text[cut - 1 : cut] == b"\n" else text[:cut] + b"\n"


def _parsed(
    file: CsvFile,
    columns: list[str],
    types: Mapping[str, Any],
    places: NDArray[np.int64] | None,
    piece: tuple[int, bytes],
) -> tuple[int, list[pa.RecordBatch]]:
    """Where a piece ends, and its batches; `places` are those of all columns in them, where all of them are floats."""
    import pyarrow as pa

    end, lines = piece
    if places is not None:
        from kernelspec.numerics.decimal_kernels import read_decimals

        text = np.frombuffer(lines, np.uint8)
        numbers = np.empty((len(columns), np.count_nonzero(text == ord("\n"))))
        n_rows = read_decimals(text, np.uint8(ord(file.delimiter)), places, numbers)
        if n_rows >= 0:  # numbers as most files have them; else Arrow, which knows all others and what is missing
            return end, [pa.RecordBatch.from_arrays([pa.array(own[:n_rows]) for own in numbers], names=columns)]
    return end, file.table(lines, list(types), types, columns).to_batches()


Look = Literal["empty", "no value", "leading zero", "true or false", "whole", "large", "fraction", "text"]
"""`no value` is NA, null, NaN and the like: nothing in a column of numbers, text in one of text (Namibia). `large` is a
whole number of more than 15 digits, which a float may not hold."""

_NUMBERS: frozenset[Look] = frozenset({"whole", "large", "fraction"})

NO_VALUES = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
)
"""What pyarrow takes for a missing number."""

BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")

# A number of more digits than decimals hold is text: compared exactly, as all that is text.
_LEADING_ZERO = r"^[+-]?0[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]{1,15}$"
_LARGE = r"^-?[0-9]{16,76}$"
_FRACTION = r"^[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+[eE][+-]?[0-9]+|[0-9]+\.[0-9]*[eE][+-]?[0-9]+)$|^\+[0-9]{1,15}$"
_INFINITE = r"^[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"


@dataclass(frozen=True)
class WrittenColumn:
    """Of every look that some cell has, the first cell of it and its row, counted from 1."""

    first: Mapping[Look, tuple[int, str]] = field(default_factory=dict)

    def joined(self, later: Mapping[Look, tuple[int, str]], rows_before: int) -> WrittenColumn:
        """The column with more rows below."""
        moved = {look: (rows_before + row, cell) for look, (row, cell) in later.items()}
        return WrittenColumn({**moved, **self.first})

    @property
    def looks(self) -> frozenset[Look]:
        """How the cells look that are not empty."""
        return frozenset(self.first) - {"empty"}

    @property
    def type(self) -> ColumnType:
        """The type of the column: text, unless all cells are numbers or all are truth values."""
        told = self.looks - {"no value"}
        if not told:
            return "unknown"
        if told and told <= _NUMBERS:
            return "number" if "fraction" in told else "whole number"
        return "boolean" if told == {"true or false"} else "text"

    @property
    def is_ambiguous(self) -> bool:
        """Whether cells that look like numbers or truth values stand among others, so that only all of them tell."""
        return self.type == "text" and bool(self.looks & (_NUMBERS | {"true or false"}))

    def told_apart(self) -> tuple[tuple[int, str], tuple[int, str]]:
        """Of an ambiguous column a cell that looks like a number or a truth value, and one that does not."""
        plain = min(self.first[look] for look in self.looks & (_NUMBERS | {"true or false"}))
        alike = _NUMBERS if plain[1].strip() not in BOOLEANS else {"true or false"}
        return plain, min(self.first[look] for look in self.looks - alike)

    def first_of(self, looks: frozenset[Look]) -> tuple[int, str] | None:
        """The first cell that looks like any of these."""
        return min((self.first[look] for look in looks & self.looks), default=None)


def first_looks(cells: pa.Array) -> dict[Look, tuple[int, str]]:
    """The first cell of every look in an array of text, with its row, counted from 1."""
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    cells = pc.fill_null(cells, "")
    trimmed = pc.utf8_trim_whitespace(cells)
    tests: tuple[tuple[Look, Callable[[], Any]], ...] = (
        ("empty", lambda: pc.equal(cells, "")),
        ("leading zero", lambda: pc.match_substring_regex(trimmed, _LEADING_ZERO)),
        ("whole", lambda: pc.match_substring_regex(trimmed, _WHOLE)),
        ("no value", lambda: pc.is_in(trimmed, value_set=pa.array(NO_VALUES))),
        ("true or false", lambda: pc.is_in(trimmed, value_set=pa.array(BOOLEANS))),
        ("large", lambda: pc.match_substring_regex(trimmed, _LARGE)),
        ("fraction", lambda: pc.match_substring_regex(trimmed, _FRACTION)),
        ("fraction", lambda: pc.match_substring_regex(trimmed, _INFINITE)),
        ("text", lambda: pc.is_valid(trimmed)),
    )
    found: dict[Look, tuple[int, str]] = {}
    left = pc.is_valid(trimmed)
    for look, test in tests:
        own = pc.and_(left, test())
        place = pc.index(own, True).as_py()
        if place >= 0:
            found[look] = min(found.get(look, (len(cells) + 1, "")), (place + 1, cells[place].as_py()))
        left = pc.and_not(left, own)
        if not pc.any(left).as_py():
            break
    return found


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


Reading = Literal["floats", "whole numbers", "large whole numbers", "true or false", "text"]
"""What the cells of a column are turned into; whole numbers beyond 2⁶³ become decimals, which hold them exactly."""

_LARGE_DIGITS = 76
_CONVERTED = ("text", "large whole numbers")
"""Readings whose cells are parsed as text first."""


def reading_of(column: WrittenColumn) -> Reading:
    """How a column is read that is of the type its cells suggest."""
    if column.type in ("number", "unknown"):
        return "floats"
    if column.type == "whole number":
        return "large whole numbers" if "large" in column.looks else "whole numbers"
    return "true or false" if column.type == "boolean" else "text"


def arrow_type(reading: Reading) -> Any:
    """The type that pyarrow parses the cells as."""
    import pyarrow as pa

    parsed = {"floats": pa.float64(), "whole numbers": pa.int64(), "true or false": pa.bool_()}
    return parsed.get(reading, pa.string())


def as_read(batch: pa.RecordBatch, readings: dict[str, Reading]) -> pa.RecordBatch:
    """A batch as it was parsed, with large numbers as decimals, and empty text null as empty numbers are.

    "NA" stays the text it is (Namibia). Raises ArrowInvalid for a cell that is no whole number of up to 76 digits.
    """
    if all(reading not in _CONVERTED for reading in map(readings.get, batch.schema.names)):
        return batch
    import pyarrow as pa

    found = [
        _as_read(column, readings.get(name, "floats")) for name, column in zip(batch.schema.names, batch, strict=True)
    ]
    return pa.RecordBatch.from_arrays(found, names=batch.schema.names)


def _as_read(column: pa.Array, reading: Reading) -> pa.Array:
    if reading not in _CONVERTED:
        return column
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped,unused-ignore]

    nothing = pa.scalar(None, pa.string())
    column = pc.if_else(pc.equal(column, ""), nothing, column)
    if reading == "text":
        return column

    trimmed = pc.utf8_trim_whitespace(column)
    no_value = pc.is_in(trimmed, value_set=pa.array(NO_VALUES))
    return pc.if_else(no_value, nothing, trimmed).cast(pa.decimal256(_LARGE_DIGITS, 0))
