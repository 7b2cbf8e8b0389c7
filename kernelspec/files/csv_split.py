"""A delimited text file cut at line ends, whose pieces are parsed by several threads at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.numerics.threads import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
    from numpy.typing import NDArray

    from kernelspec.files.csv_stream import CsvFile

__all__ = ["split_batches"]

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
