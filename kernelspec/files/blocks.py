"""What a table is read in: blocks of some thousand rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from kernelspec.errors import FileError
from kernelspec.limits import MAX_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]
    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["Block", "bounded_rows", "check_columns", "regroup"]

Block: TypeAlias = "NDArray[Any] | sparse.csr_array[Any, tuple[int, int]] | pa.Table"

_LARGEST_BLOCK = 2**27


def check_columns(n_columns: int, where: str) -> None:
    """Refuse tables of more columns than any kernel is applied to.

    Raises:
        FileError: there are too many columns.
    """
    if n_columns > MAX_COLUMNS:
        raise FileError(f"{where}: has {n_columns:,} columns; at most {MAX_COLUMNS:,} are read")


def bounded_rows(rows_per_block: int, row_bytes: int) -> int:
    """`rows_per_block`, or as many rows as fit into 128 MiB if that is fewer (at least one)."""
    return max(1, min(rows_per_block, _LARGEST_BLOCK // max(1, row_bytes)))


def regroup(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Cut Arrow batches of any size into tables of exactly `rows` rows; the last one may be shorter.

    Nothing is copied: a table holds slices of the batches.
    """
    import pyarrow as pa

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
