"""Data files: their columns, blocks of rows through a map, rows drawn at random, and partitions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from kernelspec.cli.column_types import readings_for, recorded_from
from kernelspec.cli.output import progress
from kernelspec.errors import DataError, FileError, NoRowsError, SpecError
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.loading import suggest
from kernelspec.maps.transformed_rows import ReusedFeatures
from kernelspec.tables.atomic import check_name, check_target
from kernelspec.tables.formats import open_table
from kernelspec.tables.rows import ReusedRows, Rows, counted_from_one, first_fault, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.elaboration.scope import Columns
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.table_reader import Block, TableReader

__all__ = [
    "FileRows",
    "check_width",
    "checked_blocks",
    "columns_of",
    "columns_read",
    "columns_shown",
    "feature_blocks",
    "feature_files",
    "names_in_order",
    "opened",
    "partition_files",
    "row_fault",
    "sample_rows",
]


def row_fault(read: Callable[[Any], Any], block: Any, n_before: int, path: Path, error: DataError) -> DataError:
    """The error of the first row of a block that `read` refuses, numbered over the whole file from 1.

    The block is one of a file, or Rows. `n_before` rows of the file stand before the block. An error that is no single
    row's stays as it is, but for the name of the file.
    """

    def cut(start: int, stop: int) -> Any:
        if isinstance(block, Rows):
            return replace(block.take(slice(start, stop)), first=0)
        return block.slice(start, stop - start) if hasattr(block, "slice") else block[start:stop]

    found = first_fault(read, cut, len(block) if isinstance(block, Rows) else block.shape[0])
    if found is None:
        return DataError(f"{path}: {error}")
    row, alone = found
    return DataError(counted_from_one(f"{path}: {numbered(alone, n_before + row + 1)}"))


_MOST_SHOWN = 12


def columns_of(
    spec: Spec, reader: TableReader, dim: int | None, names: Sequence[str] | None, dropped: Sequence[str] = ()
) -> Columns:
    """The columns of a file that a spec is applied to.

    Those asked for; else the ones that the spec names, if it names all it uses; else all columns of the file but those
    `dropped`. So the map does not depend on what else a file holds. Raises DataError where names do not fit a file
    without names, and for a column to drop that is not there or that the spec selects.
    """
    kept = _kept(reader, dropped, spec.columns().names or ())
    if names is not None:
        if reader.names is None and len(names) != reader.n_columns:
            raise DataError(f"{reader.path}: has {reader.n_columns} columns, and --columns names {len(names)}")
        return spec.columns(dim, names)
    selected = spec.columns().names
    if reader.names is None:
        if selected:
            raise DataError(
                f"{reader.path}: its columns have no names, and the spec selects {', '.join(selected)} by name; "
                "say with --columns what they are called"
            )
        return spec.columns(dim or reader.n_columns)
    if selected:
        try:
            spec.kernel(spec.columns())
        except SpecError:
            return spec.columns(dim, found=kept)  # some part of the spec applies to all columns
        return spec.columns(dim, found=selected)
    return spec.columns(dim, found=kept)


def _kept(reader: TableReader, dropped: Sequence[str], selected: Sequence[str]) -> tuple[str, ...] | None:
    """The names of a file's columns without those dropped. Raises DataError."""
    if not dropped:
        return reader.names
    if reader.names is None:
        raise DataError(f"{reader.path}: its columns have no names: none can be dropped by name")
    for name in dropped:
        if name not in reader.names:
            raise DataError(f"{reader.path}: there is no column '{name}' to drop{suggest(name, reader.names)}")
        if name in selected:
            raise DataError(f"{reader.path}: column '{name}' is to be dropped, and the spec selects it")
    kept = tuple(name for name in reader.names if name not in dropped)
    if not kept:
        raise DataError(f"{reader.path}: all of its columns are to be dropped")
    return kept


def columns_shown(layout: Layout, reader: TableReader) -> str:
    """The columns that the kernel looks at, in words: by name as far as there are any, and not too many."""
    used = layout.used
    if layout.names is None or reader.n_columns is None:
        return f"{len(used)} of {layout.dim}"
    shown = ", ".join(layout.names[i] for i in used[:_MOST_SHOWN])
    more = f" and {len(used) - _MOST_SHOWN:,} more" if len(used) > _MOST_SHOWN else ""
    return f"{shown}{more} ({len(used):,} of {reader.n_columns:,})"


def columns_read(layout: Layout, reader: TableReader) -> list[str] | None:
    """The names of the columns to fetch: those the kernel looks at; None (all) where columns go by position."""
    if reader.names is None or layout.names is None:
        return None
    names = layout.names
    return [names[i] for i in layout.used] or None


@contextmanager
def opened(path: str, layout: Layout, header: bool | None) -> Iterator[TableReader]:
    """The reader of a file that has the columns of a layout. Raises DataError, FileError."""
    with open_table(path, columns=layout.dim, header=header, names=names_in_order(layout)) as reader:
        check_width(layout, reader)
        yield reader


def names_in_order(layout: Layout) -> tuple[str, ...] | None:
    """The names of a layout that stand for the columns of a table without names, if they do."""
    return None if layout.by_name else layout.names


def check_width(layout: Layout, reader: TableReader) -> None:
    """Raise DataError if a file whose columns go by position has another number of them."""
    by_position = reader.names is None or layout.names is None
    if by_position and layout.by_name:
        raise DataError(f"{reader.path}: {layout.names_needed()}")
    if by_position and reader.n_columns not in (None, layout.dim):
        raise DataError(f"{reader.path}: has {reader.n_columns} columns, and the kernel is applied to {layout.dim}")


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
            numbers = part.numbers.astype(np.float64, copy=False) if double else part.numbers
            exact = replace(part, numbers=numbers, first=done + 1)
            try:
                features = reused.of(exact)
            except DataError as error:
                raise row_fault(fmap.transform, exact, done, reader.path, error) from None
            done += len(part)
            yield features
            advance(len(part))


def sample_rows(
    path: str, layout: Layout, n_rows: int, header: bool | None = None, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """`n_rows` different rows of a file (all of them, if there are fewer), every choice equally likely, in file order.

    With them the layout in which the types of the file's columns are recorded, where they were not before. Every row
    gets a random number, and the smallest win: the choice depends on neither the size of the blocks nor the format, and
    is the same every time. Only columns that the kernel looks at are fetched, and all their rows are checked. Unless
    `quiet`, a bar shows how far the pass has come. Raises FileError, DataError.
    """
    generator = np.random.default_rng(0)
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Rows | None = None
    with ExitStack() as stack:
        reader = stack.enter_context(opened(path, layout, header))
        layout = recorded_from(layout, reader)
        advance = stack.enter_context(progress(reader, quiet=quiet))
        for _, rows in checked_blocks(layout, reader):
            n_before = len(ranks)
            ranks = np.concatenate([ranks, generator.random(len(rows))])
            winners = np.arange(len(ranks))
            if len(ranks) > n_rows:
                winners = np.sort(np.argpartition(ranks, n_rows)[:n_rows])
            ranks = ranks[winners]
            newer = rows.take(winners[winners >= n_before] - n_before)
            kept = newer if kept is None else kept.take(winners[winners < n_before]).followed_by(newer)
            advance(len(rows))
    assert kept is not None
    return kept, layout


@dataclass(frozen=True)
class FileRows:
    """The rows of files in blocks, one file after the other, read anew each time; some of several may have none.

    Raises FileError, DataError as they are read.
    """

    paths: tuple[str, ...]
    layout: Layout
    header: bool | None = None

    def __iter__(self) -> Iterator[Rows]:
        n_empty = 0
        for path in self.paths:
            try:
                with opened(path, self.layout, self.header) as reader:
                    yield from (rows for _, rows in checked_blocks(self.layout, reader))
            except NoRowsError:
                n_empty += 1
                if n_empty == len(self.paths):
                    raise


_WRITTEN_AS_READ = (".npy", ".npz", ".parquet")


def partition_files(patterns: Sequence[str]) -> tuple[str, ...]:
    """The files that some names and patterns (`part-*.parquet`) stand for, as absolute paths, each pattern in order.

    Raises FileError for a pattern that fits no file; UsageError for a file that is named twice.
    """
    found: list[str] = []
    for pattern in patterns:
        files = [pattern] if Path(pattern).exists() else sorted(glob(pattern, recursive=True))
        if not files:
            raise FileError(f"{pattern}: no such file, and no file fits it as a pattern")
        found += [os.path.realpath(file) for file in files]
    seen: set[str] = set()
    for path in found:
        if path in seen:
            raise click.UsageError(f"{path} is named twice")
        seen.add(path)
    return tuple(found)


def feature_files(parts: Sequence[str], folder: str, *, sparse: bool, is_complex: bool) -> tuple[str, ...]:
    """Where the features of every part go: a file of the same name in the folder, which is made if it is not there.

    Its suffix is that of the part if features can be stored so, else .npz for sparse ones, .npy for complex ones, and
    .parquet for all others. Raises FileError for a place that cannot be written to; UsageError where two parts have one
    name.
    """
    check_name(folder)
    place = Path(os.path.realpath(folder))
    if place.exists() and not place.is_dir():
        raise FileError(f"{folder}: is a file; the features of several files go into a folder")
    if not place.parent.is_dir():
        raise FileError(f"{folder}: the folder {str(place.parent)!r} does not exist")
    found: dict[str, str] = {}
    for part in parts:
        stem = Path(part).name.removesuffix(".gz")
        suffix = _suffix(Path(stem).suffix.lower(), sparse, is_complex)
        target = str(place / f"{Path(stem).stem}{suffix}")
        if target in found:
            raise click.UsageError(f"the features of {part} and of {found[target]} would both be {target}")
        found[target] = part
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {error.strerror}") from None
    for target in found:
        check_target(Path(target))
    return tuple(found)


def _suffix(given: str, sparse: bool, is_complex: bool) -> str:
    if sparse:
        return ".npz"
    if is_complex:
        return ".npz" if given == ".npz" else ".npy"
    return given if given in _WRITTEN_AS_READ else ".parquet"
