"""Data files: the columns a spec is applied to, and which of them are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kernelspec.errors import DataError, SpecError
from kernelspec.files import open_table
from kernelspec.suggestion import suggest

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.files import TableReader
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout

__all__ = ["check_width", "columns_of", "columns_read", "columns_shown", "names_in_order", "opened"]

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
