"""Data files: the columns a spec is applied to, and which of them are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernelspec.errors import DataError, SpecError

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.files import TableReader
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout

__all__ = ["check_width", "columns_of", "columns_read"]


def columns_of(spec: Spec, reader: TableReader, dim: int | None, names: Sequence[str] | None) -> Columns:
    """The columns of a file that a spec is applied to.

    Those asked for; else the ones that the spec names, if it names all it uses; else all columns of the file. So the
    map does not depend on what else a file holds. Raises DataError where names do not fit a file without names.
    """
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
            return spec.columns(dim, reader.names)  # some part of the spec applies to all columns
        return spec.columns(dim, selected)
    return spec.columns(dim, reader.names)


def columns_read(layout: Layout, reader: TableReader) -> list[str] | None:
    """The names of the columns to fetch: those the kernel looks at; None (all) where columns go by position."""
    if reader.names is None or layout.names is None:
        return None
    names = layout.names
    return [names[i] for i in layout.used] or None


def check_width(layout: Layout, reader: TableReader) -> None:
    """Raise DataError if a file whose columns go by position has another number of them."""
    by_position = reader.names is None or layout.names is None
    if by_position and reader.n_columns not in (None, layout.dim):
        raise DataError(f"{reader.path}: has {reader.n_columns} columns, and the kernel is applied to {layout.dim}")
