"""Blocks of data through a feature map, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.cli.column_types import readings_for
from kernelspec.cli.row_faults import row_fault
from kernelspec.cli.tables import columns_read
from kernelspec.errors import DataError, NoRowsError
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.maps.blocks import ReusedFeatures
from kernelspec.tables.reused_rows import ReusedRows
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.files import Block, TableReader
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.tables.layout import Layout

__all__ = ["checked_blocks", "feature_blocks"]

_CACHED_BYTES, _FEWEST_ROWS = 2**21, 1024
"""Features at a time that are still in the processor's cache when they are written, but no fewer rows than these."""


def checked_blocks(
    layout: Layout, reader: TableReader, text: tuple[str, ...] = (), memory: ReusedRows | None = None
) -> Iterator[tuple[Block, Rows]]:
    """The blocks of a file, as they are and as rows; only columns that the kernel looks at are fetched.

    The columns in `text` hold text, where the layout does not know better. With `memory` the rows of a block may be
    overwritten by those of the next one. Raises DataError that names the file and the row, counted over the whole file
    from 1; NoRowsError for a file without rows.
    """
    done = 0
    for block in reader.blocks(columns_read(layout, reader), readings_for(layout, reader, text)):
        try:
            rows = layout.read(block, memory=memory)
        except DataError as error:
            raise row_fault(layout.read, block, done, reader.path, error) from None
        done += len(rows)
        yield block, rows
    if not done:
        raise NoRowsError(f"{reader.path}: has no rows")


def feature_blocks(
    fmap: FeatureMap,
    reader: TableReader,
    *,
    rows: int,
    double: bool,
    advance: Callable[[int], None],
    text: tuple[str, ...] = (),
) -> Iterator[Any]:
    """The features of all rows of a file, at most `rows` at a time; a block is overwritten by the next one.

    With `double`, float32 data are taken to float64 first. `advance` is told how many rows have been consumed.
    `text` and DataError: as `checked_blocks`.
    """
    reused, done = ReusedFeatures(fmap), 0
    if not fmap.is_sparse:
        most = MAX_BLOCK_BYTES // (16 * fmap.n_columns)  # a complex feature has 16 bytes
        rows = max(1, min(rows, max(_FEWEST_ROWS, _CACHED_BYTES // (8 * fmap.n_columns)), most))
    for _, whole in checked_blocks(fmap.plan.layout, reader, text, ReusedRows()):
        for _, part in whole.blocks(rows):
            exact = Rows(part.numbers.astype(np.float64, copy=False), part.categories) if double else part
            try:
                features = reused.of(exact)
            except DataError as error:
                raise row_fault(fmap.transform, exact, done, reader.path, error) from None
            done += len(part)
            yield features
            advance(len(part))
