"""Lines of LIBSVM text to the arrays of a CSR matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.limits import MAX_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["LibsvmRows", "parse_rows"]

# Indices are parsed as float64, like the values.
_LARGEST_INDEX = 2.0**53


@dataclass(frozen=True, slots=True)
class LibsvmRows:
    """Some rows: entries of row i are `starts[i]:starts[i+1]`; `columns` count from 0."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def parse_rows(lines: Iterable[bytes], first_line: int, where: str, limit: int | None = None) -> LibsvmRows:
    """Read `label index:value index:value …` lines, of which `first_line` is the number of the first.

    Labels and `qid:` are skipped, so are comments, blank lines and a missing label. Indices count from 1.

    Raises:
        DataError: a malformed entry, an index of 0, one beyond `limit`, or one that is repeated in its line.
    """
    numbers: list[int] = []
    counts: list[int] = []
    entries: list[bytes] = []
    for number, line in enumerate(lines, first_line):
        text = line.partition(b"#")[0] if b"#" in line else line
        words = text.split(None, MAX_COLUMNS + 2)  # label, query and entries; what follows stays one word
        if not words:
            continue
        skipped = 0 if b":" in words[0] else 1
        if len(words) > skipped and words[skipped].startswith(b"qid:"):
            skipped += 1
        del words[:skipped]
        if len(words) > MAX_COLUMNS:
            raise DataError(f"{where}:{number}: has more than {MAX_COLUMNS:,} entries, the most that are read")
        numbers.append(number)
        counts.append(len(words))
        entries += words
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    rows = np.repeat(np.array(numbers, dtype=np.int64), counts)
    pairs = _pairs(entries, rows, where)
    indices = pairs[:, 0]
    whole = (np.abs(indices) < _LARGEST_INDEX) & (indices == np.floor(indices))
    _check(~whole, rows, entries, where, "has an index that is no whole number")
    columns = indices.astype(np.int64) - 1
    _check(columns < 0, rows, entries, where, "has an index below 1; LIBSVM files count columns from 1")
    _check(columns >= MAX_COLUMNS, rows, entries, where, f"has an index above {MAX_COLUMNS:,}, the most that are read")
    if limit is not None:
        _check(columns >= limit, rows, entries, where, f"has an index beyond the {limit} columns")
    order = np.lexsort((columns, rows)) if np.any((np.diff(columns) <= 0) & (np.diff(rows) == 0)) else slice(None)
    columns, values = columns[order], np.ascontiguousarray(pairs[:, 1][order])
    repeated = np.append(False, (np.diff(columns) == 0) & (np.diff(rows) == 0))
    _check(repeated, rows, None, where, "has the same index twice")
    return LibsvmRows(starts, columns, values)


def _pairs(entries: list[bytes], rows: NDArray[np.int64], where: str) -> NDArray[np.float64]:
    """Index and value of every entry; the fast way for all, and one by one only to find the culprit."""
    # Old versions of NumPy stop at what is no number, with this warning: the count tells. The last number, which is
    # ours, is missing also where a file ends in 1:1_0, of which the 1 before the underscore is read.
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
        # Python's float() takes 1_0 for ten; no other reader does.
        return bool(colon) and b"_" not in entry and (float(index), float(value)) is not None
    except ValueError:
        return False


def _check(bad: NDArray[Any], rows: NDArray[np.int64], entries: list[bytes] | None, where: str, what: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        entry = "" if entries is None else f" {entries[first][:60].decode('utf-8', 'backslashreplace')!r}"
        raise DataError(f"{where}:{rows[first]}:{entry} {what}")
