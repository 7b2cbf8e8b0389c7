"""One run of `kernelspec features`: open, stream, write, sum up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import click
import numpy as np
from click.core import ParameterSource

from kernelspec.cli.data import (
    FileRows,
    check_width,
    columns_of,
    columns_shown,
    conversions,
    feature_blocks,
    names_in_order,
    recorded_from,
)
from kernelspec.cli.group import check_outputs, progress
from kernelspec.cli.options import GivenTypes, planned_map
from kernelspec.cli.spec_input import say_if_dead, say_if_first_rows_are_dead, told_by_the_command, with_medians_said
from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.errors import DataError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.transformed_rows import rows_at_a_time
from kernelspec.planning.options import OPTIONS, MapOptions
from kernelspec.planning.request import SeenData
from kernelspec.planning.target import ASKED
from kernelspec.tables.formats import create_features, open_table
from kernelspec.tables.table_reader import TableReader

if TYPE_CHECKING:
    from kernelspec.cli.options import GivenColumns
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = [
    "FeatureRun",
    "MapMaker",
    "SavedMap",
    "SpecMap",
    "Written",
    "is_saved_map",
    "refuse_map_options",
    "rows_to_plan_on",
]

_DETERMINED = {"values", "dim", "columns", "drop", "missing", "plan_on", *OPTIONS}
"""Options that say what a saved map says."""

_PLANNED_ROWS, _PLANNED_NUMBERS = 20_000, 2**22
"""Rows to plan on: so many, or of many columns as many as have so many numbers, but 2048 at least."""

_FEWEST = 2048
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class SpecMap:
    """A map to be made for the columns of the file at hand.

    Of its rows nothing is looked at but the categories, which have columns of their own (of `plan_on`, if it is given),
    and the distances where parameters are to have the `medians`: the same spec, columns, settings, categories and
    values give the same map for every file; unless the settings ask for an error, which is that on its rows. But the
    types of its columns are recorded if `records_types`, for the map to be used on other files. Where the file is one
    of several `parts` of a table, the categories are those of all parts.
    """

    spec: Spec
    settings: MapOptions
    columns: GivenColumns
    plan_on: str | None = None
    types: GivenTypes = field(default_factory=GivenTypes)
    medians: tuple[str, ...] = ()
    records_types: bool = False
    quiet: bool = False
    parts: tuple[str, ...] = ()

    @property
    def dim(self) -> int | None:
        """The number of columns, if the command line says it."""
        return self.columns.dim

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns, if the command line says them."""
        return self.columns.names

    @property
    def header(self) -> bool | None:
        """Whether CSV files have a header, if the command line says it."""
        return self.columns.header

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for a file. Raises SpecError, DataError, PlanError, FileError."""
        columns = columns_of(self.spec, reader, self.columns.dim, self.columns.names, self.columns.dropped)
        layout, rows, spec = self.types.pinned(kernel_and_layout(self.spec, columns)[1]), None, self.spec
        check_width(layout, reader)
        planned_on = self.plan_on
        if planned_on is None and self.settings.n_features == "auto":
            if self.parts:
                raise click.UsageError(
                    "an error on the rows of a table in parts: name some of them with --plan-on FILE"
                )
            planned_on = str(reader.path)
        if planned_on is not None:
            rows, layout = rows_to_plan_on(layout, planned_on, self.header, quiet=self.quiet)
        if self.medians:
            some = rows
            if some is None:
                some, _ = rows_to_plan_on(layout, str(reader.path), self.header, quiet=self.quiet)
            spec = with_medians_said(spec, self.medians, columns, some, quiet=self.quiet)
        if not self.quiet and rows is not None:
            say_if_dead(spec, columns, rows)
        elif not self.quiet:
            say_if_first_rows_are_dead(spec, columns, layout, str(reader.path), self.header)
        if self.records_types:
            layout = recorded_from(layout, reader)
        paths = (self.plan_on,) if self.plan_on else self.parts or (str(reader.path),)
        seen = SeenData(rows, FileRows(paths, layout, self.header))
        with told_by_the_command():
            return planned_map(self.settings, spec, columns, seen, layout.types)

    @property
    def text(self) -> tuple[str, ...]:
        """Columns that are text beyond what the map records: none."""
        return ()


@dataclass(frozen=True)
class SavedMap:
    """A map that is there already; columns in `text` are text, where it does not know their types.

    `header` says whether CSV files begin with a line of names.
    """

    fmap: FeatureMap
    text: tuple[str, ...] = ()
    header: bool | None = None

    @classmethod
    def load(
        cls, path: str, text: tuple[str, ...] = (), header: bool | None = None, *, redraw: bool = False
    ) -> SavedMap:
        """The map in a file, with `redraw` compared with what its spec and seed give. Raises FileError."""
        from kernelspec.maps.feature_map import load_map

        return cls(load_map(path, redraw=redraw), text, header)

    @property
    def dim(self) -> int:
        """The number of columns the map is for."""
        return self.fmap.plan.layout.dim

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns of a file without names, if the map has them in order."""
        return names_in_order(self.fmap.plan.layout)

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map, if the file has the columns for it. Raises DataError."""
        check_width(self.fmap.plan.layout, reader)
        return self.fmap


def is_saved_map(path: str) -> bool:
    """Whether a file holds a saved map rather than the text of a spec: told by its content, whatever its name."""
    with suppress(OSError), Path(path).open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP
    return False


def refuse_map_options(ctx: click.Context, path: str) -> None:
    """Raise UsageError for an option that would have had to be given when the saved map was made."""
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if parameter.name in _DETERMINED and given:
            raise click.UsageError(f"{parameter.opts[-1]} is settled already: {path} is a saved map, not a spec", ctx)


def rows_to_plan_on(
    layout: Layout, path: str, header: bool | None = None, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """Up to 20,000 random rows of a data file, and the layout with the types of its columns, of its rows in one pass.

    Of many columns fewer: 2²² numbers, but no fewer than 2048 rows. Raises DataError, FileError.
    """
    from kernelspec.cli.data import sample_rows

    n_rows = max(_FEWEST, min(_PLANNED_ROWS, _PLANNED_NUMBERS // layout.dim))
    return sample_rows(path, layout, n_rows, header, quiet=quiet)


_READ_ROWS = 16384


class MapMaker(Protocol):
    """What knows the map for a file, and how wide the file is where it does not say so itself."""

    @property
    def dim(self) -> int | None:
        """The number of columns, if known."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns of a file without names, in order."""

    @property
    def header(self) -> bool | None:
        """Whether CSV files begin with a line of names, if known."""

    @property
    def text(self) -> tuple[str, ...]:
        """Columns that are text, where the map does not know their types."""

    def map_for(self, reader: TableReader) -> FeatureMap:
        """The map for an open file."""


@dataclass(frozen=True)
class Written:
    """What a run has read and written: `unmet` counts entries of keys that the map does not know."""

    n_rows: int
    n_columns: int
    unmet: int
    read: str
    said: tuple[str, ...] = ()

    def summary(self, seconds: float, output: str) -> str:
        """In words, with the time it took."""
        size = f"{self.n_rows:,} rows × {self.n_columns:,} columns"
        speed = f"{seconds:.1f} s ({self.n_rows / seconds:,.0f} rows/s)"
        return f"{self.read}\n{size} in {speed}: {output}"

    def unmet_shown(self, data: str) -> str:
        """What is to be said of keys that the map does not know; nothing if there are none."""
        if not self.unmet:
            return ""
        words = "entries are of categories or other keys that the map does not know, and share a few columns"
        return f"{data}: {self.unmet:,} {words}"


@dataclass(frozen=True)
class FeatureRun:
    """What to read, and what to write where.

    `agreed` is the precision of other parts of the same table. The features are of it, if no `dtype` is given; those of
    a part in higher precision are refused.
    """

    data: str
    output: str
    dtype: str | None
    rows_per_block: int | None
    save_map: str | None
    quiet: bool
    agreed: str | None = None

    def check_outputs(self, read: Sequence[str | None]) -> None:
        """Refuse, before any work, an output that cannot be written, or that would replace the data or what is `read`.

        Raises FileError, UsageError.
        """
        # nothing is created before its `with` statement; whether features are sparse is not known yet
        create_features(self.output, names=["any"], dtype=np.float32, sparse=False)
        check_outputs([self.data, *read], [("-o", self.output), ("--save-map", self.save_map)])

    def run(self, maker: MapMaker) -> str:
        """Write the features (and a map asked for); in words what was read and written. Raises KernelspecError."""
        began = perf_counter()
        written = self.write(maker)
        if written.unmet and not self.quiet:
            click.echo(written.unmet_shown(self.data), err=True)
        return written.summary(perf_counter() - began, self.output)

    def write(self, maker: MapMaker) -> Written:
        """The same, without a word at the end."""
        with ExitStack() as stack:
            size = self.rows_per_block or _READ_ROWS
            reader = stack.enter_context(
                open_table(self.data, rows_per_block=size, columns=maker.dim, header=maker.header, names=maker.names)
            )
            fmap = maker.map_for(reader)
            said = list(conversions(fmap.plan.layout, reader))
            beside: AbstractContextManager[object] = nullcontext()
            if self.save_map is not None:
                from kernelspec.maps.landmarks import kept_rows_shown
                from kernelspec.maps.map_file import saved_map

                beside = saved_map(fmap, Path(self.save_map))
                if (kept := kept_rows_shown(fmap.plan)) is not None:
                    said.append(f"{self.save_map}: {kept}")
            if not self.quiet:
                for words in said:
                    click.echo(words, err=True)
            advance = stack.enter_context(progress(reader, quiet=self.quiet))
            rows = self.rows_per_block or rows_at_a_time(fmap)
            double = "float64" in (self.dtype, self.agreed)
            blocks = feature_blocks(fmap, reader, rows=rows, double=double, advance=advance, text=maker.text)
            first = next(blocks)
            self._check_precision(first.dtype)
            names, kind, unmet = fmap.names(), self._stored(first.dtype), 0
            # the map is written first and appears last: an interrupted run leaves neither of the two
            writer = create_features(self.output, names=names, dtype=kind, sparse=fmap.is_sparse)
            with beside, writer:
                for block in chain([first], blocks):
                    writer.write(block)
                    unmet += fmap.count_shared(block)
        asked = [note for note in fmap.plan.notes if note.startswith(ASKED)]
        read = "\n".join([f"columns read: {columns_shown(fmap.plan.layout, reader)}", *asked])
        return Written(writer.rows_written, len(names), unmet, read, tuple(said))

    def _check_precision(self, computed: np.dtype[np.generic]) -> None:
        if self.dtype is None and self.agreed == "float32" and computed not in (np.float32, np.complex64):
            raise DataError(
                f"{self.data}: its features are float64, and those of the first part float32: name one with --dtype"
            )

    def _stored(self, computed: np.dtype[np.generic]) -> np.dtype[np.generic]:
        """The type of the file, given the type the features were computed in."""
        if self.dtype is None:
            return computed
        return np.result_type(self.dtype, np.complex64) if computed.kind == "c" else np.dtype(self.dtype)
